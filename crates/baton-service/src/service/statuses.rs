//! Who is there: all sessions, or one with its inbox and its latest completions.

use baton_core::{Action, Alias, Caller, NetworkId, Principal, limits};
use baton_store::Snapshot;
use baton_store::rows::{CompletionFilter, Page, PageBounds, SessionRow, SessionSummaryRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

use super::get_completions::CompletionView;
use super::network_ref::{NetworkRef, VisibleNetworks};
use super::skills::{self, Skill};
use super::stamp::Stamp;
use super::wire_time::WireTime;
use super::{Error, audit, names, page, presence};
use crate::hub::Hub;

/// Which sessions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct AllArgs {
    /// The network; all of yours by default
    network_id: Option<String>,
    /// Only sessions with this server label
    filter_server: Option<String>,
    /// Only sessions with this status
    filter_status: Option<String>,
    /// All that fit by default
    #[schemars(range(min = 1, max = limits::SESSION_PAGE_MAX))]
    limit: Option<i64>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

#[derive(Debug, Default)]
struct Wanted {
    network_id: Option<String>,
    filter_server: Option<String>,
    filter_status: Option<String>,
    cursor: Option<String>,
}

impl Wanted {
    fn is_meant(&self, session: &SessionSummaryRow, status: &str) -> bool {
        self.filter_server.as_ref().is_none_or(|server| session.server.as_ref() == Some(server))
            && self.filter_status.as_ref().is_none_or(|wanted| wanted == status)
    }
}

/// The query of `GET /api/status`.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    pub network_id: Option<String>,
    pub filter_server: Option<String>,
    pub filter_status: Option<String>,
    /// 10000 by default; a page of large sessions ends early
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

impl QueryArgs {
    /// All sessions of a network, or of all of the caller's.
    pub fn of(network_id: Option<String>) -> Self {
        Self { network_id, ..Self::default() }
    }
}

/// All sessions, as the tool answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionsForTool {
    ok: bool,
    sessions: Vec<SessionView>,
    /// Of all pages.
    summary: Vec<SessionCount>,
    next_cursor: Option<String>,
}

/// How many sessions have a status.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SessionCount {
    pub status: String,
    pub count: usize,
}

/// All sessions, as `GET /api/status` answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct Sessions {
    ok: bool,
    sessions: Vec<SessionView>,
    /// Of all pages
    summary: Summary,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SessionSummary)]
struct Summary {
    idle: usize,
    working: usize,
    offline: usize,
    total: usize,
}

/// Which session.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OneArgs {
    /// The agent; yourself by default
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: Option<String>,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// One session.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionForTool {
    ok: bool,
    session: Option<SessionView>,
    inbox_pending: i64,
    recent_completions: Vec<CompletionView>,
}

/// A session row, in the contract's order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionView {
    resume_id: String,
    alias: Alias,
    server: Option<String>,
    hostname: Option<String>,
    agent: Option<String>,
    project_dir: Option<String>,
    version: Option<String>,
    pub status: String,
    task: Option<String>,
    output: Option<String>,
    progress: Option<i64>,
    score: Option<f64>,
    network_id: baton_core::NetworkId,
    registered_at: WireTime,
    updated_at: WireTime,
    last_seen_at: WireTime,
    node_id: Option<String>,
    session_id: Option<String>,
    model: Option<String>,
    /// What it says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<Skill>,
}

impl SessionView {
    pub fn new(row: SessionRow, status: String) -> Result<Self, Error> {
        let skills = skills::of_row(row.skills.as_deref())?;
        Ok(Self {
            resume_id: row.resume_id,
            alias: row.alias,
            server: row.server,
            hostname: row.hostname,
            agent: row.agent,
            project_dir: row.project_dir,
            version: row.version,
            status,
            task: row.task,
            output: row.output,
            progress: row.progress,
            score: row.score,
            network_id: row.network_id,
            registered_at: WireTime(row.registered_at),
            updated_at: WireTime(row.updated_at),
            last_seen_at: WireTime(row.last_seen_at),
            node_id: row.node_id,
            session_id: row.session_id,
            model: row.model,
            description: row.description,
            skills,
        })
    }
}

