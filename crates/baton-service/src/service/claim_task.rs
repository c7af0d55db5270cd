//! Take tasks under leases, waiting for one if asked to. A claim that waits is parked in the store and run in the
//! transaction that makes a task claimable; so it has that batch's time, and ids and permission are looked at where it runs.

#[cfg(test)]
mod tests;

use baton_core::{
    Action, Alias, Caller, Command, LeaseId, LeaseSeconds, NetworkId, NetworkRole, NodeCaller, Quota,
    Refusal, TaskAction, WaitSeconds, access, limits,
};
use baton_store::rows::PageBounds;
use baton_store::{Inbox, Transaction, WhenEmpty};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::artifacts::{self, ArtifactView, Conversation};
use super::network_ref::role_in;
use super::stamp::StampSource;
use super::task_view::{TaskMessageView, TaskView, answer_bytes};
use super::wire_time::WireTime;
use super::{Error, operation, permit};
use crate::hub::Hub;

/// How long to wait, and how long to hold.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct Args {
    /// Wait so long for a task; 0 by default
    #[schemars(range(min = 0, max = limits::WAIT_MAX_SECONDS))]
    pub wait_seconds: Option<i64>,
    /// How long the task stays yours unless you extend it; 60 by default
    #[schemars(range(min = limits::LEASE_MIN_SECONDS, max = limits::LEASE_MAX_SECONDS))]
    pub lease_seconds: Option<i64>,
}

/// The body of `POST /api/claim`.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = Claim)]
pub struct BodyArgs {
    /// 0 by default
    pub wait_seconds: Option<i64>,
    /// 60 by default
    pub lease_seconds: Option<i64>,
    /// So many tasks at most, each under a lease of its own; then the answer has `tasks`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
}

/// A claim that goes with the reply to the task before.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = ClaimNext)]
#[serde(deny_unknown_fields)]
pub struct NextArgs {
    /// 0 by default
    #[schemars(range(min = 0, max = limits::WAIT_MAX_SECONDS))]
    pub wait_seconds: Option<i64>,
    /// 60 by default
    #[schemars(range(min = limits::LEASE_MIN_SECONDS, max = limits::LEASE_MAX_SECONDS))]
    pub lease_seconds: Option<i64>,
}

/// A task and the lease on it, or no task.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Claimed {
    ok: bool,
    #[schema(required)]
    task: Option<TaskView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_id: Option<LeaseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_expires_at: Option<WireTime>,
    /// The messages on the task, oldest first; only the newest if there are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<TaskMessageView>>,
    /// What came with the task, and what its work has brought so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<ArtifactView>>,
    /// The trace the task was sent in.
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
}

/// Tasks, each with its lease; none if there were none.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClaimedTasks {
    ok: bool,
    tasks: Vec<ClaimedTask>,
}

/// What `POST /api/claim` answers: one task, or with `max` a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ClaimAnswer {
    One(Box<Claimed>),
    Many(ClaimedTasks),
}

/// A task under a lease.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClaimedTask {
    task: TaskView,
    lease_id: LeaseId,
    lease_expires_at: Option<WireTime>,
    /// The messages on it, oldest first; only the newest if there are many.
    messages: Vec<TaskMessageView>,
    /// What came with it, and what its work has brought so far.
    artifacts: Vec<ArtifactView>,
    /// The trace it was sent in.
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
}

impl Claimed {
    /// The one task that was taken, if one was.
    pub(super) fn of(held: Option<Vec<ClaimedTask>>) -> Self {
        let Some(held) = held.and_then(|held| held.into_iter().next()) else {
            return Self { ok: true, ..Self::default() };
        };
        Self {
            ok: true,
            task: Some(held.task),
            lease_id: Some(held.lease_id),
            lease_expires_at: held.lease_expires_at,
            messages: Some(held.messages),
            artifacts: Some(held.artifacts),
            traceparent: held.traceparent,
        }
    }
}

/// Claims the next task of the caller's alias, for the tool.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Claimed, Error> {
    let wait = wait(args.wait_seconds)?;
    let claim = Claim::read(hub, caller, args.lease_seconds, 1)?;
    Ok(Claimed::of(claim.take_or_wait(hub, wait).await?))
}

