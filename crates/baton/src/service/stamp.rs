//! The circumstances of a call, fixed once before its transaction: the clocks, fresh ids, who is there.

use baton_core::{
    ClockJumps, Context, Facts, LeaseId, MessageId, MonotonicMillis, Presence, Principal, TaskId, UnixMillis,
};
use std::sync::Arc;

use super::actor::ActorTokens;
use super::evidence::{Digested, Salt};
use crate::hub::{Hub, Presences};

/// What a use case needs of the world beside the rows.
#[derive(Debug, Clone)]
pub(crate) struct Stamp {
    pub(crate) now: UnixMillis,
    pub(crate) clock_jumps: ClockJumps,
    pub(crate) monotonic: MonotonicMillis,
    pub(crate) new_task_id: TaskId,
    pub(crate) new_message_id: MessageId,
    pub(crate) new_delivery_id: MessageId,
    pub(crate) new_lease_id: LeaseId,
    pub(crate) new_push_id: MessageId,
    pub(crate) new_salt: Salt,
    pub(crate) records_evidence: bool,
    /// What a message consists of beside its text, a JSON array; no rule reads it.
    pub(crate) message_parts: Option<String>,
    /// What came with a message beside that, a JSON object; no rule reads it.
    pub(crate) message_meta: Option<String>,
    /// Whether a reply is a message of its own instead of a result.
    pub(crate) answers_bare: bool,
    pub(crate) presences: Arc<Presences>,
    pub(crate) actor_tokens: Arc<ActorTokens>,
}

impl Stamp {
    pub(crate) fn new(hub: &Hub) -> Self {
        let (now, clock_jumps) = hub.clock.observe();
        Self {
            now,
            clock_jumps,
            monotonic: hub.clock.monotonic(),
            new_task_id: hub.new_task_id(),
            new_message_id: hub.new_message_id(),
            new_delivery_id: hub.new_message_id(),
            new_lease_id: hub.new_lease_id(),
            new_push_id: hub.new_message_id(),
            new_salt: Salt::random(),
            records_evidence: hub.settings.records_evidence,
            message_parts: None,
            message_meta: None,
            answers_bare: false,
            presences: hub.presences.clone(),
            actor_tokens: hub.actor_tokens.clone(),
        }
    }

    /// A new task's text as its evidence has it; none if nothing is recorded.
    pub(crate) fn digest(&self, text: &str) -> Option<Digested> {
        self.records_evidence.then(|| self.new_salt.digest(text.as_bytes()))
    }

    /// The context of a decision; what the store knows is filled in by the operation.
    pub(crate) fn context(&self, actor: Principal) -> Context {
        let facts = Facts { recipient_exists: false, parent: None, assignee: Presence::NONE };
        Context {
            actor,
            now: self.now,
            clock_jumps: self.clock_jumps.clone(),
            monotonic: self.monotonic,
            new_message_id: self.new_message_id.clone(),
            new_delivery_id: self.new_delivery_id.clone(),
            facts,
        }
    }
}
