//! An agent reports what it is doing: its session, and the alias its token speaks as.

use baton_core::{
    Action, Alias, AliasFacts, Caller, Command, NetworkId, NodeCaller, Quota, Refusal, TaskId, UnixMillis,
    bind_alias, limits,
};
use baton_store::Transaction;
use baton_store::rows::SessionRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::quotas;
use super::extend_lease::{check_progress, extend, kept_output};
use super::labels::at_most;
use super::network_ref::NetworkRef;
use super::skills::{self, Skill};
use super::stamp::Stamp;
use super::{Error, capabilities, names, operation, send_reply};
use crate::hub::Hub;

/// What the agent reports; what it leaves out stays as it was.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Names your session; by default as it is called already, or as you are
    #[schemars(length(min = 1, max = limits::RESUME_ID_MAX_CHARS))]
    resume_id: Option<String>,
    /// Your own alias; the token's by default
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: Option<String>,
    /// What you are doing
    status: StatusName,
    /// What you work on: a task id, or the task's text
    task: Option<String>,
    /// 4000 characters are kept
    output: Option<String>,
    /// How well it goes, as you judge it
    #[schemars(range(min = 0, max = limits::SCORE_MAX))]
    score: Option<f64>,
    /// Percent
    #[schemars(range(min = 0, max = limits::PROGRESS_MAX_PERCENT))]
    progress: Option<i64>,
    /// A label of your machine, for filters
    server: Option<String>,
    /// Your machine's name
    hostname: Option<String>,
    /// The program you are
    agent: Option<String>,
    /// The folder you work in
    project_dir: Option<String>,
    /// The program's version
    version: Option<String>,
    /// Your own id of this node
    node_id: Option<String>,
    /// Your own id of this session
    session_id: Option<String>,
    /// The model you are
    model: Option<String>,
    /// What you are, in a sentence
    description: Option<String>,
    /// What you can do
    #[schemars(length(max = limits::SKILLS_MAX_COUNT))]
    skills: Option<Vec<Skill>>,
    /// The network; a node token has only its own
    network_id: Option<String>,
    /// Extends the lease too
    lease_id: Option<String>,
}

/// What an agent can be doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusName {
    Working,
    Idle,
    Blocked,
    Error,
    WaitingInput,
    Offline,
}

impl StatusName {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Blocked => "blocked",
            Self::Error => "error",
            Self::WaitingInput => "waiting_input",
            Self::Offline => "offline",
        }
    }
}

/// What the agent receives back.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusReported {
    ok: bool,
    resume_id: String,
    alias: Alias,
    inbox_count: i64,
}

/// Reports.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<StatusReported, Error> {
    let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
    args.check()?;
    let alias = match &args.alias {
        Some(alias) => names::alias(alias)?,
        None => node
            .alias
            .clone()
            .ok_or_else(|| Error::argument("alias", "is required: the token has none yet"))?,
    };
    let place = NetworkRef::of_write(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let (node, caller) = (node.clone(), caller.clone());
    let passing = passing_frame(&alias, args.status.as_str(), args.progress);
    let network = node.network_id.clone();
    let answer = hub
        .store_for(&caller)
        .write(move |tx| report(tx, &stamp, &caller, &node, &place, &alias, &args))
        .await?;
    hub.send_transient(&network, passing);
    Ok(answer)
}

/// The transient frame for network streams, without a number.
pub fn passing_frame(alias: &Alias, status: &str, progress: Option<i64>) -> String {
    serde_json::json!({
        "type": "status_update", "alias": alias.as_str(), "status": status, "progress": progress,
    })
    .to_string()
}

impl Args {
    fn check(&self) -> Result<(), Error> {
        let labels = [
            ("server", &self.server),
            ("hostname", &self.hostname),
            ("agent", &self.agent),
            ("project_dir", &self.project_dir),
            ("version", &self.version),
            ("node_id", &self.node_id),
            ("session_id", &self.session_id),
            ("model", &self.model),
            ("description", &self.description),
        ];
        for (field, label) in labels {
            at_most(field, label.as_deref().unwrap_or_default(), limits::LABEL_MAX_CHARS)?;
        }
        at_most("resume_id", self.resume_id.as_deref().unwrap_or_default(), limits::RESUME_ID_MAX_CHARS)?;
        if self.resume_id.as_ref().is_some_and(String::is_empty) {
            return Err(Error::argument("resume_id", "must not be empty"));
        }
        at_most("task", self.task.as_deref().unwrap_or_default(), limits::SESSION_TASK_MAX_CHARS)?;
        skills::check(self.skills.as_deref().unwrap_or_default())?;
        self.progress.map(check_progress).transpose()?;
        check_score(self.score)
    }
}

/// A score within its bounds.
pub fn check_score(score: Option<f64>) -> Result<(), Error> {
    match score {
        Some(score) if !(0.0..=f64::from(limits::SCORE_MAX)).contains(&score) => {
            Err(Error::argument("score", format!("must be 0 to {}", limits::SCORE_MAX)))
        }
        _ => Ok(()),
    }
}