/// The name of the list of sessions in its cursors.
const SESSIONS: &str = "sessions";

/// All sessions, for the tool.
pub async fn all(hub: &Hub, caller: &Caller, args: AllArgs) -> Result<SessionsForTool, Error> {
    let limit = page::limit(args.limit, limits::SESSION_PAGE_MAX, limits::SESSION_PAGE_MAX)?;
    let AllArgs { network_id, filter_server, filter_status, cursor, .. } = args;
    let wanted = Wanted { network_id, filter_server, filter_status, cursor };
    let found = sessions(hub, caller, wanted, PageBounds::of_tool(limit)).await?;
    let (sessions, summary) = (found.page.rows, found.summary.counts());
    Ok(SessionsForTool {
        ok: true,
        sessions,
        summary,
        next_cursor: page::cursors(hub, caller, SESSIONS).next(found.page.next),
    })
}

/// All sessions, for `GET /api/status`.
pub async fn all_for_rest(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Sessions, Error> {
    let most = limits::SESSION_PAGE_MAX;
    let limit = page::limit_text(args.limit.as_deref(), most, most)?;
    let QueryArgs { network_id, filter_server, filter_status, cursor, .. } = args;
    let wanted = Wanted { network_id, filter_server, filter_status, cursor };
    let Found { page, summary } = sessions(hub, caller, wanted, PageBounds::rows(limit)).await?;
    let summary = Summary {
        idle: summary.of("idle"),
        working: summary.of("working"),
        offline: summary.of(presence::OFFLINE),
        total: summary.total(),
    };
    Ok(Sessions {
        ok: true,
        sessions: page.rows,
        summary,
        next_cursor: page::cursors(hub, caller, SESSIONS).next(page.next),
    })
}

/// How many sessions of the caller's networks have each status.
pub async fn by_status(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
) -> Result<Vec<SessionCount>, Error> {
    let wanted = Wanted { network_id, ..Wanted::default() };
    Ok(sessions(hub, caller, wanted, PageBounds::rows(0)).await?.summary.counts())
}

/// Every session of a network without its texts, read page by page.
pub fn every_session(rows: &dyn Snapshot, network: &NetworkId) -> Result<Vec<SessionSummaryRow>, Error> {
    let mut all: Vec<SessionSummaryRow> = Vec::new();
    loop {
        let after = all.last().map(|last| last.alias.clone());
        let page = rows.session_glances(network, after.as_ref(), limits::OTHER_PAGE_MAX)?;
        let is_last = page.len() < limits::OTHER_PAGE_MAX;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

/// A page of sessions by network and alias, and how many there are on all pages.
struct Found {
    page: Page<SessionView, (NetworkId, Alias)>,
    summary: Statuses,
}

/// The sessions a caller may see. Texts are only read of those on the page.
async fn sessions(hub: &Hub, caller: &Caller, wanted: Wanted, bounds: PageBounds) -> Result<Found, Error> {
    let cursors = page::cursors(hub, caller, SESSIONS);
    let after: Option<(NetworkId, Alias)> = cursors.open(wanted.cursor.as_deref())?;
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let (reach, found) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = VisibleNetworks::of_status(rows, &asker, wanted.network_id.as_deref())?;
            let (mut page, mut summary) = (SessionPage::new(bounds), Statuses::default());
            for (network, _) in &reach.networks {
                for session in every_session(rows, network)? {
                    let status = presence::shown_status(&stamp, stamp.time.now, network, &session);
                    if !wanted.is_meant(&session, &status) {
                        continue;
                    }
                    summary.count(&status);
                    let is_after = after.as_ref().is_none_or(|(last, alias)| {
                        (network.as_str(), session.alias.as_str()) > (last.as_str(), alias.as_str())
                    });
                    if is_after && page.has_room() {
                        page.add(rows, network, &session.alias, status)?;
                    }
                }
            }
            Ok((reach, Found { page: page.end(), summary }))
        })
        .await?;
    reach.write_down(hub, caller, "status").await?;
    Ok(found)
}

/// A page of sessions while it is read.
struct SessionPage {
    bounds: PageBounds,
    bytes: usize,
    rows: Vec<SessionView>,
    is_full: bool,
}

impl SessionPage {
    fn new(bounds: PageBounds) -> Self {
        Self { bounds, bytes: 0, rows: Vec::new(), is_full: bounds.rows == 0 }
    }

    fn has_room(&self) -> bool {
        !self.is_full
    }

    /// Reads a session and adds it, unless the page is full.
    fn add(
        &mut self,
        rows: &dyn Snapshot,
        network: &NetworkId,
        alias: &Alias,
        status: String,
    ) -> Result<(), Error> {
        self.is_full = self.rows.len() >= self.bounds.rows;
        if self.is_full {
            return Ok(());
        }
        let Some(row) = rows.session(network, alias)? else { return Ok(()) };
        self.bytes += row.json_bytes();
        self.is_full = self.bytes > self.bounds.bytes && !self.rows.is_empty();
        if !self.is_full {
            self.rows.push(SessionView::new(row, status)?);
        }
        Ok(())
    }

    fn end(self) -> Page<SessionView, (NetworkId, Alias)> {
        let place = |last: &SessionView| (last.network_id.clone(), last.alias.clone());
        let next = self.rows.last().filter(|_| self.is_full).map(place);
        Page { rows: self.rows, next }
    }
}

/// How many sessions have each status.
#[derive(Debug, Default)]
struct Statuses(BTreeMap<String, usize>);

impl Statuses {
    fn count(&mut self, status: &str) {
        match self.0.get_mut(status) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(status.to_owned(), 1)),
        }
    }

    fn of(&self, status: &str) -> usize {
        self.0.get(status).copied().unwrap_or_default()
    }

    fn total(&self) -> usize {
        self.0.values().sum()
    }

    fn counts(self) -> Vec<SessionCount> {
        self.0.into_iter().map(|(status, count)| SessionCount { status, count }).collect()
    }
}

