//! What a transition brings with it, as data. The service (`service/apply.rs`) writes all of it in the transition's own
//! transaction; the store rings the bell for notices after the commit.

use crate::alias::Alias;
use crate::bounded::TtlSeconds;
use crate::ids::NetworkId;
use crate::kind::Kind;
use crate::principal::Principal;
use crate::progress::Progress;
use crate::question::TaskMessage;
use crate::run_terms::RunTerms;
use crate::status::Status;
use crate::task::Lease;
use crate::time::UnixMillis;
use crate::uuid::{ContextId, MessageId, TaskId};

/// Everything that goes with a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The row of a new task.
    pub created: Option<Box<NewTask>>,
    /// What changes in the row of a task.
    pub row: RowChange,
    /// A message or a reply, for somebody's inbox.
    pub delivery: Option<Delivery>,
    /// Notices and their recipients, in order; sent on whatever stream a recipient has open.
    pub notices: Vec<(Principal, Notice)>,
}

impl Effects {
    /// The delivery that the evidence names: the task's own if it is delivered, else that of a message or a reply.
    pub fn first_delivery(&self) -> Option<&MessageId> {
        self.row.delivery.as_ref().or(self.delivery.as_ref().map(|delivery| &delivery.message_id))
    }
}

/// What changes in a task's row; what is none or empty stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChange {
    /// The task is somebody else's now.
    pub assignee: Option<Alias>,
    /// Which delivery of the task this is.
    pub attempt: Option<u32>,
    /// The task was delivered again and its time restarts.
    pub delivered: Option<Delivered>,
    /// Its time restarts without a delivery: it waits for an answer, or its worker got one.
    pub expires_at: Option<UnixMillis>,
    /// Work began.
    pub started_at: Option<UnixMillis>,
    /// What came of it.
    pub result: Option<String>,
    /// It ended.
    pub completed_at: Option<UnixMillis>,
    /// Its agent declined it.
    pub is_rejected: bool,
    /// What becomes of the worker's hold on it.
    pub lease: Option<LeaseUpdate>,
    /// When the hub is to act by itself.
    pub due: Option<DueChange>,
    /// What becomes of what was reported of its progress.
    pub progress: Option<ProgressUpdate>,
    /// What becomes of its delivery in the assignee's inbox.
    pub inbox: Option<InboxChange>,
    /// The task's new delivery, to its new assignee; created after the old one was moved.
    pub delivery: Option<MessageId>,
}

/// When a task was delivered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// When it was delivered.
    pub at: UnixMillis,
    /// When its time is over.
    pub expires_at: UnixMillis,
}

/// When the hub is to act on a task by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueChange {
    /// At this time.
    At(UnixMillis),
    /// Not any more.
    Never,
}

/// What becomes of a task's progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressUpdate {
    /// There is news; what it leaves out stays.
    Report(Progress),
    /// A new run begins, of which nothing is known.
    Clear,
}

/// What becomes of a lease. The deadline on the wall clock is for the worker to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseUpdate {
    /// A worker holds the task.
    Grant {
        /// The new lease.
        lease: Lease,
        /// Its deadline on the wall clock.
        expires_at: UnixMillis,
    },
    /// The worker holds it for longer.
    Extend {
        /// The lease with its new deadline.
        lease: Lease,
        /// That deadline on the wall clock.
        expires_at: UnixMillis,
    },
    /// The worker holds it no more.
    End,
}

impl LeaseUpdate {
    /// The deadline on the wall clock, of a lease that holds.
    pub const fn expires_at(&self) -> Option<UnixMillis> {
        match self {
            Self::Grant { expires_at, .. } | Self::Extend { expires_at, .. } => Some(*expires_at),
            Self::End => None,
        }
    }
}

/// What becomes of a task's delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxChange {
    /// It leaves the assignee's inbox for good.
    Ack,
    /// It does so, and with it every delivery about the task that is not acked yet, in every inbox, the hidden ones too.
    AckEvery,
    /// It stays where it is, and every other delivery about the task leaves its inbox.
    AckOthers,
    /// It leaves the assignee's inbox until it is shown again.
    Hide,
    /// It stands in the assignee's inbox again, in its old place.
    Show,
}

/// A task to be written; its text, context, meta and priority are the request's, or for a retry the old row's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// The task.
    pub id: TaskId,
    /// The network it lives in.
    pub network_id: NetworkId,
    /// Who wants it done.
    pub from: Principal,
    /// Who is to do it.
    pub to: Alias,
    /// What sort of work it is.
    pub kind: Kind,
    /// Which delivery this is.
    pub attempt: u32,
    /// How many deliveries there may be.
    pub max_attempts: u32,
    /// What else its runs are allowed.
    pub runs: RunTerms,
    /// How long it may wait after each delivery.
    pub ttl: TtlSeconds,
    /// When it was delivered.
    pub delivered_at: UnixMillis,
    /// When its time is over.
    pub expires_at: UnixMillis,
    /// The task it is a part of.
    pub parent_task_id: Option<TaskId>,
    /// The task it was made of; that row is not touched.
    pub retry_of: Option<TaskId>,
    /// The conversation it continues in; none if it begins its own.
    pub context_id: Option<ContextId>,
}

/// A message or a reply on its way to an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The delivery.
    pub message_id: MessageId,
    /// Whose inbox it goes to.
    pub to: Principal,
    /// What it holds.
    pub content: DeliveryContent,
}

/// What a delivery holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryContent {
    /// A message on the task.
    Message(TaskMessage),
    /// The final text of the task.
    Reply(String),
}

/// What a stream sends, by the names of section 5; never a task's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A task is in the inbox.
    NewTask,
    /// A message about the task is in the inbox.
    NewMessage {
        /// The delivery.
        message_id: MessageId,
    },
    /// A reply is in the inbox.
    NewReply {
        /// The delivery.
        message_id: MessageId,
        /// The status the task reached.
        status: Status,
    },
    /// The task was cancelled.
    TaskCancelled {
        /// Why.
        reason: String,
    },
    /// The task is somebody else's now.
    TaskReassigned,
    /// A part of one's task ended.
    ChildReply {
        /// The task it is a part of.
        parent_task_id: TaskId,
        /// The part.
        child_task_id: TaskId,
        /// The status it reached.
        status: Status,
    },
}

impl Notice {
    /// The `type` of the frame.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NewTask => "new_task",
            Self::NewMessage { .. } => "new_message",
            Self::NewReply { .. } => "new_reply",
            Self::TaskCancelled { .. } => "task_cancelled",
            Self::TaskReassigned => "task_reassigned",
            Self::ChildReply { .. } => "child_reply",
        }
    }
}
