//! What a transition brings with it, as data: the store applies effects in order, in the transition's own
//! transaction, and rings the bell for notices after the commit.

use crate::alias::Alias;
use crate::bounded::TtlSeconds;
use crate::ids::{LeaseId, NetworkId};
use crate::kind::Kind;
use crate::principal::Principal;
use crate::status::Status;
use crate::task::Lease;
use crate::time::UnixMillis;
use crate::uuid::{ContextId, MessageId, TaskId};

/// One change that belongs to a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write the row of a new task.
    CreateTask(Box<NewTask>),
    /// The task is somebody else's now.
    SetAssignee(Alias),
    /// Which delivery of the task this is.
    SetAttempt(u32),
    /// The task was delivered again and its time begins anew.
    SetDelivered {
        /// When it was delivered.
        delivered_at: UnixMillis,
        /// When its time is over.
        expires_at: UnixMillis,
    },
    /// Work began.
    SetStartedAt(UnixMillis),
    /// What came of it.
    SetResult(String),
    /// It ended.
    SetCompletedAt(UnixMillis),
    /// A worker holds the task.
    GrantLease {
        /// The new lease.
        lease: Lease,
        /// Its deadline on the wall clock, for the worker to read.
        expires_at: UnixMillis,
    },
    /// The worker holds it for longer.
    ExtendLease {
        /// The lease with its new deadline.
        lease: Lease,
        /// That deadline on the wall clock, for the worker to read.
        expires_at: UnixMillis,
    },
    /// The worker holds it no more.
    VoidLease(LeaseId),
    /// The task's delivery leaves the assignee's inbox for good.
    AckTaskDelivery,
    /// The task's delivery leaves the assignee's inbox until it is shown again.
    HideTaskDelivery,
    /// The task's delivery stands in the assignee's inbox again, in its old place.
    ShowTaskDelivery,
    /// Every delivery of the task not yet acked is, in every inbox, the hidden ones too.
    AckEveryDelivery,
    /// A new delivery.
    Deliver {
        /// The delivery.
        message_id: MessageId,
        /// Whose inbox it goes to.
        to: Principal,
        /// What it holds.
        content: DeliveryContent,
    },
    /// Tell somebody, over whatever stream they have open.
    Notify {
        /// Whom to tell.
        to: Principal,
        /// What to tell.
        notice: Notice,
    },
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
    /// The conversation it goes on in; none if it begins its own.
    pub context_id: Option<ContextId>,
}

/// What a delivery holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryContent {
    /// The task itself.
    Task,
    /// A question or an answer about the task.
    Message(String),
    /// How the task ended.
    Reply {
        /// The status it reached.
        status: Status,
        /// What was said.
        text: String,
    },
}

/// What a stream tells, by the names of section 5; never a task's content.
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
    /// The task was called off.
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