fn report(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    node: &NodeCaller,
    place: &NetworkRef,
    alias: &Alias,
    args: &Args,
) -> Result<StatusReported, Error> {
    let network = place.permit(tx.as_snapshot(), caller, Action::ReportStatus)?.into_network();
    let before = tx.session(&network, alias)?;
    if before.is_none() {
        quotas::admit_to_network(tx.as_snapshot(), &network, Quota::Sessions)?;
    }
    bind(tx, stamp, node, &network, alias, before.as_ref())?;
    let started = args.task.as_deref().filter(|_| args.status == StatusName::Working);
    let session = session(tx.time().now, node, &network, alias, before.as_ref(), args)?;
    tx.put_session(&session)?;
    if stamp.records_evidence {
        let profile = tx.alias_profile(&network, alias)?;
        let is_first = before.is_none() && profile.skills.is_none();
        let said = (!is_first).then(|| capabilities::skills_of(before.as_ref(), &profile));
        capabilities::write_down(
            tx,
            &network,
            alias,
            said,
            capabilities::skills_of(Some(&session), &profile),
        )?;
    }
    // From here on the token speaks as this alias, whatever it spoke as before.
    let caller = Caller::Node(NodeCaller { alias: Some(alias.clone()), ..node.clone() });
    if let Some(task) = started {
        start(tx, stamp, &caller, &network, alias, task)?;
    }
    if let Some(lease_id) = send_reply::lease(args.lease_id.as_deref())? {
        extend(tx, stamp, &caller, &lease_id, None)?; // a lost one is an error
    }
    let inbox_count = tx.inbox_count(&network, &caller.principal()?)?;
    Ok(StatusReported { ok: true, resume_id: session.resume_id, alias: alias.clone(), inbox_count })
}

/// Settles which alias the token speaks as.
fn bind(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    node: &NodeCaller,
    network: &NetworkId,
    alias: &Alias,
    session: Option<&SessionRow>,
) -> Result<(), Error> {
    // The row, not what was remembered of it: another first report may have come between.
    let token = tx.token(&node.token_id)?.ok_or(Refusal::Unauthorized)?;
    let facts = match token.alias.as_ref() == Some(alias) {
        true => AliasFacts {
            is_live_elsewhere: is_live_elsewhere(tx, stamp, node, network, alias, session)?,
            ..AliasFacts::default()
        },
        false => names::alias_facts(tx.as_snapshot(), network, alias, &node.user_id)?,
    };
    bind_alias(token.alias.as_ref(), token.has_reported, alias, facts)?;
    if token.alias.as_ref() != Some(alias) {
        names::check_form("alias", alias, facts)?;
    }
    if !token.has_reported {
        tx.bind_token(&node.token_id, &node.user_id, network, alias)?;
        tx.touch_access();
    }
    Ok(())
}

/// Whether the session is another token's that still works and is not offline.
fn is_live_elsewhere(
    tx: &dyn Transaction,
    stamp: &Stamp,
    node: &NodeCaller,
    network: &NetworkId,
    alias: &Alias,
    session: Option<&SessionRow>,
) -> Result<bool, Error> {
    let Some(other) = session.filter(|session| session.token_id != node.token_id) else { return Ok(false) };
    let presence = stamp.presences.of_token(network, alias, &other.token_id, Some(other.last_seen_at));
    // A revoked token does not hold a session, however recently it was used.
    Ok(!presence.is_offline(tx.time().now) && tx.token(&other.token_id)?.is_some())
}

fn session(
    now: UnixMillis,
    node: &NodeCaller,
    network: &NetworkId,
    alias: &Alias,
    before: Option<&SessionRow>,
    args: &Args,
) -> Result<SessionRow, Error> {
    let kept = |new: Option<&str>, old: fn(&SessionRow) -> &Option<String>| {
        new.map(str::to_owned).or_else(|| before.and_then(|before| old(before).clone()))
    };
    let skills = args.skills.as_deref().map(skills::to_row).transpose()?;
    let output = args.output.as_deref().map(kept_output);
    Ok(SessionRow {
        network_id: network.clone(),
        alias: alias.clone(),
        token_id: node.token_id.clone(),
        resume_id: args
            .resume_id
            .clone()
            .or_else(|| before.map(|before| before.resume_id.clone()))
            .unwrap_or_else(|| alias.to_string()),
        status: args.status.as_str().into(),
        server: kept(args.server.as_deref(), |before| &before.server),
        hostname: kept(args.hostname.as_deref(), |before| &before.hostname),
        agent: kept(args.agent.as_deref(), |before| &before.agent),
        project_dir: kept(args.project_dir.as_deref(), |before| &before.project_dir),
        version: kept(args.version.as_deref(), |before| &before.version),
        task: kept(args.task.as_deref(), |before| &before.task),
        output: kept(output.as_deref(), |before| &before.output),
        progress: args.progress.or(before.and_then(|before| before.progress)),
        score: args.score.or(before.and_then(|before| before.score)),
        node_id: kept(args.node_id.as_deref(), |before| &before.node_id),
        session_id: kept(args.session_id.as_deref(), |before| &before.session_id),
        model: kept(args.model.as_deref(), |before| &before.model),
        description: kept(args.description.as_deref(), |before| &before.description),
        skills: kept(skills.as_deref(), |before| &before.skills),
        registered_at: before.map_or(now, |before| before.registered_at),
        updated_at: now,
        last_seen_at: now,
    })
}

/// Working on a task moves it to running. A report is about the agent: a task that cannot be started, because
/// it runs already, has ended or is somebody else's, does not make it a wrong one.
fn start(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    network: &NetworkId,
    alias: &Alias,
    task: &str,
) -> Result<(), Error> {
    let Some(task_id) = meant(tx, network, alias, task)? else { return Ok(()) };
    let place = NetworkRef::Named(Some(network.clone()), baton_core::DefaultNetwork::IsDenied);
    match operation::act(tx, stamp, caller, &place, Some(&task_id), &Command::Start) {
        Ok(_) | Err(Error::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The task an agent means: by its id, or by the exact text of one open task.
pub fn meant(
    tx: &dyn Transaction,
    network: &NetworkId,
    alias: &Alias,
    task: &str,
) -> Result<Option<TaskId>, Error> {
    if let Some(id) = TaskId::parse(task) {
        return Ok(Some(id));
    }
    let found = tx.open_tasks_with_content(network, alias, task)?;
    Ok(if let [only] = &*found { Some(only.clone()) } else { None })
}
