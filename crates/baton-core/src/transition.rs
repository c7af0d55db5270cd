//! A decision that something happens: from where to where, by whom, and everything that goes with it.
//! A store applies it in one transaction or not at all.

use crate::effects::Effects;
use crate::event::Event;
use crate::principal::Principal;
use crate::status::Status;
use crate::task::TaskSnapshot;
use crate::uuid::TaskId;

/// One task's move, ready to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The task that moves; the new one for a send and a retry.
    pub task_id: TaskId,
    /// Where it stood; nowhere when it is new.
    pub from: Option<Status>,
    /// Where it stands now.
    pub to: Status,
    /// Who did it.
    pub actor: Principal,
    /// The row of its history; none when the status stays and nobody would look for it there.
    pub event: Option<Event>,
    /// What goes with it.
    pub effects: Effects,
}

impl Transition {
    /// Whether the status changes.
    pub fn is_move(&self) -> bool {
        self.from != Some(self.to)
    }

    /// An existing task reaches `to`, or stands there again.
    pub(crate) fn to(task: &TaskSnapshot, to: Status, actor: &Principal, event: Event) -> Self {
        let from = Some(task.status);
        Self {
            task_id: task.id.clone(),
            from,
            to,
            actor: actor.clone(),
            event: Some(event),
            effects: Effects::default(),
        }
    }

    /// An existing task stays where it is, without a row of history.
    pub(crate) fn stay(task: &TaskSnapshot, actor: &Principal) -> Self {
        let status = task.status;
        Self {
            task_id: task.id.clone(),
            from: Some(status),
            to: status,
            actor: actor.clone(),
            event: None,
            effects: Effects::default(),
        }
    }

    /// The same with everything that goes with it.
    pub(crate) fn with(self, effects: Effects) -> Self {
        Self { effects, ..self }
    }
}
