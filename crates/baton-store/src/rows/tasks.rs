//! Tasks, their history, the leases on them, and the keys that make a repeated send harmless.

use baton_core::access::TaskReach;
use baton_core::{
    ActorToken, Alias, ContextId, DueChange, Kind, LeaseId, MessageId, MessageKind, MonotonicMillis,
    NetworkId, Principal, Priority, Status, TaskId, TaskSnapshot, TraceParent, UnixMillis,
};

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes, texts_bytes};

/// A task as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRow {
    /// Its place in the order of tasks.
    pub seq: i64,
    /// What the rules see of it.
    pub snapshot: TaskSnapshot,
    /// How urgent it is.
    pub priority: Priority,
    /// What is to be done.
    pub content: String,
    /// What was sent along.
    pub context: Option<String>,
    /// The sender's own notes, a JSON text.
    pub meta: Option<String>,
    /// What came of it.
    pub result: Option<String>,
    /// The task it was made of.
    pub retry_of: Option<TaskId>,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When it was last delivered.
    pub delivered_at: UnixMillis,
    /// When work last began.
    pub started_at: Option<UnixMillis>,
    /// When it ended.
    pub completed_at: Option<UnixMillis>,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<String>,
    /// Whether it was answered with a message of its own instead of a result.
    pub answered_bare: bool,
    /// Whether its agent declined it.
    pub is_rejected: bool,
    /// The latest progress of its run.
    pub progress: Option<ProgressRow>,
    /// What the evidence's digests of its texts are salted with; empty for a task that ended before there was a log.
    pub salt: Vec<u8>,
    /// The trace it was sent in.
    pub traceparent: Option<TraceParent>,
    /// How many references to artifacts it has; 0 where only the beginning of its texts was asked for.
    pub artifacts: i64,
}

/// What was last reported of a task's progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressRow {
    /// Its number within the run, from 1.
    pub n: i64,
    /// The number of the task's last event when it was reported.
    pub event: i64,
    /// How much is done.
    pub percent: Option<u8>,
    /// What is being done.
    pub message: Option<String>,
    /// When it was reported.
    pub at: UnixMillis,
}

/// How far a task has come: what there is to say of it without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseRow {
    /// Its status.
    pub status: Status,
    /// What was last reported of its progress.
    pub progress: Option<ProgressRow>,
}

/// What a task's command printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputRow {
    /// How many bytes in all.
    pub written: i64,
    /// The last of them.
    pub tail: String,
}

/// A task to be inserted: what the rules made of it, and the payload no rule reads.
#[derive(Clone, Copy, Debug)]
pub struct NewTaskRow<'a> {
    /// What the rules made of it.
    pub task: &'a baton_core::NewTask,
    /// Its status, `delivered`.
    pub status: Status,
    /// How urgent it is.
    pub priority: Priority,
    /// What is to be done.
    pub content: &'a str,
    /// What is sent along.
    pub context: Option<&'a str>,
    /// The sender's own notes, a JSON text.
    pub meta: Option<&'a str>,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<&'a str>,
    /// What the evidence's digests of its texts are salted with.
    pub salt: &'a [u8],
    /// The trace it is sent in.
    pub traceparent: Option<TraceParent>,
}

/// What a transition changes in a task's row; `None` leaves a column as it is.
#[derive(Clone, Debug, Default)]
pub struct TaskChange {
    /// The new assignee.
    pub to: Option<Alias>,
    /// Which delivery it is.
    pub attempt: Option<u32>,
    /// When it was delivered again and when that time is over.
    pub delivered: Option<(UnixMillis, UnixMillis)>,
    /// When its time is over, if it restarts without a delivery.
    pub expires_at: Option<UnixMillis>,
    /// When work began.
    pub started_at: Option<UnixMillis>,
    /// What came of it.
    pub result: Option<String>,
    /// When it ended.
    pub completed_at: Option<UnixMillis>,
    /// Whether it was answered with a message of its own instead of a result.
    pub answered_bare: bool,
    /// Whether its agent declined it.
    pub is_rejected: bool,
    /// Where its delivery stands from now on.
    pub inbox: Option<InboxState>,
    /// A new delivery, which is open; the one before it is acked.
    pub redelivery: Option<Redelivery>,
    /// What becomes of a worker's hold on it.
    pub lease: Option<LeaseChange>,
    /// What becomes of what was reported of its progress.
    pub progress: Option<ProgressChange>,
    /// When the hub is to act on it by itself.
    pub due: Option<DueChange>,
}

