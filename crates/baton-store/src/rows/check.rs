//! Everything, once, for a check of the whole database: rows as they stand, with what they must agree with beside
//! them. Nothing is parsed here, so that a row nobody of ours wrote is shown and not refused. Each walk hands over
//! one row at a time, in the order of an integer key; nothing is collected.

use baton_core::{ArtifactHash, MediaType};

use super::Snapshot;
use crate::error::Error;

/// A task and what its history, leases and inboxes say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// The task.
    pub task_id: String,
    /// Its network.
    pub network_id: String,
    /// Whether there is such a network.
    pub has_network: bool,
    /// Where it stands.
    pub status: String,
    /// Whether it has a time of its end.
    pub has_completed_at: bool,
    /// Whether somebody holds a lease on it.
    pub has_lease: bool,
    /// Whether a delivery of it is open or hidden.
    pub has_open_delivery: bool,
    /// How many events it has.
    pub events: i64,
    /// The smallest of their numbers.
    pub first_event: Option<i64>,
    /// The greatest.
    pub last_event: Option<i64>,
    /// The status the last one reached.
    pub last_status: Option<String>,
}

/// A row of history, and what it must lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventState {
    /// The task.
    pub task_id: String,
    /// The event's network.
    pub network_id: String,
    /// The task's network; none if there is no such task.
    pub task_network_id: Option<String>,
    /// Its number within the task.
    pub n: i64,
    /// The status it left.
    pub from_status: Option<String>,
    /// The status the event before it reached.
    pub status_before: Option<String>,
    /// Where it stands in the network's log.
    pub log_index: Option<i64>,
    /// Whether the log has an event there, in its tail or among the entries it counts in bundles.
    pub has_leaf: bool,
}

/// A row of history with its task: what the log's event of it must say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// The event's network.
    pub network_id: String,
    /// The status it left.
    pub from_status: Option<String>,
    /// The status it reached.
    pub to_status: String,
    /// Who did it.
    pub actor: String,
    /// With which token.
    pub actor_token: Option<String>,
    /// When, in milliseconds since 1970.
    pub created_at: i64,
    /// Where it says it stands in the log.
    pub log_index: Option<i64>,
    /// The task's kind.
    pub kind: String,
    /// The task's sender.
    pub from_name: String,
    /// What digests of the task's texts are salted with.
    pub salt: Vec<u8>,
    /// The task's text, with its first event.
    pub content: Option<String>,
    /// What came of the task, with the event that ended it.
    pub result: Option<String>,
    /// The task's place, by which `recorded_parts` finds what came with it.
    pub task: i64,
    /// Whether anything came with the task's events.
    pub has_parts: bool,
}

/// A part or an artifact, as far as its digest goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPart {
    /// The SHA-256 of its bytes.
    pub hash: ArtifactHash,
    /// How many bytes it has.
    pub size: u64,
    /// What sort of bytes it has.
    pub media_type: MediaType,
}

/// What a walk along a log meets, in order.
#[derive(Clone, Debug)]
pub enum LogPart<'a> {
    /// An entry.
    Leaf(LeafState<'a>),
    /// Something wrong with the entry bundles.
    Damage(BundleDamage),
}

/// What is wrong with an entry bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleDamage {
    /// The entry it concerns, or the first of them.
    pub index: u64,
    /// The walk continues after this many entries: those it cannot show.
    pub skipped: u64,
    /// What is wrong.
    pub what: String,
}

/// An entry of a log, as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct LeafState<'a> {
    /// Its index.
    pub index: u64,
    /// The task named beside it.
    pub about: Option<&'a str>,
    /// The event.
    pub event: &'a [u8],
    /// The packet.
    pub packet: &'a [u8],
}

/// A counter that does not say what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCount {
    /// The network, or the account.
    pub network_id: String,
    /// Whose inbox, which status, which quota or which edge.
    pub of: String,
    /// What the counter says.
    pub counter: i64,
    /// How many there are.
    pub counted: i64,
}

/// Rows that belong to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Of which table.
    pub table: &'static str,
    /// The task or log they name.
    pub of: String,
}

/// An artifact and the object that is to hold its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactState {
    /// Its place in the order of artifacts.
    pub seq: i64,
    /// Its network.
    pub network_id: String,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// How many bytes it has.
    pub size: u64,
    /// The object.
    pub object: String,
}

/// What is done with each row of a walk.
pub type See<'a, T> = &'a mut dyn FnMut(T) -> Result<(), Error>;

/// Reads of everything. Only for checks: every walk takes as long as its table.
pub trait CheckReads: Snapshot {
    /// Names the tables, indexes and triggers that are not as the migrations create them.
    fn schema_differences(&self) -> Result<Vec<String>, Error>;
    /// How many networks there are.
    fn network_count(&self) -> Result<u64, Error>;
    /// Every task.
    fn each_task(&self, see: See<'_, TaskState>) -> Result<(), Error>;
    /// Every row of history.
    fn each_event(&self, see: See<'_, EventState>) -> Result<(), Error>;
    /// Counters of tasks that are wrong.
    fn each_wrong_task_count(&self, see: See<'_, WrongCount>) -> Result<(), Error>;
    /// Counters of inboxes that are wrong.
    fn each_wrong_inbox_count(&self, see: See<'_, WrongCount>) -> Result<(), Error>;
    /// Counters of quotas that are wrong; each with the account or network whose they are.
    fn each_wrong_quota_count(&self, see: See<'_, WrongCount>) -> Result<(), Error>;
    /// Counters of references to artifacts that are wrong: those in the rows of tasks and of artifacts.
    fn each_wrong_artifact_count(&self, see: See<'_, WrongCount>) -> Result<(), Error>;
    /// So many artifacts after a place, in their order.
    fn artifact_states(&self, after: i64, limit: usize) -> Result<Vec<ArtifactState>, Error>;
    /// Counters of edges that are wrong, of the hours that are counted.
    fn each_wrong_edge_count(&self, see: See<'_, WrongCount>) -> Result<(), Error>;
    /// Leases, tiles, checkpoints and events of tasks and logs that are not there.
    fn each_stray(&self, see: See<'_, Stray>) -> Result<(), Error>;
    /// Every event of a log, from its entry bundles and its tail.
    fn each_leaf(&self, log: i64, see: &mut dyn FnMut(LogPart<'_>) -> Result<(), Error>)
    -> Result<(), Error>;
    /// How many tiles a log has.
    fn tile_count(&self, log: i64) -> Result<u64, Error>;
    /// Whether there is such a task.
    fn has_task(&self, task_id: &str) -> Result<bool, Error>;
    /// One row of a task's history.
    fn recorded_event(&self, task_id: &str, n: i64) -> Result<Option<RecordedEvent>, Error>;
    /// The parts and artifacts that came with the events of a task, by its place: each with the event's number, in order.
    fn recorded_parts(&self, task: i64) -> Result<Vec<(i64, RecordedPart)>, Error>;
    /// Whether a network ever had this alias.
    fn knows_alias(&self, network_id: &str, alias: &str) -> Result<bool, Error>;
}