/// One session with what waits for it.
pub async fn one(hub: &Hub, caller: &Caller, args: OneArgs) -> Result<SessionForTool, Error> {
    let place = NetworkRef::of_write(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let permitted = place.permit_read(rows, &asker, Action::ReadNetwork)?;
        let network = permitted.network().clone();
        let alias = names::alias(&names::given_or_own(&asker, args.alias.clone())?)?;
        let glance = rows.session_glance(&network, &alias)?;
        if glance.is_none() && !rows.alias_exists(&network, &alias)? {
            return Err(baton_core::Refusal::AliasNotFound.into());
        }
        let status = glance.map(|glance| presence::shown_status(&stamp, stamp.time.now, &network, &glance));
        let session = match (rows.session(&network, &alias)?, status) {
            (Some(row), Some(status)) => Some(SessionView::new(row, status)?),
            _ => None,
        };
        let inbox_pending = rows.inbox_count(&network, &Principal::Node(alias.clone()))?;
        let reach = permitted.reach()?;
        let since = stamp.time.now.plus_millis(-1000 * i64::from(limits::COMPLETIONS_SINCE_DEFAULT_SECONDS));
        let filter = CompletionFilter {
            networks: vec![(network.clone(), reach)],
            session: Some(alias.as_str().to_owned()),
            since,
            before: None,
            page: PageBounds::of_tool(limits::RECENT_TASKS_COUNT).halved(),
        };
        let recent_completions = rows.completions(&filter)?.map(CompletionView::from).rows;
        Ok((
            permitted.is_audited().then_some(network),
            SessionForTool { ok: true, session, inbox_pending, recent_completions },
        ))
    });
    let (audited, answer) = read.await?;
    audit::network_read(hub, caller, audited, "session").await?;
    Ok(answer)
}