/// What becomes of a task's progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressChange {
    /// There is news; what it leaves out stays.
    Report {
        /// How much is done.
        percent: Option<u8>,
        /// What is being done.
        message: Option<String>,
        /// When.
        at: UnixMillis,
    },
    /// A new run begins, of which nothing is known.
    Clear,
}

/// Where a task's delivery stands in its assignee's inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxState {
    /// It is shown.
    Open,
    /// A claim hides it.
    Hidden,
    /// It has left the inbox.
    Acked,
}

/// A task delivered again: to another agent, or after an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redelivery {
    /// The new delivery.
    pub message_id: MessageId,
    /// When.
    pub at: UnixMillis,
}

/// What becomes of a worker's hold on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseChange {
    /// A worker holds it.
    Grant {
        /// The lease.
        lease_id: LeaseId,
        /// How long it is given for.
        lease_seconds: u32,
        /// When it lapses.
        deadline: MonotonicMillis,
        /// The same on the wall clock, for the worker to read.
        expires_at: UnixMillis,
    },
    /// The worker holds it for longer.
    Extend {
        /// When it lapses.
        deadline: MonotonicMillis,
        /// The same on the wall clock.
        expires_at: UnixMillis,
    },
    /// The worker holds it no more.
    End,
}

/// A message on a task between its text and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskMessageRow {
    /// Its number within the task, from 1.
    pub n: i64,
    /// The message.
    pub message_id: MessageId,
    /// Its author.
    pub author: Principal,
    /// What it is to the conversation.
    pub kind: MessageKind,
    /// Its text.
    pub content: String,
    /// The answers that a question takes, a JSON array; none if it takes any.
    pub options: Option<String>,
    /// How long a question waits for its answer.
    pub input_ttl_seconds: Option<u32>,
    /// Whether a question asks its sender to authenticate.
    pub auth_required: bool,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<String>,
    /// What came with it beside, a JSON object.
    pub meta: Option<String>,
    /// When.
    pub created_at: UnixMillis,
}

/// A new message on a task.
#[derive(Clone, Copy, Debug)]
pub struct NewTaskMessage<'a> {
    /// The task's network.
    pub network_id: &'a NetworkId,
    /// The task.
    pub task_id: &'a TaskId,
    /// The message.
    pub message_id: &'a MessageId,
    /// Who says it.
    pub author: &'a Principal,
    /// What it is to the conversation.
    pub kind: MessageKind,
    /// Its text.
    pub content: &'a str,
    /// The answers that a question takes, a JSON array; none if it takes any.
    pub options: Option<&'a str>,
    /// How long a question waits for its answer.
    pub input_ttl_seconds: Option<u32>,
    /// Whether a question asks its sender to authenticate.
    pub auth_required: bool,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<&'a str>,
    /// What came with it beside, a JSON object.
    pub meta: Option<&'a str>,
    /// When.
    pub at: UnixMillis,
}

impl NewTaskMessage<'_> {
    /// What it adds to the bytes of all messages on its task.
    pub fn bytes(&self) -> usize {
        self.content.len()
            + [self.options, self.parts, self.meta].into_iter().flatten().map(str::len).sum::<usize>()
    }
}

/// One row of a task's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Its place in the order of events of all networks; never shown to callers.
    pub id: i64,
    /// Its number within the network: it grows from event to event, with gaps.
    pub number: i64,
    /// Its number within the task, from 1 without gaps.
    pub n: i64,
    /// The task.
    pub task_id: TaskId,
    /// Its network.
    pub network_id: NetworkId,
    /// The status it left; none when it was made.
    pub from_status: Option<Status>,
    /// The status it reached.
    pub to_status: Status,
    /// Who did it.
    pub actor: Principal,
    /// With which token; none if the hub did it, or it happened before tokens were recorded.
    pub actor_token: Option<ActorToken>,
    /// In words.
    pub detail: String,
    /// When.
    pub created_at: UnixMillis,
    /// Where it stands in the network's log; none for what happened before there was one.
    pub log_index: Option<u64>,
}

