//! Who is there: all sessions, or one with its inbox and its latest completions.

use baton_core::{Action, Alias, Caller, NetworkId, Principal, access, limits};
use baton_store::Snapshot;
use baton_store::rows::SessionRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::get_completions::CompletionView;
use super::place::{Place, Reach, known_role};
use super::skills::{self, Skill};
use super::stamp::Stamp;
use super::wire_time::WireTime;
use super::{Error, audit, names, presence};
use crate::hub::Hub;

/// Which sessions.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AllArgs {
    pub(crate) network_id: Option<String>,
    pub(crate) filter_server: Option<String>,
    pub(crate) filter_status: Option<String>,
}

impl AllArgs {
    /// All sessions of a network, or of all of the caller's.
    pub(crate) fn of(network_id: Option<String>) -> Self {
        Self { network_id, ..Self::default() }
    }
}

/// All sessions, as the tool answers.
#[derive(Debug, Serialize)]
pub(crate) struct AllAnswer {
    ok: bool,
    sessions: Vec<SessionView>,
    summary: Vec<Counted>,
}

/// How many sessions have a status.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SessionCount)]
pub(crate) struct Counted {
    pub(crate) status: String,
    pub(crate) count: usize,
}

/// All sessions, as `GET /api/status` answers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sessions)]
pub(crate) struct RestAnswer {
    ok: bool,
    sessions: Vec<SessionView>,
    summary: Summary,
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
pub(crate) struct OneArgs {
    #[schemars(length(min = 1, max = 200))]
    alias: String,
    network_id: Option<String>,
}

/// One session.
#[derive(Debug, Serialize)]
pub(crate) struct OneAnswer {
    ok: bool,
    session: Option<SessionView>,
    inbox_pending: i64,
    recent_completions: Vec<CompletionView>,
}

/// A session row, in the contract's order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    resume_id: String,
    alias: Alias,
    server: Option<String>,
    hostname: Option<String>,
    agent: Option<String>,
    project_dir: Option<String>,
    version: Option<String>,
    pub(crate) status: String,
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
    fn new(rows: &dyn Snapshot, stamp: &Stamp, row: SessionRow) -> Result<Self, Error> {
        let status = presence::shown_status(rows, stamp, &row)?;
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

/// All sessions, for the tool.
pub(crate) async fn all(hub: &Hub, caller: &Caller, args: AllArgs) -> Result<AllAnswer, Error> {
    let sessions = sessions(hub, caller, args).await?;
    let summary = by_status(&sessions);
    Ok(AllAnswer { ok: true, sessions, summary })
}

/// All sessions, for `GET /api/status`.
pub(crate) async fn all_for_rest(hub: &Hub, caller: &Caller, args: AllArgs) -> Result<RestAnswer, Error> {
    let sessions = sessions(hub, caller, args).await?;
    let of = |status: &str| sessions.iter().filter(|session| session.status == status).count();
    let summary = Summary {
        idle: of("idle"),
        working: of("working"),
        offline: of(presence::OFFLINE),
        total: sessions.len(),
    };
    Ok(RestAnswer { ok: true, sessions, summary })
}

/// How many sessions have each status.
pub(crate) fn by_status(sessions: &[SessionView]) -> Vec<Counted> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for session in sessions {
        *counts.entry(&session.status).or_default() += 1;
    }
    counts.into_iter().map(|(status, count)| Counted { status: status.to_owned(), count }).collect()
}

/// Every session of a network, read page by page.
pub(crate) fn every_session(rows: &dyn Snapshot, network: &NetworkId) -> Result<Vec<SessionRow>, Error> {
    let mut all: Vec<SessionRow> = Vec::new();
    loop {
        let after = all.last().map(|last| last.alias.clone());
        let page = rows.sessions(network, after.as_ref(), limits::OTHER_PAGE_MAX)?;
        let is_last = page.len() < limits::OTHER_PAGE_MAX;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

/// The sessions a caller may see.
pub(crate) async fn sessions(hub: &Hub, caller: &Caller, args: AllArgs) -> Result<Vec<SessionView>, Error> {
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let (reach, sessions) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = Reach::of_status(rows, &asker, args.network_id.as_deref())?;
            let mut views = Vec::new();
            for (network, _) in &reach.networks {
                for row in every_session(rows, network)? {
                    let view = SessionView::new(rows, &stamp, row)?;
                    let fits =
                        args.filter_server.as_ref().is_none_or(|server| view.server.as_ref() == Some(server))
                            && args.filter_status.as_ref().is_none_or(|status| view.status == *status);
                    if fits {
                        views.push(view);
                    }
                }
            }
            Ok((reach, views))
        })
        .await?;
    reach.write_down(hub, caller, "status").await?;
    Ok(sessions)
}

/// One session with what waits for it.
pub(crate) async fn one(hub: &Hub, caller: &Caller, args: OneArgs) -> Result<OneAnswer, Error> {
    let place = Place::of_write(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let network = place.network(rows, &asker, None)?;
        let role = known_role(rows, &asker, &network)?;
        access::authorize(&asker, &network, role, Action::ReadNetwork)?;
        let alias = names::alias(&args.alias)?;
        let session = rows.session(&network, &alias)?;
        if session.is_none() && !rows.alias_exists(&network, &alias)? {
            return Err(baton_core::Refusal::AliasNotFound.into());
        }
        let session = session.map(|row| SessionView::new(rows, &stamp, row)).transpose()?;
        let inbox_pending = rows.inbox_count(&network, &Principal::Node(alias.clone()))?;
        let reach = access::task_reach(&asker, &network, role)?;
        let since = stamp.now.plus_millis(-1000 * i64::from(limits::COMPLETIONS_SINCE_DEFAULT_SECONDS));
        let networks = [(network.clone(), reach)];
        let recent = rows.completions(&networks, Some(alias.as_str()), since, limits::RECENT_TASKS_COUNT)?;
        let recent_completions = recent.into_iter().map(CompletionView::from).collect();
        Ok((network, role, OneAnswer { ok: true, session, inbox_pending, recent_completions }))
    });
    let (network, role, answer) = read.await?;
    audit::foreign_read(hub, caller, role, &network, "session").await?;
    Ok(answer)
}
