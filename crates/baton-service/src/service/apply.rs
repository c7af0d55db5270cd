//! Writes a transition: the task's row, its history, leases, deliveries, and the frames that streams will read.
//! Nothing here decides anything. The evidence of the change is written here too (`evidence/`), so that no door can leave it out.

use baton_core::{
    ActorToken, Context, Delivery, DeliveryContent, Event, InboxChange, LeaseUpdate, MessageId, NetworkId,
    Percent, Principal, Priority, Progress, ProgressUpdate, RowChange, TaskId, TaskMessage, TaskSnapshot,
    TraceParent, Transition, limits,
};
use baton_store::rows::{
    DeliveryKind, InboxState, LeaseChange, NewArtifactRef, NewDelivery, NewEvent, NewTaskMessage, NewTaskRow,
    ProgressChange, Redelivery, TaskChange,
};
use baton_store::{Ring, Snapshot, Transaction};
use std::borrow::Cow;

use super::actor::Actor;
use super::evidence::Digested;
use super::evidence::change::{self, ObservedPart};
use super::stamp::Stamp;
use super::{Error, frame, question};

/// What a new task carries that no rule reads.
#[derive(Debug, Clone)]
pub(super) struct Payload {
    pub priority: Priority,
    pub content: String,
    /// The content digested with the new task's salt: long texts take their time, and the writer has none to spare.
    pub content_digest: Option<Digested>,
    pub context: Option<String>,
    pub meta: Option<String>,
    /// What it consists of beside its text, a JSON array.
    pub parts: Option<String>,
    /// The trace it is sent in.
    pub traceparent: Option<TraceParent>,
}

impl Payload {
    /// An existing task's, for a retry.
    pub(super) fn of_task(tx: &dyn Transaction, id: &TaskId) -> Result<Option<Self>, Error> {
        Ok(tx.task(id)?.map(|task| Self {
            priority: task.priority,
            content: task.content,
            content_digest: None,
            context: task.context,
            meta: task.meta,
            parts: task.parts,
            traceparent: task.traceparent,
        }))
    }
}

/// What was decided, under which circumstances, and the token its event names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decided<'a> {
    pub context: &'a Context,
    pub transition: &'a Transition,
    pub actor_token: Option<&'a ActorToken>,
    /// What the task, the message or the reply refers to.
    pub artifacts: &'a [NewArtifactRef],
}

/// The token that the evidence of a transition names; none if it leaves none.
pub(super) fn recorded_token(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    network: &NetworkId,
    actor: &Actor,
    leaves_evidence: bool,
) -> Result<Option<ActorToken>, Error> {
    match leaves_evidence {
        true => actor.token_in(rows, &stamp.actor_tokens, network),
        false => Ok(None),
    }
}

/// Everything of one transition that effects refer to.
struct Move<'a> {
    stamp: &'a Stamp,
    context: &'a Context,
    network: &'a NetworkId,
    /// The task before; none when it is new.
    task: Option<&'a TaskSnapshot>,
    transition: &'a Transition,
    actor_token: Option<&'a ActorToken>,
    artifacts: &'a [NewArtifactRef],
    payload: Option<&'a Payload>,
}

/// Applies a transition, all of it, in the caller's transaction. Answers the number of its event within the task.
pub(super) fn apply(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    network: &NetworkId,
    task: Option<&TaskSnapshot>,
    decided: Decided<'_>,
    payload: Option<&Payload>,
) -> Result<Option<u64>, Error> {
    let Decided { context, transition, actor_token, artifacts } = decided;
    let change = Move { stamp, context, network, task, transition, actor_token, artifacts, payload };
    // A new task needs its row before its history. A task that ends has its row written last: it never changes after that.
    let number = match transition.effects.created {
        Some(_) => {
            change.row(tx)?;
            let number = change.history(tx)?;
            change.refer(tx, None, number)?;
            number
        }
        None => {
            let number = change.history(tx)?;
            if !change.is_message() {
                change.refer(tx, None, number)?;
            }
            change.row(tx)?;
            number
        }
    };
    change.deliveries(tx, number)?;
    change.notices(tx)?;
    Ok(number)
}

