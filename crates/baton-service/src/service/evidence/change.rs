//! A task's change as evidence: `task.requested` when it is made, `task.updated` for everything after, with the
//! actor. Which text came with it follows from what happened; the text itself stays out.

use baton_core::{
    ActorToken, Alias, ArtifactHash, DeliveryContent, Event, EventText, Kind, MediaType, NetworkId,
    Principal, TaskId, TaskSnapshot, Transition, UnixMillis,
};
use baton_evidence::canonical;
use baton_store::Transaction;
use baton_store::rows::NewArtifactRef;
use serde_json::Value;
use std::borrow::Cow;

use super::packet::{Baton, Packet, Task};
use super::record::observed;
use super::salt::{Digested, DigestedPart, Salt};
use crate::service::{Error, operation::Done};

/// Everything the hub saw of one change.
#[derive(Debug)]
pub struct ObservedChange<'a> {
    pub network: &'a NetworkId,
    /// Where it stands in the network's log: its next entry.
    pub log_index: u64,
    pub at: UnixMillis,
    pub transition: &'a Transition,
    /// The token it was done with.
    pub actor_token: Option<&'a ActorToken>,
    pub event: &'a Event,
    /// The event's number within the task.
    pub number: u64,
    pub from: &'a Principal,
    /// The assignee after the change.
    pub to: &'a Alias,
    pub kind: &'a Kind,
    /// A new task's text.
    pub content: Option<&'a str>,
    /// That text digested with the new salt, if there was time to do so before the transaction.
    pub content_digest: Option<&'a Digested>,
    /// The files and other parts that came with it.
    pub parts: &'a [ObservedPart],
    /// A new task's salt; an older one's is in its row.
    pub new_salt: Option<&'a Salt>,
}

/// A part or an artifact, as far as evidence looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPart {
    pub hash: ArtifactHash,
    pub size: u64,
    pub media_type: MediaType,
}

impl ObservedPart {
    pub fn of(reference: &NewArtifactRef) -> Self {
        let NewArtifactRef { hash, size, media_type, .. } = reference;
        Self { hash: *hash, size: *size, media_type: media_type.clone() }
    }
}

/// Writes a change down.
pub fn write_down(tx: &mut dyn Transaction, seen: &ObservedChange<'_>) -> Result<(), Error> {
    let transition = seen.transition;
    let delivery = transition.effects.first_delivery();
    let task = Task { id: &transition.task_id, status: transition.to, kind: seen.kind };
    let text = seen.text();
    let digested = text.map(|(_, text)| seen.digest(tx, text)).transpose()?;
    let parts = seen.digest_parts(tx)?;
    let of = |part: Part| digested.as_deref().filter(|_| text.is_some_and(|(named, _)| named == part));
    let baton = Baton {
        from: seen.from.name(),
        to: seen.to.as_str(),
        event: seen.number,
        actor_token: seen.actor_token,
        content: of(Part::Content),
        result: of(Part::Result),
        reason: of(Part::Reason),
        artifact: None,
        parts: &parts,
    };
    let is_new = transition.from.is_none();
    let actor = transition.actor.name();
    // The row of history leads to it, so it needs no name of its task beside.
    let packet = Packet::of_task(is_new, seen.at, actor, task, delivery, baton);
    observed(tx, seen.network, seen.log_index, None, &packet)
}

/// What a text that comes with an event is to its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Content,
    Result,
    Reason,
}

impl<'a> ObservedChange<'a> {
    /// The text that came with the event.
    fn text(&self) -> Option<(Part, &'a str)> {
        match self.event.text() {
            EventText::Content => self.content.map(|text| (Part::Content, text)),
            EventText::Message => self.message().map(|text| (Part::Content, text)),
            EventText::Result => self.result().map(|text| (Part::Result, text)),
            EventText::Reason(reason) => Some((Part::Reason, reason)),
            EventText::Nothing => None,
        }
    }

