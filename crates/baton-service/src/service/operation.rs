//! The one way a task changes: load it, ask who may, ask what follows, write all of it. Every use case that
//! touches a task goes through [`act`], inside its transaction, so every door has the same rules.

use baton_core::{
    Action, ActorToken, ArtifactSource, Caller, Command, Context, NetworkId, Principal, Refusal, Status,
    TaskId, TaskSnapshot, Transition, decide,
};
use baton_store::rows::NewArtifactRef;
use baton_store::{Snapshot, Transaction};

use super::Error;
use super::accounts::quotas;
use super::actor::Actor;
use super::apply::{self, Decided, Payload};
use super::artifacts::{self, reference};
use super::network_ref::NetworkRef;
use super::permit::Permitted;
use super::stamp::Stamp;
use super::{presence, question};

/// What was done to a task.
#[derive(Debug, Clone)]
pub struct Done {
    /// The task as it stood before.
    pub before: TaskSnapshot,
    pub transition: Transition,
    /// The number of the event within the task, if it left one.
    pub event_number: Option<u64>,
    /// The token that event names.
    pub actor_token: Option<ActorToken>,
    /// What it refers to.
    pub artifacts: Vec<NewArtifactRef>,
}

/// A caller's command to an existing task.
pub(super) fn act(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    place: &NetworkRef,
    task_id: Option<&TaskId>,
    command: &Command,
) -> Result<Done, Error> {
    let found = find_for(tx.as_snapshot(), stamp, caller, place, task_id, command)?;
    act_on(tx, stamp, found, command)
}

/// The same for a task that was found for the command.
pub(super) fn act_on(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    found: Found<'_>,
    command: &Command,
) -> Result<Done, Error> {
    let source = match command {
        Command::Reply { .. } => ArtifactSource::Reply,
        _ => ArtifactSource::Message,
    };
    let artifacts = reference::resolve(tx.as_snapshot(), &found.permitted, &stamp.artifacts, source)?;
    carry_out_with(tx, stamp, &found.actor, found.task, command, artifacts)
}

/// A task whose caller may do to it what it wants to.
pub(super) struct Found<'a> {
    pub(super) task: TaskSnapshot,
    pub(super) actor: Actor,
    pub(super) permitted: Permitted<'a>,
}

/// The task a caller's command is for, and the identity the caller acts as; nothing is decided yet.
pub(super) fn find_for<'a>(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    caller: &'a Caller,
    place: &NetworkRef,
    task_id: Option<&TaskId>,
    command: &Command,
) -> Result<Found<'a>, Error> {
    let (task, permitted) = find(rows, caller, place, task_id, command)?;
    let actor = Actor::of(caller)?;
    match task {
        Some(task) => Ok(Found { task, actor, permitted }),
        None => {
            let refusal = decide(None, command, &stamp.context(stamp.time.clone(), actor.principal)).err();
            Err(refusal.unwrap_or(Refusal::TaskNotFound).into())
        }
    }
}

/// Finds the task a caller means and asks whether the caller may. Who may not see it learns nothing of it.
fn find<'a>(
    rows: &dyn Snapshot,
    caller: &'a Caller,
    place: &NetworkRef,
    task_id: Option<&TaskId>,
    command: &Command,
) -> Result<(Option<TaskSnapshot>, Permitted<'a>), Error> {
    // A send makes its task, and what the hub does by itself no caller may.
    let action = command.task_action().ok_or(Refusal::TaskNotFound)?;
    let stand = place.resolve(rows, caller, task_id)?;
    let task = match task_id {
        Some(id) => rows.task_snapshot_in(&stand.network, id)?,
        None => None,
    };
    let parties = task.as_ref().map(TaskSnapshot::parties);
    let permitted = Permitted::ask(caller, stand, Action::Task { action, parties })?;
    Ok((task, permitted))
}

/// Whether a caller's command would be carried out as things stand, asked before work is done for it. Answers the network.
pub(super) fn would_act(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    caller: &Caller,
    place: &NetworkRef,
    task_id: &TaskId,
    command: &Command,
) -> Result<NetworkId, Error> {
    let Found { task, actor, .. } = find_for(rows, stamp, caller, place, Some(task_id), command)?;
    let mut context = stamp.context(stamp.time.clone(), actor.principal);
    fill_in(rows, stamp, &task, command, &mut context)?;
    decide(Some(&task), command, &context)?;
    Ok(task.network_id)
}