/// A row of history to be appended.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// The task's network.
    pub network_id: &'a NetworkId,
    /// The task.
    pub task_id: &'a TaskId,
    /// The status it left.
    pub from: Option<Status>,
    /// The status it reached.
    pub to: Status,
    /// Who did it.
    pub actor: &'a Principal,
    /// With which token.
    pub actor_token: Option<&'a ActorToken>,
    /// In words.
    pub detail: &'a str,
    /// When.
    pub at: UnixMillis,
    /// Where its evidence stands in the network's log, if it is recorded.
    pub log_index: Option<u64>,
}

/// A worker's hold on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRow {
    /// The lease.
    pub lease_id: LeaseId,
    /// The task.
    pub task_id: TaskId,
    /// Its network.
    pub network_id: NetworkId,
    /// Who holds it.
    pub alias: Alias,
    /// How long it was given for.
    pub lease_seconds: u32,
    /// When it lapses.
    pub deadline: MonotonicMillis,
    /// The same on the wall clock, for the worker to read.
    pub expires_at: UnixMillis,
}

/// A lease whose deadline has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueLease {
    /// The lease.
    pub lease_id: LeaseId,
    /// The task.
    pub task_id: TaskId,
}

/// What an idempotency key was used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotentSend {
    /// SHA-256 of what was asked.
    pub arguments: Vec<u8>,
    /// The task it made.
    pub task_id: TaskId,
    /// The assignee's status in the first response.
    pub session_status: String,
    /// When.
    pub created_at: UnixMillis,
}

/// How much of a task's texts is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskTexts {
    /// All of them.
    #[default]
    Whole,
    /// What a list shows of them, and one character more where there is more.
    Listed,
    /// The beginning of what is to be done. Context, meta, result, parts and how it was answered are not looked at: the
    /// row has none of them.
    Beginning,
}

/// Which tasks a list shows, newest first.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// In these networks, each as far as the caller reaches.
    pub networks: Vec<(NetworkId, Reach)>,
    /// Of this status.
    pub status: Option<Status>,
    /// To this alias.
    pub to_name: Option<String>,
    /// From this name.
    pub from_name: Option<String>,
    /// Of this conversation.
    pub context: Option<ContextId>,
    /// Older than this place in the order.
    pub before: Option<i64>,
    /// So many.
    pub page: PageBounds,
    /// With so much of their texts.
    pub texts: TaskTexts,
}

/// Which rows of history a list shows, newest first.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// In these networks, each as far as the caller reaches.
    pub networks: Vec<(NetworkId, Reach)>,
    /// Of this task, wherever it is.
    pub task: Option<TaskId>,
    /// Older than this place in the order.
    pub before: Option<i64>,
    /// So many.
    pub page: PageBounds,
}

impl Weight for TaskRow {
    fn weight(&self) -> usize {
        // Parts and meta are JSON already.
        let json = [&self.parts, &self.meta].into_iter().flatten().map(String::len).sum::<usize>();
        let optional = [&self.context, &self.result].map(Option::as_deref);
        ROW_BYTES
            + text_bytes(self.snapshot.from.name())
            + text_bytes(self.snapshot.to.as_str())
            + text_bytes(&self.content)
            + texts_bytes(optional)
            + self.progress.as_ref().map_or(0, ProgressRow::bytes)
            + json
    }
}

impl ProgressRow {
    /// How large it is in an answer, about.
    pub fn bytes(&self) -> usize {
        self.message.as_deref().map_or(0, text_bytes)
    }
}

impl Weight for EventRow {
    fn weight(&self) -> usize {
        ROW_BYTES + text_bytes(self.actor.name()) + text_bytes(&self.detail)
    }
}

impl Weight for TaskMessageRow {
    fn weight(&self) -> usize {
        let json = [&self.options, &self.parts, &self.meta].into_iter().flatten();
        let json = json.map(String::len).sum::<usize>();
        ROW_BYTES + text_bytes(self.author.name()) + text_bytes(&self.content) + json
    }
}