/// Claims one task, or several.
pub async fn run_on_body(hub: &Hub, caller: &Caller, args: BodyArgs) -> Result<ClaimAnswer, Error> {
    let max = args.max.map(|max| match usize::try_from(max) {
        Ok(max) if (1..=limits::CLAIM_MAX_COUNT).contains(&max) => Ok(max),
        _ => Err(Error::argument("max", format!("must be 1 to {}", limits::CLAIM_MAX_COUNT))),
    });
    let (max, wait) = (max.transpose()?, wait(args.wait_seconds)?);
    let claim = Claim::read(hub, caller, args.lease_seconds, max.unwrap_or(1))?;
    let held = claim.take_or_wait(hub, wait).await?;
    Ok(match max {
        None => ClaimAnswer::One(Box::new(Claimed::of(held))),
        Some(_) => ClaimAnswer::Many(ClaimedTasks { ok: true, tasks: held.unwrap_or_default() }),
    })
}

/// How many messages of a task are shown: few, because they are read on the writer's thread and no memory is
/// reserved for a claim while it waits.
const SHOWN: PageBounds =
    PageBounds { rows: limits::TASK_MESSAGES_SHOWN_COUNT, bytes: limits::CLAIM_MESSAGES_MAX_BYTES };

fn wait(seconds: Option<i64>) -> Result<WaitSeconds, Error> {
    let wait = seconds.map(|wait| WaitSeconds::parse("wait_seconds", wait)).transpose();
    Ok(wait.map_err(Error::of_argument)?.unwrap_or_default())
}

/// A claim, its arguments checked; may be run any number of times.
#[derive(Clone)]
pub struct Claim {
    caller: Caller,
    node: NodeCaller,
    inbox: Inbox,
    lease: LeaseSeconds,
    max: usize,
    stamper: StampSource,
}

impl Claim {
    /// The claim that goes with a reply, and how long it waits.
    pub(super) fn next(hub: &Hub, caller: &Caller, args: NextArgs) -> Result<(Self, WaitSeconds), Error> {
        let in_next = |error| match error {
            Error::Argument { field, rule } => Error::argument(format!("claim_next.{field}"), rule),
            error => error,
        };
        let wait = wait(args.wait_seconds).map_err(in_next)?;
        Ok((Self::read(hub, caller, args.lease_seconds, 1).map_err(in_next)?, wait))
    }

    fn read(hub: &Hub, caller: &Caller, lease_seconds: Option<i64>, max: usize) -> Result<Self, Error> {
        let lease = lease_seconds.map(|lease| LeaseSeconds::parse("lease_seconds", lease)).transpose();
        let lease = lease.map_err(Error::of_argument)?.unwrap_or_default();
        // Only an agent claims.
        let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
        let alias = node.alias.clone().ok_or(Refusal::TokenHasNoAlias)?;
        let inbox = Inbox { network_id: node.network_id.clone(), alias };
        let (caller, node) = (caller.clone(), node.clone());
        Ok(Self { caller, node, inbox, lease, max, stamper: StampSource::of(hub) })
    }

    /// Takes what there is, or else waits for a task.
    pub(super) async fn take_or_wait(
        &self,
        hub: &Hub,
        wait: WaitSeconds,
    ) -> Result<Option<Vec<ClaimedTask>>, Error> {
        let _present = hub.presences.connect(&self.node);
        if wait.get() == 0 {
            return self.submit(hub, WhenEmpty::Answer)?.found().await;
        }
        match hub.occupy(Quota::WaitingClaims, &self.inbox.network_id).await {
            Ok(_occupied) => self.wait(hub, Instant::now() + Duration::from_secs(wait.get().into())).await,
            // No waiting slot is free, but a task that is there can be claimed.
            Err(refused) => self.submit(hub, WhenEmpty::Answer)?.found().await?.map(Some).ok_or(refused),
        }
    }

    async fn wait(&self, hub: &Hub, deadline: Instant) -> Result<Option<Vec<ClaimedTask>>, Error> {
        let mut waiting = self.submit(hub, WhenEmpty::Park)?;
        loop {
            let until = deadline.min(Instant::now() + limits::CLAIM_LOOK_EVERY);
            tokio::select! {
                found = waiting.found() => return found,
                () = tokio::time::sleep_until(until) => {}
                () = hub.shutdown.wait() => return waiting.end().await,
            }
            if Instant::now() >= deadline {
                return waiting.end().await;
            }
            let is_there = match self.is_there(hub).await {
                Ok(is_there) => is_there,
                // A task may have been given meanwhile; an answer that nothing was changed would be wrong.
                Err(error) => return waiting.end().await?.map(Some).ok_or(error),
            };
            if is_there {
                let missed = waiting.end().await?;
                if missed.is_some() {
                    return Ok(missed);
                }
                waiting = self.submit(hub, WhenEmpty::Park)?;
            }
        }
    }