    fn digest(&self, tx: &dyn Transaction, text: &str) -> Result<Cow<'a, Digested>, Error> {
        Ok(match (self.content_digest, self.new_salt) {
            (Some(digested), _) => Cow::Borrowed(digested),
            (None, Some(salt)) => Cow::Owned(salt.digest(text.as_bytes())),
            (None, None) => Cow::Owned(salt_of(tx, &self.transition.task_id)?.digest(text.as_bytes())),
        })
    }

    fn digest_parts(&self, tx: &dyn Transaction) -> Result<Vec<DigestedPart>, Error> {
        if self.parts.is_empty() {
            return Ok(Vec::new());
        }
        let salt = match self.new_salt {
            Some(salt) => Cow::Borrowed(salt),
            None => Cow::Owned(salt_of(tx, &self.transition.task_id)?),
        };
        let digest = |part: &ObservedPart| salt.digest_part(&part.hash, part.size, &part.media_type);
        Ok(self.parts.iter().map(digest).collect())
    }

    fn result(&self) -> Option<&'a str> {
        self.transition.effects.row.result.as_deref()
    }

    fn message(&self) -> Option<&'a str> {
        match &self.transition.effects.delivery.as_ref()?.content {
            DeliveryContent::Message(message) => Some(message.text()),
            DeliveryContent::Reply(_) => None,
        }
    }
}

/// Records the artifacts of a completion, each with the number of the event it came with.
pub fn write_down_artifacts(
    tx: &mut dyn Transaction,
    at: UnixMillis,
    done: &Done,
    artifacts: &[Value],
) -> Result<(), Error> {
    let (task, transition) = (&done.before, &done.transition);
    let Some(event) = done.event_number.filter(|_| !artifacts.is_empty()) else { return Ok(()) };
    let salt = salt_of(tx, &task.id)?;
    let first = tx.log_size(&task.network_id)?;
    for (index, (place, artifact)) in (first..).zip(artifacts.iter().enumerate()) {
        // Its canonical form, so that a holder of the artifact can compute the same digest.
        let text = canonical::to_vec(artifact).map_err(|error| {
            Error::argument("artifacts", format!("cannot be written as canonical JSON: {error}"))
        })?;
        let digested = salt.digest(&text);
        let baton = Baton {
            from: task.from.name(),
            to: task.to.as_str(),
            event,
            actor_token: done.actor_token.as_ref(),
            content: None,
            result: None,
            reason: None,
            artifact: Some(&digested),
            parts: &[],
        };
        let as_it_stands = Task { id: &task.id, status: transition.to, kind: &task.kind };
        let packet = Packet::of_artifact(at, transition.actor.name(), as_it_stands, place + 1, baton);
        observed(tx, &task.network_id, index, Some(&task.id), &packet)?;
    }
    Ok(())
}

/// Files of a message that changes nothing: there is no event to write them down with, so each has one of its own.
#[derive(Debug)]
pub struct ObservedFiles<'a> {
    pub at: UnixMillis,
    pub task: &'a TaskSnapshot,
    pub actor: &'a Principal,
    pub actor_token: Option<&'a ActorToken>,
    pub parts: &'a [ObservedPart],
    /// The number of the first of them within the task.
    pub first: usize,
}

/// Writes such files down, each with the number of the task's latest event.
pub fn write_down_files(tx: &mut dyn Transaction, seen: &ObservedFiles<'_>) -> Result<(), Error> {
    let ObservedFiles { at, task, actor, actor_token, parts, first } = seen;
    let salt = salt_of(tx, &task.id)?;
    let event = tx.last_event(&task.id)?.map_or(0, |event| event.n.unsigned_abs());
    let size = tx.log_size(&task.network_id)?;
    for (index, (number, part)) in (size..).zip((*first..).zip(*parts)) {
        let digested = [salt.digest_part(&part.hash, part.size, &part.media_type)];
        let baton = Baton {
            from: task.from.name(),
            to: task.to.as_str(),
            event,
            actor_token: *actor_token,
            content: None,
            result: None,
            reason: None,
            artifact: None,
            parts: &digested,
        };
        let as_it_stands = Task { id: &task.id, status: task.status, kind: &task.kind };
        let packet = Packet::of_artifact(*at, actor.name(), as_it_stands, number, baton);
        observed(tx, &task.network_id, index, Some(&task.id), &packet)?;
    }
    Ok(())
}

fn salt_of(tx: &dyn Transaction, task: &TaskId) -> Result<Salt, Error> {
    let salt = tx.task_salt(task)?;
    let salt = salt.ok_or_else(|| baton_store::Error::Corrupt(format!("{task} has no salt")))?;
    Ok(Salt::of_row(salt))
}
