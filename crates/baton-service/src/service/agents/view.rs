//! One agent as the list shows it. What all agents of a network share, its figures and what is worked on there, is read once,
//! for the first agent that needs it.

use baton_core::access::TaskReach;
use baton_core::{Alias, NetworkId, Parties, TaskId, UnixMillis, limits};
use baton_store::Snapshot;
use baton_store::rows::{AgentFigures, AgentRow, SessionRow, WorkedTask, WorkerSummaryRow, text_bytes};
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use utoipa::ToSchema;

use super::figures::{self, Day};
use crate::service::skills::{self, Skill};
use crate::service::stamp::Stamp;
use crate::service::statuses::SessionView;
use crate::service::task_view::ProgressView;
use crate::service::{Error, WireTime, capabilities, presence};

/// Bytes of an agent beside its texts.
const AGENT_BYTES: usize = 600; // not a limit: an estimate
/// Bytes of a worker, or of a task that is worked on, beside its texts.
const PART_BYTES: usize = 200; // not a limit: an estimate

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Agent)]
pub(super) struct AgentView {
    network_id: NetworkId,
    alias: Alias,
    /// offline, or what it last reported; of an agent that reports nothing: working if it holds a lease, else idle
    status: String,
    /// The tasks it works on that the caller may see, the newest first, at most 10
    works_on: Vec<WorksOn>,
    /// The leases it holds
    leases: i64,
    /// Open deliveries in its inbox
    queue: i64,
    day: Day,
    /// How far it is in percent, if that is known of a task it works on, or its session reports it
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<i64>,
    last_seen_at: Option<WireTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<Skill>,
    /// Its workers that were seen within the last 90 seconds, at most 20
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<Vec<WorkerView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionView>,
    #[serde(skip)]
    bytes: usize,
}

/// A task that an agent works on.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkedOn)]
struct WorksOn {
    task_id: TaskId,
    /// Its beginning
    content: String,
    attempt: u32,
    since: WireTime,
    /// The latest progress of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
}

/// A running worker.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Worker)]
struct WorkerView {
    worker_id: String,
    hostname: Option<String>,
    project_dir: Option<String>,
    version: Option<String>,
    concurrency: Option<i64>,
    started_at: WireTime,
    last_seen_at: WireTime,
}

impl AgentView {
    /// What it adds to an answer, in bytes of JSON.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl WorkerView {
    fn of(worker: WorkerSummaryRow) -> Self {
        Self {
            worker_id: worker.worker_id,
            hostname: worker.hostname,
            project_dir: worker.project_dir,
            version: worker.version,
            concurrency: worker.concurrency,
            started_at: worker.started_at.into(),
            last_seen_at: worker.last_seen_at.into(),
        }
    }

    fn bytes(&self) -> usize {
        let texts = [&self.hostname, &self.project_dir, &self.version].into_iter().flatten();
        PART_BYTES + texts.map(|text| text_bytes(text)).sum::<usize>()
    }
}

/// How much of an agent is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Whole,
    /// What a line of a list needs.
    Row,
}

/// A network whose agents are listed.
pub(super) struct Network<'a> {
    pub(super) rows: &'a dyn Snapshot,
    stamp: &'a Stamp,
    pub(super) id: &'a NetworkId,
    /// Whose tasks the caller sees.
    tasks: Option<&'a TaskReach>,
    detail: Detail,
    shared: OnceCell<Shared>,
}

/// What is read once for all agents of a network.
struct Shared {
    hours: Range<i64>,
    figures: HashMap<Alias, AgentFigures>,
    /// By assignee, those the caller sees.
    worked: HashMap<Alias, Vec<WorkedTask>>,
}

impl<'a> Network<'a> {
    pub(super) const fn new(
        rows: &'a dyn Snapshot,
        stamp: &'a Stamp,
        id: &'a NetworkId,
        tasks: Option<&'a TaskReach>,
        detail: Detail,
    ) -> Self {
        Self { rows, stamp, id, tasks, detail, shared: OnceCell::new() }
    }

    /// An agent, if it is there or was recently.
    pub(super) fn agent(&self, row: AgentRow) -> Result<Option<AgentView>, Error> {
        let shared = self.shared()?;
        let day = Day::new(&shared.hours, shared.figures.get(&row.alias));
        let session = if row.has_session { self.rows.session(self.id, &row.alias)? } else { None };
        let workers = self.workers(&row)?;
        let life = AgentActivity::of(self, &row, session.as_ref(), !workers.is_empty());
        if !(life.is_shown || day.has_ends()) {
            return Ok(None);
        }
        let works_on = self.works_on(shared, &row.alias)?;
        let bytes = works_on.iter().map(|task| PART_BYTES + text_bytes(&task.content)).sum::<usize>();
        let is_working = life.status == "working";
        let of_task = works_on.iter().find_map(|task| task.progress.as_ref()?.percent()).map(i64::from);
        let agent = AgentView {
            network_id: self.id.clone(),
            alias: row.alias,
            status: life.status,
            works_on,
            leases: row.leases,
            queue: row.queue,
            day,
            progress: of_task
                .or(session.as_ref().filter(|_| is_working).and_then(|session| session.progress)),
            last_seen_at: life.last_seen_at.map(WireTime),
            description: None,
            skills: Vec::new(),
            workers: None,
            session: None,
            bytes: AGENT_BYTES + bytes,
        };
        match self.detail {
            Detail::Row => Ok(Some(agent)),
            Detail::Whole => self.whole(agent, session, workers).map(Some),
        }
    }

