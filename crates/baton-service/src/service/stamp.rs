//! The circumstances of a call, fixed once before its transaction: fresh ids, who is there, and the time for reads. What a
//! write decides has the time of its batch instead ([`Transaction::time`]).

use baton_core::{
    ArtifactRef, Context, Facts, LeaseId, MessageId, Presence, Principal, QuestionTerms, TaskId,
};
use baton_store::{ClockReading, Transaction};
use std::sync::Arc;

use super::evidence::{Digested, Salt};
use crate::hub::{ActorTokens, Clock, Hub, Presences};
use crate::random::id_bytes;

/// What a use case needs of the world beside the rows.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When the call was stamped: what a read goes by, and what is in the new ids.
    pub time: ClockReading,
    pub new_task_id: TaskId,
    pub new_message_id: MessageId,
    pub new_delivery_id: MessageId,
    pub new_lease_id: LeaseId,
    pub new_push_id: MessageId,
    pub new_salt: Salt,
    pub records_evidence: bool,
    /// What a message consists of beside its text, a JSON array; no rule reads it.
    pub message_parts: Option<String>,
    /// What came with a message beside that, a JSON object; no rule reads it.
    pub message_meta: Option<String>,
    /// Artifacts that come with a message or a reply, as the caller names them.
    pub artifacts: Vec<ArtifactRef>,
    /// Whether a reply is a message of its own instead of a result.
    pub answers_bare: bool,
    pub presences: Arc<Presences>,
    pub actor_tokens: Arc<ActorTokens>,
}

/// Makes stamps where there is no hub at hand: in a claim that runs when a task comes.
#[derive(Debug, Clone)]
pub(super) struct StampSource {
    clock: Clock,
    records_evidence: bool,
    presences: Arc<Presences>,
    actor_tokens: Arc<ActorTokens>,
}

impl StampSource {
    pub(super) fn of(hub: &Hub) -> Self {
        Self {
            clock: hub.clock.clone(),
            records_evidence: hub.settings.records_evidence,
            presences: hub.presences.clone(),
            actor_tokens: hub.actor_tokens.clone(),
        }
    }

    /// The circumstances as they are now.
    fn stamp(&self) -> Stamp {
        self.stamp_at(self.clock.read())
    }

    /// The circumstances of a use case that is made where it runs.
    pub(super) fn stamp_in(&self, tx: &dyn Transaction) -> Stamp {
        self.stamp_at(tx.time())
    }

    fn stamp_at(&self, time: ClockReading) -> Stamp {
        let now = time.now;
        let new_message_id = || MessageId::new(now, id_bytes());
        Stamp {
            new_task_id: TaskId::new(now, id_bytes()),
            new_message_id: new_message_id(),
            new_delivery_id: new_message_id(),
            new_lease_id: LeaseId::from_random(id_bytes()),
            new_push_id: new_message_id(),
            new_salt: Salt::random(),
            records_evidence: self.records_evidence,
            message_parts: None,
            message_meta: None,
            artifacts: Vec::new(),
            answers_bare: false,
            time,
            presences: self.presences.clone(),
            actor_tokens: self.actor_tokens.clone(),
        }
    }
}

impl Stamp {
    pub fn new(hub: &Hub) -> Self {
        StampSource::of(hub).stamp()
    }

    /// A new task's text as its evidence has it; none if nothing is recorded.
    pub fn digest(&self, text: &str) -> Option<Digested> {
        self.records_evidence.then(|| self.new_salt.digest(text.as_bytes()))
    }

    /// The context of a decision that is made at `time`; what the store knows is filled in by the operation.
    pub fn context(&self, time: ClockReading, actor: Principal) -> Context {
        let facts = Facts {
            recipient_exists: false,
            parent: None,
            chain: Vec::new(),
            max_chain: 0,
            assignee: Presence::NONE,
            question: QuestionTerms::default(),
        };
        Context {
            actor,
            now: time.now,
            clock_jumps: time.clock_jumps,
            monotonic: time.monotonic,
            new_message_id: self.new_message_id.clone(),
            new_delivery_id: self.new_delivery_id.clone(),
            facts,
        }
    }
}