/// The hub's own command to a task: a lapse or an expiry.
pub(super) fn act_as_hub(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    task_id: &TaskId,
    command: &Command,
) -> Result<Done, Error> {
    let task = tx.task_snapshot(task_id)?.ok_or(Refusal::TaskNotFound)?;
    carry_out(tx, stamp, &Actor::HUB, task, command)
}

/// Whether the hub's own command would be carried out as things stand; asked before it is worth a write.
pub(super) fn would_act_as_hub(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    task_id: &TaskId,
    command: &Command,
) -> Result<bool, Error> {
    let Some(task) = rows.task_snapshot(task_id)? else { return Ok(false) };
    let mut context = stamp.context(stamp.time.clone(), Principal::Hub);
    fill_in(rows, stamp, &task, command, &mut context)?;
    Ok(decide(Some(&task), command, &context).is_ok())
}

/// A worker's claim of a task it was found to be next in line for.
pub(super) fn claim(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    task: TaskSnapshot,
    command: &Command,
) -> Result<Done, Error> {
    carry_out(tx, stamp, &Actor::of(caller)?, task, command)
}

/// Decides a command to a task and writes what follows.
pub(super) fn carry_out(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    actor: &Actor,
    task: TaskSnapshot,
    command: &Command,
) -> Result<Done, Error> {
    carry_out_with(tx, stamp, actor, task, command, Vec::new())
}

/// The same for a command that artifacts come with.
pub(super) fn carry_out_with(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    actor: &Actor,
    task: TaskSnapshot,
    command: &Command,
    mut artifacts: Vec<NewArtifactRef>,
) -> Result<Done, Error> {
    let mut context = stamp.context(tx.time(), actor.principal.clone());
    fill_in(tx.as_snapshot(), stamp, &task, command, &mut context)?;
    let transition = decide(Some(&task), command, &context)?;
    match command {
        Command::Retry { .. } => {
            artifacts = retried_artifacts(tx, &task.id)?;
            quotas::admit_task(tx.as_snapshot(), &task.network_id, &Principal::Node(task.to.clone()))?;
        }
        Command::Reassign { new_alias } => {
            quotas::admit_to_inbox(tx.as_snapshot(), &task.network_id, &Principal::Node(new_alias.clone()))?;
        }
        _ => {}
    }
    let payload = match command {
        // These deliver or announce a task that exists, with its own priority.
        Command::Retry { .. }
        | Command::Reassign { .. }
        | Command::LapseLease { .. }
        | Command::ComeDue
        | Command::Answer { .. }
        | Command::FollowUp { .. } => Payload::of_task(tx, &task.id)?,
        _ => None,
    };
    let network = &task.network_id;
    let leaves_evidence = transition.event.is_some() || !artifacts.is_empty();
    let actor_token = apply::recorded_token(tx.as_snapshot(), stamp, network, actor, leaves_evidence)?;
    let decided = Decided {
        context: &context,
        transition: &transition,
        actor_token: actor_token.as_ref(),
        artifacts: &artifacts,
    };
    let event_number = apply::apply(tx, stamp, network, Some(&task), decided, payload.as_ref())?;
    Ok(Done { before: task, transition, event_number, actor_token, artifacts })
}

/// What the task that is made of another one comes with: what the other came with.
fn retried_artifacts(tx: &dyn Transaction, id: &TaskId) -> Result<Vec<NewArtifactRef>, Error> {
    match tx.task(id)? {
        Some(task) => Ok(reference::of_retried(artifacts::of_task(tx.as_snapshot(), &task)?)),
        None => Ok(Vec::new()),
    }
}

/// Reads what the decision asks of the store.
fn fill_in(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    task: &TaskSnapshot,
    command: &Command,
    context: &mut Context,
) -> Result<(), Error> {
    let is_about_the_question =
        matches!(command, Command::Answer { .. } | Command::FollowUp { .. } | Command::Expire);
    if task.status == Status::WaitingInput && is_about_the_question {
        context.facts.question = question::terms(rows, task)?;
    }
    match command {
        Command::Reassign { new_alias } => {
            context.facts.recipient_exists = rows.alias_exists(&task.network_id, new_alias)?;
        }
        Command::Retry { .. } => {
            context.facts.recipient_exists = rows.alias_exists(&task.network_id, &task.to)?;
        }
        Command::Expire => {
            let seen = presence::of_agent(rows, stamp, &task.network_id, &task.to)?;
            context.facts.assignee = stamp.presences.of_worker(seen);
        }
        _ => {}
    }
    Ok(())
}