    /// An agent with all that is known of it.
    fn whole(
        &self,
        agent: AgentView,
        session: Option<SessionRow>,
        workers: Vec<WorkerView>,
    ) -> Result<AgentView, Error> {
        let kept = self.rows.alias_profile(self.id, &agent.alias)?;
        let said = capabilities::skills_of(session.as_ref(), &kept);
        let skills = skills::of_row(said)?;
        let skills_bytes = said.map_or(0, str::len); // JSON already
        let description =
            session.as_ref().and_then(|session| session.description.clone()).or(kept.description);
        let bytes = agent.bytes
            + description.as_deref().map_or(0, text_bytes)
            + skills_bytes
            + session.as_ref().map_or(0, SessionRow::json_bytes)
            + workers.iter().map(WorkerView::bytes).sum::<usize>();
        let session = session.map(|session| SessionView::new(session, agent.status.clone())).transpose()?;
        Ok(AgentView { description, skills, workers: Some(workers), session, bytes, ..agent })
    }

    fn shared(&self) -> Result<&Shared, Error> {
        if let Some(shared) = self.shared.get() {
            return Ok(shared);
        }
        let hours = figures::hours(self.rows, self.stamp)?;
        let figures = self.rows.figures_of_agents(self.id, hours.clone())?;
        let mut worked: HashMap<Alias, Vec<WorkedTask>> = HashMap::new();
        if let Some(reach) = self.tasks {
            for task in self.rows.worked_tasks(self.id, limits::AGENT_TASKS_EXAMINED_COUNT)? {
                let is_seen = reach.shows(Parties { from: &task.from, to: &task.to });
                let of_agent = worked.entry(task.to.clone()).or_default();
                if is_seen && of_agent.len() < limits::AGENT_TASKS_SHOWN_COUNT {
                    of_agent.push(task);
                }
            }
        }
        Ok(self.shared.get_or_init(|| Shared { hours, figures, worked }))
    }

    /// The workers that are not silent.
    fn workers(&self, row: &AgentRow) -> Result<Vec<WorkerView>, Error> {
        if !row.has_worker {
            return Ok(Vec::new());
        }
        let is_live = |worker: &WorkerSummaryRow| {
            self.stamp.time.now < worker.last_seen_at.plus_seconds(limits::WORKER_SILENT_AFTER_SECONDS)
        };
        let workers = self.rows.workers(self.id, &row.alias, limits::AGENT_WORKERS_SHOWN_COUNT)?;
        Ok(workers.into_iter().filter(is_live).map(WorkerView::of).collect())
    }

    fn works_on(&self, shared: &Shared, alias: &Alias) -> Result<Vec<WorksOn>, Error> {
        let tasks = shared.worked.get(alias).map_or(&[][..], Vec::as_slice);
        let view = |task: &WorkedTask| -> Result<WorksOn, Error> {
            Ok(WorksOn {
                task_id: task.task_id.clone(),
                content: self.rows.title(&task.task_id)?.unwrap_or_default(),
                attempt: task.attempt,
                since: task.since.into(),
                progress: task.progress.clone().map(ProgressView::from),
            })
        };
        tasks.iter().map(view).collect()
    }
}

/// Whether an agent is there, and as what.
struct AgentActivity {
    status: String,
    last_seen_at: Option<UnixMillis>,
    is_shown: bool,
}

impl AgentActivity {
    fn of(network: &Network<'_>, row: &AgentRow, session: Option<&SessionRow>, has_worker: bool) -> Self {
        let now = network.stamp.time.now;
        let stored = row.last_used_at.max(session.map(|session| session.last_seen_at));
        let signs = network.stamp.presences.of(network.id, &row.alias, row.leases > 0, stored);
        let last_seen_at = if signs.is_connected { Some(now) } else { signs.last_call_at };
        let is_recent = |at: UnixMillis| now < at.plus_seconds(limits::AGENT_SHOWN_SECONDS);
        let is_shown = signs.is_connected
            || signs.holds_lease
            || session.is_some()
            || row.has_worker
            || last_seen_at.is_some_and(is_recent);
        let status = if signs.is_offline(now) {
            presence::OFFLINE.to_owned()
        } else {
            reported(session, has_worker, now)
                .unwrap_or(if row.leases > 0 { "working" } else { "idle" })
                .to_owned()
        };
        Self { status, last_seen_at, is_shown }
    }
}

/// What an agent reports of itself, if that counts: being idle is for the hub to see, and a session that fell silent says
/// nothing of the workers that are there.
fn reported(session: Option<&SessionRow>, has_worker: bool, now: UnixMillis) -> Option<&str> {
    let session = session.filter(|session| session.status != "idle")?;
    let is_silent = now >= session.last_seen_at.plus_seconds(limits::OFFLINE_AFTER_SECONDS);
    (!(has_worker && is_silent)).then_some(session.status.as_str())
}
