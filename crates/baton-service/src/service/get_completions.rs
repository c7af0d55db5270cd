//! List reported completions, newest first.

use baton_core::{Caller, NetworkId, limits};
use baton_store::rows::{CompletionFilter, CompletionRow, PageBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::listed_text::ListedText;
use super::network_ref::VisibleNetworks;
use super::wire_time::{WireTime, parse_since};
use super::{Error, page};
use crate::hub::Hub;

/// Which completions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// Only of this agent
    alias: Option<String>,
    /// 24 hours ago by default
    since: Option<String>,
    /// 500 by default
    #[schemars(range(min = 1, max = limits::OTHER_PAGE_MAX))]
    limit: Option<i64>,
    /// The network; all of yours by default
    network_id: Option<String>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

/// The query of `GET /api/completions`.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// Only of this agent
    alias: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; 24 hours ago by default
    since: Option<String>,
    /// 500 by default
    #[param(value_type = Option<u32>)]
    limit: Option<String>,
    /// The network; without it, all of the caller's
    network_id: Option<String>,
    /// `next_cursor` of the page before
    cursor: Option<String>,
}

/// The completions.
#[derive(Debug, Serialize, ToSchema)]
pub struct Completions {
    ok: bool,
    completions: Vec<CompletionView>,
    next_cursor: Option<String>,
}

/// A completion, in the contract's order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Completion)]
pub struct CompletionView {
    /// Counts the network's completions
    id: i64,
    session_name: String,
    task: String,
    /// If `task` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task_truncated: bool,
    result: String,
    /// If `result` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    result_truncated: bool,
    #[schema(value_type = Value)]
    artifacts: Option<Box<RawValue>>,
    score: Option<f64>,
    duration_minutes: Option<f64>,
    network_id: NetworkId,
    completed_at: WireTime,
}

impl From<CompletionRow> for CompletionView {
    fn from(row: CompletionRow) -> Self {
        let task = ListedText::new(row.task, limits::LISTED_TEXT_MAX_CHARS);
        let result = ListedText::new(row.result, limits::LISTED_RESULT_MAX_CHARS);
        Self {
            id: row.number,
            session_name: row.session_name,
            task: task.text,
            task_truncated: task.is_cut,
            result: result.text,
            result_truncated: result.is_cut,
            artifacts: row.artifacts.and_then(|artifacts| RawValue::from_string(artifacts).ok()),
            score: row.score,
            duration_minutes: row.duration_minutes,
            network_id: row.network_id,
            completed_at: WireTime(row.completed_at),
        }
    }
}

/// Lists, by the query.
pub async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Completions, Error> {
    let limit = page::limit_text(args.limit.as_deref(), limits::OTHER_PAGE_MAX, limits::OTHER_PAGE_MAX)?;
    let QueryArgs { alias, since, network_id, cursor, .. } = args;
    let args = Args { alias, since, limit: None, network_id, cursor };
    list(hub, caller, args, PageBounds::rows(limit)).await
}

/// Lists, by the tool's arguments.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Completions, Error> {
    let limit = page::limit(args.limit, limits::OTHER_PAGE_MAX, limits::OTHER_PAGE_MAX)?;
    list(hub, caller, args, PageBounds::of_tool(limit)).await
}

async fn list(hub: &Hub, caller: &Caller, args: Args, page: PageBounds) -> Result<Completions, Error> {
    let since = since(args.since.as_deref(), hub, limits::COMPLETIONS_SINCE_DEFAULT_SECONDS)?;
    let cursors = page::cursors(hub, caller, "completions");
    let before = cursors.open(args.cursor.as_deref())?;
    let asker = caller.clone();
    let (reach, found) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = VisibleNetworks::of(rows, &asker, args.network_id.as_deref())?;
            let networks = reach.networks.clone();
            let filter = CompletionFilter { networks, session: args.alias.clone(), since, before, page };
            let found = rows.completions(&filter)?;
            Ok((reach, found))
        })
        .await?;
    reach.write_down(hub, caller, "completions").await?;
    let page = found.map(CompletionView::from);
    Ok(Completions { ok: true, completions: page.rows, next_cursor: cursors.next(page.next) })
}

/// A `since`, or so many seconds ago.
pub fn since(text: Option<&str>, hub: &Hub, default_seconds: u32) -> Result<baton_core::UnixMillis, Error> {
    match text.filter(|text| !text.is_empty()) {
        None => Ok(hub.clock.now().plus_millis(-1000 * i64::from(default_seconds))),
        Some(text) => parse_since(text)
            .ok_or_else(|| Error::argument("since", "must be YYYY-MM-DD HH:MM:SS or an RFC 3339 time")),
    }
}