/// Which tasks of one agent a list shows, the ones whose status is newest first.
#[derive(Clone, Debug)]
pub struct ChangedFilter {
    /// In this network, as far as the caller reaches.
    pub network: (NetworkId, Reach),
    /// Given to this alias.
    pub to: Alias,
    /// Of one of these statuses; all when there are none.
    pub statuses: Vec<Status>,
    /// Of those that failed: whether their agent declined them.
    pub is_rejected: Option<bool>,
    /// Of those that wait for input: whether their question asks the sender to authenticate.
    pub auth_required: Option<bool>,
    /// Of those that are in their agent's inbox: whether work on them has begun before.
    pub has_begun: Option<bool>,
    /// Of this conversation.
    pub context: Option<ContextId>,
    /// Whose status is newer than this.
    pub after: Option<UnixMillis>,
    /// Whose last event is older than this one.
    pub before: Option<i64>,
    /// So many.
    pub limit: usize,
    /// So many of the network's events are looked at for them.
    pub examined: usize,
}

/// A page of such tasks.
#[derive(Clone, Debug)]
pub struct ChangedPage {
    /// The tasks, newest status first, each with the place of its last event: a page that ends there has its next one
    /// begin there.
    pub tasks: Vec<(i64, TaskId)>,
    /// Where the next page begins; a page may be short, or empty, and still have a next one.
    pub next: Option<i64>,
}

/// How far a caller's lists reach.
pub(crate) type Reach = TaskReach;

