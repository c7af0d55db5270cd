//! What lies in inboxes, and the network's numbered feed that streams read.

use baton_core::{MessageId, NetworkId, Principal, Priority, TaskId, UnixMillis};

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes, texts_bytes};
use crate::rows::tasks::Reach;

/// What sort of delivery it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryKind {
    /// A task.
    Task,
    /// A message.
    Message,
    /// A reply.
    Reply,
    /// A broadcast.
    Broadcast,
}

impl DeliveryKind {
    /// The word on the wire and in the row.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Message => "message",
            Self::Reply => "reply",
            Self::Broadcast => "broadcast",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Task, Self::Message, Self::Reply, Self::Broadcast]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }
}

/// A delivery as it is shown; a task's text and context are its task's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRow {
    /// Its place in the order of deliveries.
    pub seq: i64,
    /// The delivery.
    pub message_id: MessageId,
    /// Its network.
    pub network_id: NetworkId,
    /// Whose inbox it is in.
    pub to: Principal,
    /// Who sent it.
    pub from: Principal,
    /// What it is.
    pub kind: DeliveryKind,
    /// How urgent it is.
    pub priority: Priority,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// What it says.
    pub content: String,
    /// What was sent along with the task.
    pub context: Option<String>,
    /// When it was made.
    pub created_at: UnixMillis,
}

/// A delivery to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewDelivery<'a> {
    /// The delivery.
    pub message_id: &'a MessageId,
    /// Its network.
    pub network_id: &'a NetworkId,
    /// Whose inbox it goes to.
    pub to: &'a Principal,
    /// Who sends it.
    pub from: &'a Principal,
    /// What it is.
    pub kind: DeliveryKind,
    /// How urgent it is.
    pub priority: Priority,
    /// The task it is about.
    pub task_id: Option<&'a TaskId>,
    /// What it says.
    pub content: &'a str,
    /// When.
    pub at: UnixMillis,
}

/// One frame of a network's feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRow {
    /// Its number within the network.
    pub n: i64,
    /// The frame's JSON.
    pub body: String,
}

/// A place in an inbox: the order of the priority, and the delivery's own place.
pub type InboxPosition = (i64, i64);

/// A place among all deliveries.
pub type MessagePosition = i64;

/// Which deliveries a list shows, newest first.
#[derive(Clone, Debug)]
pub struct MessageFilter {
    /// In these networks, each as far as the caller reaches.
    pub networks: Vec<(NetworkId, Reach)>,
    /// Made at this time or later.
    pub since: UnixMillis,
    /// Older than this place.
    pub before: Option<MessagePosition>,
    /// So many.
    pub page: PageBounds,
}

impl Weight for DeliveryRow {
    fn weight(&self) -> usize {
        let names = text_bytes(self.to.name()) + text_bytes(self.from.name());
        ROW_BYTES + names + text_bytes(&self.content) + texts_bytes([self.context.as_deref()])
    }
}

/// Reads of deliveries and the feed.
pub trait DeliveryReads {
    /// A page of an inbox's open deliveries, high to low, then oldest first; after a place, if one is named.
    fn inbox(
        &self,
        network: &NetworkId,
        to: &Principal,
        after: Option<InboxPosition>,
        bounds: PageBounds,
    ) -> Result<Page<DeliveryRow, InboxPosition>, Error>;
    /// How many open deliveries an inbox has.
    fn inbox_count(&self, network: &NetworkId, to: &Principal) -> Result<i64, Error>;
    /// The open or hidden delivery of this id, or of this task, in somebody's inbox.
    fn open_delivery(
        &self,
        network: &NetworkId,
        to: &Principal,
        id: &str,
    ) -> Result<Option<DeliveryRow>, Error>;
    /// A page of deliveries.
    fn messages(&self, filter: &MessageFilter) -> Result<Page<DeliveryRow, MessagePosition>, Error>;
    /// Frames after a number: for one recipient, or for everybody.
    fn feed_after(
        &self,
        network: &NetworkId,
        to: Option<&Principal>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<FeedRow>, Error>;
    /// The networks whose feed has more frames than this.
    fn feeds_longer_than(&self, keep: usize) -> Result<Vec<NetworkId>, Error>;
    /// The oldest and the newest number of a network's feed; (1, 0) when it is empty.
    fn feed_range(&self, network: &NetworkId) -> Result<(i64, i64), Error>;
}

/// Writes of deliveries and the feed. Inbox counts are kept by the engine.
pub trait DeliveryWrites {
    /// Makes a delivery of a message, a reply or a broadcast; a task is delivered with its row.
    fn insert_delivery(&mut self, delivery: NewDelivery<'_>) -> Result<(), Error>;
    /// Acks one of them by its place.
    fn ack_delivery(&mut self, seq: i64) -> Result<(), Error>;
    /// Acks every message and reply about a task. Its own delivery is in its row.
    fn ack_deliveries_about(&mut self, task: &TaskId) -> Result<(), Error>;
    /// Appends a frame to the network's feed and answers its number.
    fn append_frame(&mut self, network: &NetworkId, to: &Principal, body: &str) -> Result<i64, Error>;
    /// Removes deliveries that are not tasks and older than this; at most this many at once. Returns how many.
    fn forget_deliveries(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error>;
    /// Keeps only the newest `keep` open deliveries that are not tasks in one inbox; acked ones leave by their age.
    fn trim_inbox(&mut self, network: &NetworkId, to: &Principal, keep: usize) -> Result<usize, Error>;
    /// Forgets the oldest frames of a feed beyond so many, up to a limit. Answers how many.
    fn trim_feed(&mut self, network: &NetworkId, keep: usize, limit: usize) -> Result<usize, Error>;
}
