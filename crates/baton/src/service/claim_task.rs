//! Take the next task under a lease, waiting for one if asked to.

use baton_core::{
    Action, Alias, Caller, Command, Effect, LeaseId, LeaseSeconds, NetworkId, NodeCaller, Principal, Quota,
    Refusal, TaskAction, WaitSeconds, access,
};
use baton_store::{Ring, Transaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::place::role_in;
use super::stamp::Stamp;
use super::task_view::TaskView;
use super::wire_time::WireTime;
use super::{Error, operation};
use crate::hub::Hub;

/// How long to wait, and how long to hold.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = Claim)]
pub(crate) struct Args {
    /// 0 by default
    #[schemars(range(min = 0, max = 50))]
    #[schema(minimum = 0, maximum = 50)]
    pub(crate) wait_seconds: Option<i64>,
    /// 60 by default
    #[schemars(range(min = 5, max = 3600))]
    #[schema(minimum = 5, maximum = 3600)]
    pub(crate) lease_seconds: Option<i64>,
}

/// A task and the lease on it, or no task.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Claimed)]
pub(crate) struct Answer {
    ok: bool,
    task: Option<TaskView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lease_id: Option<LeaseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_expires_at: Option<WireTime>,
    /// The trace the task was sent in.
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
}

/// A task that was taken, and whether another waits behind it.
struct Taken {
    answer: Answer,
    is_last: bool,
}

const NOTHING: Answer =
    Answer { ok: true, task: None, lease_id: None, lease_expires_at: None, traceparent: None };

/// However late a ring comes, work is found within this time.
const BACKSTOP: Duration = Duration::from_secs(5);

/// Claims the next task of the caller's alias.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let wait = args.wait_seconds.map(|wait| WaitSeconds::parse("wait_seconds", wait)).transpose();
    let wait = wait.map_err(Error::of_argument)?.unwrap_or_default();
    let lease = args.lease_seconds.map(|lease| LeaseSeconds::parse("lease_seconds", lease)).transpose();
    let lease = lease.map_err(Error::of_argument)?.unwrap_or_default();
    let (node, alias) = worker(caller)?;
    let deadline = Instant::now() + Duration::from_secs(wait.get().into());
    let _present = hub.presences.connect(node);
    let whose = Ring { network_id: node.network_id.clone(), to: Principal::Node(alias.clone()) };
    let queue = hub.bells.claims.queue(whose);
    let mut is_likely = true;
    let mut waiting = None;
    loop {
        // In the queue before the look, so that nothing falls between the two.
        let mut turn = pin!(queue.turn());
        turn.as_mut().enable();
        let network = &node.network_id;
        let taken = match is_likely {
            true => take(hub, caller, network, alias, lease).await,
            false => look_and_take(hub, caller, network, alias, lease).await,
        };
        // What is left is another's: a ring may stand for several tasks, or have woken one who may not claim any more.
        if taken.as_ref().map_or(true, |taken| taken.as_ref().is_some_and(|taken| !taken.is_last)) {
            queue.pass_on();
        }
        if let Some(taken) = taken? {
            return Ok(taken.answer);
        }
        if Instant::now() >= deadline {
            return Ok(NOTHING);
        }
        if waiting.is_none() {
            waiting = Some(hub.occupy(Quota::WaitingClaims, network).await?);
        }
        let until = deadline.min(Instant::now() + BACKSTOP);
        is_likely = tokio::select! {
            () = turn => true,
            () = tokio::time::sleep_until(until) => false,
            () = hub.shutdown.wait() => return Ok(NOTHING),
        };
    }
}

/// Only an agent claims.
fn worker(caller: &Caller) -> Result<(&NodeCaller, &Alias), Refusal> {
    let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired) };
    let alias = node.alias.as_ref().ok_or(Refusal::TokenHasNoAlias)?;
    Ok((node, alias))
}

/// Looks on a read connection first: nobody rang, so most find nothing.
async fn look_and_take(
    hub: &Hub,
    caller: &Caller,
    network: &NetworkId,
    alias: &Alias,
    lease: LeaseSeconds,
) -> Result<Option<Taken>, Error> {
    let (looker, at, whose) = (caller.clone(), network.clone(), alias.clone());
    let is_there = hub.store.read(move |rows| -> Result<bool, Error> {
        may_claim(rows.member_role(&at, looker.user_id())?, &looker, &at)?;
        Ok(rows.next_task(&at, &whose)?.is_some())
    });
    if is_there.await? { take(hub, caller, network, alias, lease).await } else { Ok(None) }
}

/// Takes the next task, if there is one.
async fn take(
    hub: &Hub,
    caller: &Caller,
    network: &NetworkId,
    alias: &Alias,
    lease: LeaseSeconds,
) -> Result<Option<Taken>, Error> {
    let stamp = Stamp::new(hub);
    let (caller, network, alias) = (caller.clone(), network.clone(), alias.clone());
    hub.store.write_repeatably(move |tx| take_next(tx, &stamp, &caller, &network, &alias, lease)).await
}

fn may_claim(
    role: Option<baton_core::NetworkRole>,
    caller: &Caller,
    network: &NetworkId,
) -> Result<(), Refusal> {
    let action = Action::Task { action: TaskAction::Claim, parties: None };
    access::authorize(caller, network, role, action)
}

/// A claim may have waited: its token must still open what it opened, under the same alias.
fn check_token(tx: &dyn Transaction, caller: &Caller, alias: &Alias) -> Result<(), Error> {
    let (node, _) = worker(caller)?;
    let token = tx.token(&node.token_id)?.ok_or(Refusal::Unauthorized)?;
    if token.alias.as_ref() == Some(alias) { Ok(()) } else { Err(Refusal::Unauthorized.into()) }
}

fn take_next(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    network: &NetworkId,
    alias: &Alias,
    lease_seconds: LeaseSeconds,
) -> Result<Option<Taken>, Error> {
    may_claim(role_in(tx.as_snapshot(), caller, network)?, caller, network)?;
    check_token(tx, caller, alias)?;
    // Another worker of the alias may have been quicker.
    let Some(task_id) = tx.next_task(network, alias)? else { return Ok(None) };
    let Some(mut task) = tx.task(&task_id)? else { return Ok(None) };
    let command = Command::Claim { lease_id: stamp.new_lease_id.clone(), lease_seconds };
    let done = operation::claim(tx, stamp, caller, task.snapshot.clone(), &command)?;
    let expires_at = done.transition.effects.iter().find_map(|effect| match effect {
        Effect::GrantLease { expires_at, .. } => Some(WireTime(*expires_at)),
        _ => None,
    });
    // What a claim changes in the row, without reading it again.
    task.snapshot.status = done.transition.to;
    task.started_at = Some(stamp.now);
    let is_last = tx.next_task(network, alias)?.is_none();
    let traceparent = task.traceparent.map(|trace| trace.to_string());
    let answer = Answer {
        ok: true,
        task: Some(task.into()),
        lease_id: Some(stamp.new_lease_id.clone()),
        lease_expires_at: expires_at,
        traceparent,
    };
    Ok(Some(Taken { answer, is_last }))
}