/// Reads of tasks.
pub trait TaskReads {
    /// One task.
    fn task(&self, id: &TaskId) -> Result<Option<TaskRow>, Error>;
    /// How far one task has come. Its texts are not read: a follower asks at each report.
    fn task_course(&self, id: &TaskId) -> Result<Option<CourseRow>, Error>;
    /// What the rules see of one task, without its texts.
    fn task_snapshot(&self, id: &TaskId) -> Result<Option<TaskSnapshot>, Error>;
    /// The same for a task of one network. Whatever an engine has in memory, a task of another network costs what one
    /// costs that does not exist.
    fn task_snapshot_in(&self, network: &NetworkId, id: &TaskId) -> Result<Option<TaskSnapshot>, Error>;
    /// The network of a task: what is asked before it is known whether the caller may see anything of it. Only a task of
    /// the caller's own network, if it has one, may be found in memory: how long the response takes reveals nothing about other networks.
    fn task_network(&self, id: &TaskId, own: Option<&NetworkId>) -> Result<Option<NetworkId>, Error>;
    /// A page of tasks.
    fn tasks(&self, filter: &TaskFilter) -> Result<Page<TaskRow>, Error>;
    /// A page of one agent's tasks, newest status first.
    fn changed_tasks(&self, filter: &ChangedFilter) -> Result<ChangedPage, Error>;
    /// How many of the agent's newest tasks, of so many, the filter lets through, wherever the page begins.
    fn count_changed_tasks(&self, filter: &ChangedFilter, counted: usize) -> Result<usize, Error>;
    /// How many tasks of each status a network has.
    fn task_counts(&self, network: &NetworkId) -> Result<Vec<(Status, i64)>, Error>;
    /// The tasks given to an alias that it can work on, so neither ended nor waiting for input, and whose text is exactly
    /// this: at most two, which is one too many.
    fn open_tasks_with_content(
        &self,
        network: &NetworkId,
        to: &Alias,
        content: &str,
    ) -> Result<Vec<TaskId>, Error>;
    /// The next task in an alias's inbox, by priority, then age.
    fn next_task(&self, network: &NetworkId, to: &Alias) -> Result<Option<TaskId>, Error>;
    /// The messages on a task, oldest first.
    fn task_messages(&self, network: &NetworkId, id: &TaskId) -> Result<Vec<TaskMessageRow>, Error>;
    /// The newest messages of a task within these bounds, of those up to a time if one is named; oldest first.
    fn newest_task_messages(
        &self,
        network: &NetworkId,
        id: &TaskId,
        until: Option<UnixMillis>,
        bounds: PageBounds,
    ) -> Result<Vec<TaskMessageRow>, Error>;
    /// What a task's agent asked last, up to a time if one is named.
    fn newest_question(
        &self,
        network: &NetworkId,
        id: &TaskId,
        until: Option<UnixMillis>,
    ) -> Result<Option<TaskMessageRow>, Error>;
    /// The bytes of all messages on a task: texts, options, parts and what came with them.
    fn task_messages_bytes(&self, network: &NetworkId, id: &TaskId) -> Result<usize, Error>;
    /// The last of what a task's command printed, if it printed anything.
    fn task_output(&self, id: &TaskId) -> Result<Option<OutputRow>, Error>;
    /// The same, if more than so many bytes were printed.
    fn task_output_after(&self, id: &TaskId, written: i64) -> Result<Option<OutputRow>, Error>;
    /// A task's history, oldest first.
    fn task_history(&self, id: &TaskId) -> Result<Vec<EventRow>, Error>;
    /// The rows of a task's history after the one of this number, oldest first.
    fn task_history_after(&self, id: &TaskId, n: i64) -> Result<Vec<EventRow>, Error>;
    /// The newest row of a task's history.
    fn last_event(&self, id: &TaskId) -> Result<Option<EventRow>, Error>;
    /// A page of history, newest first: of one task or of these networks as far as the caller reaches.
    fn events(&self, filter: &EventFilter) -> Result<Page<EventRow>, Error>;
    /// A lease.
    fn lease(&self, id: &LeaseId) -> Result<Option<LeaseRow>, Error>;
    /// Whether an alias holds any lease.
    fn holds_lease(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error>;
    /// Leases whose deadline has passed, oldest first.
    fn due_leases(&self, now: MonotonicMillis, limit: usize) -> Result<Vec<DueLease>, Error>;
    /// Open tasks whose time is over, oldest first, after this place (expiry, seq) in that order.
    fn overdue_tasks(
        &self,
        now: UnixMillis,
        after: (i64, i64),
        limit: usize,
    ) -> Result<Vec<(i64, i64, TaskId)>, Error>;
    /// Tasks that the hub was to act on by now, oldest first, after this place (time, seq) in that order.
    fn due_tasks(
        &self,
        now: UnixMillis,
        after: (i64, i64),
        limit: usize,
    ) -> Result<Vec<(i64, i64, TaskId)>, Error>;
    /// What a key was used for.
    fn idempotent_send(
        &self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
    ) -> Result<Option<IdempotentSend>, Error>;
}

/// Writes of tasks.
pub trait TaskWrites {
    /// Inserts a task, with its delivery open in its assignee's inbox.
    fn insert_task(&mut self, task: NewTaskRow<'_>) -> Result<(), Error>;
    /// Moves a task and changes its row: where it stands, its delivery and the lease on it, in one write.
    fn change_task(
        &mut self,
        network: &NetworkId,
        id: &TaskId,
        from: Status,
        to: Status,
        change: &TaskChange,
    ) -> Result<(), Error>;
    /// Says something on a task; answers its number there.
    fn append_task_message(&mut self, message: NewTaskMessage<'_>) -> Result<i64, Error>;
    /// Appends to what a task's command printed, of which so many bytes are kept: the last ones.
    fn append_output(
        &mut self,
        network: &NetworkId,
        id: &TaskId,
        text: &str,
        kept_bytes: usize,
    ) -> Result<(), Error>;
    /// Appends to a task's history and answers the event's number there.
    fn append_event(&mut self, event: NewEvent<'_>) -> Result<u64, Error>;
    /// Gives every lease its whole time again, from now: what a new beginning of monotonic time asks for.
    fn rearm_leases(&mut self, monotonic: MonotonicMillis, now: UnixMillis) -> Result<(), Error>;
    /// Remembers what a key was used for.
    fn remember_send(
        &mut self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
        send: &IdempotentSend,
    ) -> Result<(), Error>;
    /// Forgets keys older than this; so many at once.
    fn forget_sends(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error>;
}

/// The kind a task is stored with is read back as it was written.
pub(crate) fn kind_of(text: &str) -> Result<Kind, Error> {
    Kind::parse(text).map_err(|_| Error::Corrupt(format!("kind {text:?}")))
}