    fn submit(
        &self,
        hub: &Hub,
        if_nothing: WhenEmpty,
    ) -> Result<baton_store::Claim<Vec<ClaimedTask>, Error>, Error> {
        let claim = self.clone();
        Ok(hub.store_for(&self.caller).claim(self.inbox.clone(), if_nothing, move |tx| claim.take(tx))?)
    }

    /// Whether there is a task that nobody was given, on a read connection: mostly there is none.
    async fn is_there(&self, hub: &Hub) -> Result<bool, Error> {
        let claim = self.clone();
        let look = hub.store_for(&self.caller).read(move |rows| -> Result<bool, Error> {
            let Inbox { network_id, alias } = &claim.inbox;
            claim.check_role(role_in(rows, &claim.caller, network_id)?)?;
            permit::token_stands(rows, &claim.caller)?;
            Ok(rows.next_task(network_id, alias)?.is_some())
        });
        look.await
    }

    fn check_role(&self, role: Option<NetworkRole>) -> Result<(), Refusal> {
        let action = Action::Task { action: TaskAction::Claim, parties: None };
        access::authorize(&self.caller, &self.inbox.network_id, role, action)
    }

    /// Takes the next tasks, as many as are wanted and fit into an answer; none if there are none.
    pub(super) fn take(&self, tx: &mut dyn Transaction) -> Result<Option<Vec<ClaimedTask>>, Error> {
        let Inbox { network_id, alias } = &self.inbox;
        self.check_role(role_in(tx.as_snapshot(), &self.caller, network_id)?)?;
        // The claim may have waited: its token must still open what it opened, under the same alias.
        permit::token_stands(tx.as_snapshot(), &self.caller)?;
        let mut held = Vec::new();
        let mut room = limits::CLAIM_ANSWER_MAX_BYTES;
        while held.len() < self.max
            && let Some(next) = self.take_next(tx, network_id, alias, held.is_empty(), &mut room)?
        {
            held.push(next);
        }
        Ok((!held.is_empty()).then_some(held))
    }

    /// Takes one more; none if there is none, or it does not fit beside the others.
    fn take_next(
        &self,
        tx: &mut dyn Transaction,
        network: &NetworkId,
        alias: &Alias,
        is_first: bool,
        room: &mut usize,
    ) -> Result<Option<ClaimedTask>, Error> {
        // Another worker of the alias may have been quicker.
        let Some(task_id) = tx.next_task(network, alias)? else { return Ok(None) };
        let Some(mut task) = tx.task(&task_id)? else { return Ok(None) };
        let messages = tx.newest_task_messages(network, &task_id, None, SHOWN)?;
        let refs = artifacts::of_task(tx.as_snapshot(), &task)?;
        let bytes = answer_bytes(&task, &messages, &refs);
        if !is_first && bytes > *room {
            return Ok(None);
        }
        *room = room.saturating_sub(bytes);
        let stamp = self.stamper.stamp_in(tx);
        let lease_id = stamp.new_lease_id.clone();
        let command = Command::Claim { lease_id: lease_id.clone(), lease_seconds: self.lease };
        let done = operation::claim(tx, &stamp, &self.caller, task.snapshot.clone(), &command)?;
        let written = done.transition.effects.row;
        let lease_expires_at = written.lease.and_then(|lease| lease.expires_at()).map(WireTime);
        // What a claim changes in the row, without reading it again.
        task.snapshot.status = done.transition.to;
        task.started_at = written.started_at;
        let traceparent = task.traceparent.map(|trace| trace.to_string());
        let Conversation { messages, artifacts } = Conversation::new(messages, refs);
        Ok(Some(ClaimedTask {
            task: task.into(),
            lease_id,
            lease_expires_at,
            messages,
            artifacts,
            traceparent,
        }))
    }
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Claim").field("inbox", &self.inbox).finish_non_exhaustive()
    }
}