impl Move<'_> {
    /// The task's own row with its delivery and its lease, in one statement: a terminal row can be reached but never left.
    fn row(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        let (transition, effects) = (self.transition, &self.transition.effects);
        if let Some(task) = &effects.created {
            return self.insert(tx, task);
        }
        let changes = transition.is_move() || effects.row != RowChange::default();
        if let (true, Some(from)) = (changes, transition.from) {
            let change = self.change(&effects.row);
            tx.change_task(self.network, &transition.task_id, from, transition.to, &change)?;
        }
        Ok(())
    }

    /// The row's change as the store takes it.
    fn change(&self, row: &RowChange) -> TaskChange {
        TaskChange {
            answered_bare: self.stamp.answers_bare,
            is_rejected: row.is_rejected,
            to: row.assignee.clone(),
            attempt: row.attempt,
            delivered: row.delivered.map(|delivered| (delivered.at, delivered.expires_at)),
            expires_at: row.expires_at,
            started_at: row.started_at,
            result: row.result.clone(),
            completed_at: row.completed_at,
            lease: row.lease.as_ref().map(|lease| self.lease(lease)),
            due: row.due,
            progress: row.progress.as_ref().map(|progress| self.progress(progress)),
            inbox: row.inbox.and_then(|inbox| match inbox {
                InboxChange::Ack | InboxChange::AckEvery => Some(InboxState::Acked),
                InboxChange::AckOthers => None,
                InboxChange::Hide => Some(InboxState::Hidden),
                InboxChange::Show => Some(InboxState::Open),
            }),
            redelivery: row
                .delivery
                .as_ref()
                .map(|id| Redelivery { message_id: id.clone(), at: self.context.now }),
        }
    }

    fn progress(&self, progress: &ProgressUpdate) -> ProgressChange {
        match progress {
            ProgressUpdate::Report(Progress { percent, message }) => ProgressChange::Report {
                percent: percent.map(Percent::get),
                message: message.as_ref().map(ToString::to_string),
                at: self.context.now,
            },
            ProgressUpdate::Clear => ProgressChange::Clear,
        }
    }

    fn lease(&self, lease: &LeaseUpdate) -> LeaseChange {
        match lease {
            LeaseUpdate::Grant { lease, expires_at } => {
                let lease_millis = lease.deadline.millis_since(self.context.monotonic);
                LeaseChange::Grant {
                    lease_id: lease.id.clone(),
                    lease_seconds: u32::try_from(lease_millis / 1000).unwrap_or_default(),
                    deadline: lease.deadline,
                    expires_at: *expires_at,
                }
            }
            LeaseUpdate::Extend { lease, expires_at } => {
                LeaseChange::Extend { deadline: lease.deadline, expires_at: *expires_at }
            }
            LeaseUpdate::End => LeaseChange::End,
        }
    }

    fn insert(&self, tx: &mut dyn Transaction, task: &baton_core::NewTask) -> Result<(), Error> {
        let payload = self.payload.ok_or_else(|| missing("a new task has no payload"))?;
        tx.insert_task(NewTaskRow {
            task,
            status: self.transition.to,
            priority: payload.priority,
            content: &payload.content,
            context: payload.context.as_deref(),
            meta: payload.meta.as_deref(),
            parts: payload.parts.as_deref(),
            salt: self.stamp.new_salt.bytes(),
            traceparent: payload.traceparent,
        })?;
        Ok(())
    }

    /// The row of history and its evidence, each leading to the other.
    fn history(&self, tx: &mut dyn Transaction) -> Result<Option<u64>, Error> {
        let Some(event) = &self.transition.event else { return Ok(None) };
        let log_index = match self.stamp.records_evidence {
            true => Some(tx.log_size(self.network)?),
            false => None,
        };
        let number = tx.append_event(NewEvent {
            network_id: self.network,
            task_id: &self.transition.task_id,
            from: self.transition.from,
            to: self.transition.to,
            actor: &self.transition.actor,
            actor_token: self.actor_token,
            detail: &event.to_string(),
            at: self.context.now,
            log_index,
        })?;
        if let Some(log_index) = log_index {
            let parts: Vec<_> = self.artifacts.iter().map(ObservedPart::of).collect();
            change::write_down(tx, &self.seen(event, number, log_index, &parts)?)?;
        }
        Ok(Some(number))
    }

    /// What the evidence says of this.
    fn seen<'a>(
        &'a self,
        event: &'a Event,
        number: u64,
        log_index: u64,
        parts: &'a [ObservedPart],
    ) -> Result<change::ObservedChange<'a>, Error> {
        let effects = &self.transition.effects;
        let created = effects.created.as_deref();
        let (from, to, kind) = match (created, self.task) {
            (Some(task), _) => (&task.from, &task.to, &task.kind),
            (None, Some(task)) => (&task.from, &task.to, &task.kind),
            (None, None) => return Err(missing("a change of no task")),
        };
        Ok(change::ObservedChange {
            network: self.network,
            log_index,
            at: self.context.now,
            transition: self.transition,
            actor_token: self.actor_token,
            event,
            number,
            from,
            to: effects.row.assignee.as_ref().unwrap_or(to),
            kind,
            content: self.payload.map(|payload| &*payload.content),
            content_digest: created.and(self.payload).and_then(|payload| payload.content_digest.as_ref()),
            parts,
            new_salt: created.map(|_| &self.stamp.new_salt),
        })
    }

    /// What leaves the inboxes, and then what comes into one.
    fn deliveries(&self, tx: &mut dyn Transaction, number: Option<u64>) -> Result<(), Error> {
        let effects = &self.transition.effects;
        if matches!(effects.row.inbox, Some(InboxChange::AckEvery | InboxChange::AckOthers)) {
            tx.ack_deliveries_about(&self.transition.task_id)?;
        }
        let Some(Delivery { message_id, to, content }) = &effects.delivery else { return Ok(()) };
        match content {
            DeliveryContent::Message(message) => {
                let n = self.write_message(tx, message_id, message)?;
                self.refer(tx, Some(n), number)?;
                let text = match message {
                    TaskMessage::Question(asked) => Cow::Owned(question::delivered(asked)),
                    TaskMessage::Answer(_) | TaskMessage::Message(_) => Cow::Borrowed(message.text()),
                };
                self.deliver(tx, message_id, to, DeliveryKind::Message, &text)
            }
            DeliveryContent::Reply(text) => self.deliver(tx, message_id, to, DeliveryKind::Reply, text),
        }
    }

    fn notices(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        for (to, notice) in &self.transition.effects.notices {
            let body = frame::of_notice(tx.as_snapshot(), self.network, to, notice, &self.about()?)?;
            tell(tx, self.network, to, &body)?;
        }
        Ok(())
    }

    fn deliver(
        &self,
        tx: &mut dyn Transaction,
        message_id: &MessageId,
        to: &Principal,
        kind: DeliveryKind,
        text: &str,
    ) -> Result<(), Error> {
        put_delivery(
            tx,
            NewDelivery {
                message_id,
                network_id: self.network,
                to,
                from: &self.transition.actor,
                kind,
                priority: Priority::Normal,
                task_id: Some(&self.transition.task_id),
                content: text,
                at: self.context.now,
            },
        )
    }

    /// A message on a task stays with it, also when the delivery is gone.
    fn write_message(
        &self,
        tx: &mut dyn Transaction,
        message_id: &MessageId,
        said: &TaskMessage,
    ) -> Result<i64, Error> {
        let terms = match said {
            TaskMessage::Question(asked) => Some(&asked.terms),
            TaskMessage::Answer(_) | TaskMessage::Message(_) => None,
        };
        let options = terms.and_then(|terms| question::stored(&terms.options));
        let message = NewTaskMessage {
            network_id: self.network,
            task_id: &self.transition.task_id,
            message_id,
            author: &self.transition.actor,
            kind: said.kind(),
            content: said.text(),
            options: options.as_deref(),
            input_ttl_seconds: terms.map(|terms| terms.input_ttl.get()),
            auth_required: terms.is_some_and(|terms| terms.auth_required),
            parts: self.stamp.message_parts.as_deref(),
            meta: self.stamp.message_meta.as_deref(),
            at: self.context.now,
        };
        let most = limits::TASK_MESSAGES_MAX_BYTES;
        let said = tx.task_messages_bytes(message.network_id, message.task_id)?;
        if said + message.bytes() > most {
            let left = most.saturating_sub(said);
            let rule = format!("is too large: a task takes {most} bytes of messages, and has {left} left");
            return Err(Error::argument("message", rule));
        }
        let n = tx.append_task_message(message)?;
        if n > limits::TASK_MESSAGES_MAX_COUNT as i64 {
            let rule = format!("is one too many: a task takes {} messages", limits::TASK_MESSAGES_MAX_COUNT);
            return Err(Error::argument("message", rule));
        }
        Ok(n)
    }

    /// Whether what it delivers is a message: then that is what refers to artifacts.
    fn is_message(&self) -> bool {
        let delivery = self.transition.effects.delivery.as_ref();
        delivery.is_some_and(|delivery| matches!(delivery.content, DeliveryContent::Message(_)))
    }

    /// The references to artifacts, each with the message and the event it came with. Before the row of a task that ends.
    fn refer(
        &self,
        tx: &mut dyn Transaction,
        message: Option<i64>,
        number: Option<u64>,
    ) -> Result<(), Error> {
        if self.artifacts.is_empty() {
            return Ok(());
        }
        let event = number.and_then(|number| i64::try_from(number).ok());
        let placed = self.artifacts.iter().map(|new| NewArtifactRef { message, event, ..new.clone() });
        let placed: Vec<_> = placed.collect();
        let bytes: usize = placed.iter().map(NewArtifactRef::bytes).sum();
        if bytes > 0 {
            self.check_parts(tx, bytes)?;
        }
        let count = tx.add_artifact_refs(&self.transition.task_id, &placed)?;
        let most = limits::TASK_ARTIFACTS_MAX_COUNT;
        if count > most as i64 {
            return Err(Error::argument("artifacts", format!("are too many: a task takes {most} in all")));
        }
        if let (None, Some(task), true) = (number, self.task, self.stamp.records_evidence) {
            let parts: Vec<_> = placed.iter().map(ObservedPart::of).collect();
            let first = usize::try_from(count).unwrap_or_default() + 1 - parts.len();
            let (at, actor, actor_token) = (self.context.now, &self.transition.actor, self.actor_token);
            change::write_down_files(
                tx,
                &change::ObservedFiles { at, task, actor, actor_token, parts: &parts, first },
            )?;
        }
        Ok(())
    }

    /// Refuses more texts, links, data and metadata than a task may hold: every reader of the task reads all of them.
    fn check_parts(&self, tx: &dyn Transaction, bytes: usize) -> Result<(), Error> {
        let task = tx.task(&self.transition.task_id)?.ok_or_else(|| missing("parts of no task"))?;
        let most = limits::TASK_PARTS_MAX_BYTES;
        let left = most.saturating_sub(tx.artifact_refs_bytes(task.seq)?);
        if bytes > left {
            let rule = format!(
                "are too large: a task takes {most} bytes of parts beside files, and has {left} left"
            );
            return Err(Error::argument("parts", rule));
        }
        Ok(())
    }

    /// The task the frames and deliveries are about.
    fn about(&self) -> Result<frame::About<'_>, Error> {
        let created = self.transition.effects.created.as_ref().map(|task| &task.from);
        let from = created.or(self.task.map(|task| &task.from)).ok_or_else(|| missing("no sender"))?;
        let priority = self.payload.map_or(Priority::Normal, |payload| payload.priority);
        Ok(frame::About { task_id: &self.transition.task_id, from, actor: &self.transition.actor, priority })
    }
}

/// Deliveries whose ids end so hold their inbox to what is kept of it, one in 256: counting costs as much as an inbox
/// holds. Chance picks them, because any count might step in time with somebody's traffic.
const TRIMS: &str = "00";

/// Puts a message, a reply or a broadcast into an inbox. It leaves again when newer ones have pushed it out.
pub(super) fn put_delivery(tx: &mut dyn Transaction, delivery: NewDelivery<'_>) -> Result<(), Error> {
    tx.insert_delivery(delivery)?;
    if delivery.message_id.as_str().ends_with(TRIMS) {
        tx.trim_inbox(delivery.network_id, delivery.to, limits::DELIVERY_KEPT_COUNT)?;
    }
    Ok(())
}

/// Appends a frame to the network's feed and rings for its recipient.
pub(super) fn tell(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    to: &Principal,
    body: &str,
) -> Result<(), Error> {
    tx.append_frame(network, to, body)?;
    tx.ring(Ring { network_id: network.clone(), to: to.clone() });
    Ok(())
}

fn missing(what: &str) -> Error {
    Error::Store(baton_store::Error::Corrupt(what.into()))
}
