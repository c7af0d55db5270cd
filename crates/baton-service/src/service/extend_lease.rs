//! Keep a lease, and say how far the work is.

use baton_core::{
    Caller, Command, DefaultNetwork, LeaseId, LeaseSeconds, NodeCaller, Percent, Progress, Refusal,
    UnixMillis, limits,
};
use baton_store::Transaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::network_ref::NetworkRef;
use super::stamp::Stamp;
use super::wire_time::WireTime;
use super::{Error, operation, report_status, send_reply};
use crate::hub::Hub;

/// Which lease, and for how long.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The lease you hold
    lease_id: String,
    /// From now on; as long as it was taken for by default
    #[schemars(range(min = limits::LEASE_MIN_SECONDS, max = limits::LEASE_MAX_SECONDS))]
    lease_seconds: Option<i64>,
    /// Percent
    #[schemars(range(min = 0, max = limits::PROGRESS_MAX_PERCENT))]
    progress: Option<i64>,
    /// Shown in the session instead of its last, 4000 characters; report_progress appends to the task's output
    output: Option<String>,
}

/// The body of `POST /api/leases/:id/extend`.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = LeaseExtension)]
pub struct PathArgs {
    pub lease_seconds: Option<i64>,
    pub progress: Option<i64>,
    /// What the agent's session shows as its output from now on, at most 4000 characters. It is not appended to the task's
    /// output: workers of earlier releases send the same text again with each extension
    pub output: Option<String>,
}

/// Until when it holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeaseExtended {
    ok: bool,
    lease_expires_at: WireTime,
}

/// Extends the lease in the path.
pub async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    lease_id: String,
    args: PathArgs,
) -> Result<LeaseExtended, Error> {
    let PathArgs { lease_seconds, progress, output } = args;
    run(hub, caller, Args { lease_id, lease_seconds, progress, output }).await
}

/// Extends a lease.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<LeaseExtended, Error> {
    let lease_seconds =
        args.lease_seconds.map(|lease| LeaseSeconds::parse("lease_seconds", lease)).transpose();
    let lease_seconds = lease_seconds.map_err(Error::of_argument)?;
    let progress = args.progress.map(check_progress).transpose()?;
    let lease_id = send_reply::lease(Some(&args.lease_id))?.ok_or(Refusal::LeaseLost)?;
    let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
    let (node, caller) = (node.clone(), caller.clone());
    let stamp = Stamp::new(hub);
    // Watchers receive progress as a transient frame, as for a report.
    let passing = node.alias.as_ref().filter(|_| progress.is_some());
    let passing = passing.map(|alias| report_status::passing_frame(alias, "working", progress));
    let network = node.network_id.clone();
    let answer = hub
        .store_for(&caller)
        .write(move |tx| -> Result<LeaseExtended, Error> {
            let until = extend(tx, &stamp, &caller, &lease_id, lease_seconds)?;
            report(tx, &node, progress, args.output.as_deref())?;
            report_on_task(tx, &stamp, &caller, &node, &lease_id, progress)?;
            Ok(LeaseExtended { ok: true, lease_expires_at: WireTime(until) })
        })
        .await?;
    if let Some(passing) = passing {
        hub.send_transient(&network, passing);
    }
    Ok(answer)
}

/// Extends a lease of the caller's network, by as long as it was given for unless named. Answers until when.
pub fn extend(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    lease_id: &LeaseId,
    lease_seconds: Option<LeaseSeconds>,
) -> Result<UnixMillis, Error> {
    let lease = tx.lease(lease_id)?.ok_or(Refusal::LeaseLost)?;
    if matches!(caller, Caller::Node(node) if node.network_id != lease.network_id) {
        return Err(Refusal::LeaseLost.into());
    }
    let given = LeaseSeconds::parse("lease_seconds", lease.lease_seconds.into()).unwrap_or_default();
    let command =
        Command::Extend { lease_id: lease_id.clone(), lease_seconds: lease_seconds.unwrap_or(given) };
    let place = NetworkRef::Named(Some(lease.network_id), DefaultNetwork::IsDenied);
    let done = operation::act(tx, stamp, caller, &place, Some(&lease.task_id), &command)?;
    let until = done.transition.effects.row.lease.and_then(|lease| lease.expires_at());
    Ok(until.unwrap_or(lease.expires_at))
}

/// A percentage.
pub fn check_progress(progress: i64) -> Result<i64, Error> {
    if (0..=i64::from(limits::PROGRESS_MAX_PERCENT)).contains(&progress) {
        return Ok(progress);
    }
    Err(Error::argument("progress", format!("must be 0 to {}", limits::PROGRESS_MAX_PERCENT)))
}

/// So much of an output is kept; more is cut, never refused.
pub fn kept_output(output: &str) -> String {
    output.chars().take(limits::OUTPUT_KEPT_CHARS).collect()
}

/// Keeps progress with the task. No turn is waited for: a lease must not be lost meanwhile, and its row is written anyway.
fn report_on_task(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    node: &NodeCaller,
    lease_id: &LeaseId,
    percent: Option<i64>,
) -> Result<(), Error> {
    let percent = percent.map(|percent| Percent::parse("progress", percent)).transpose();
    let progress = Progress { percent: percent.map_err(Error::of_argument)?, message: None };
    if progress.is_empty() {
        return Ok(());
    }
    let task = tx.lease(lease_id)?.ok_or(Refusal::LeaseLost)?.task_id;
    let command = Command::ReportProgress { lease_id: lease_id.clone(), progress };
    let place = NetworkRef::Named(Some(node.network_id.clone()), DefaultNetwork::IsDenied);
    operation::act(tx, stamp, caller, &place, Some(&task), &command)?;
    Ok(())
}

/// Notes progress and output in the agent's session, if it has one.
fn report(
    tx: &mut dyn Transaction,
    node: &NodeCaller,
    progress: Option<i64>,
    output: Option<&str>,
) -> Result<(), Error> {
    let Some(alias) = node.alias.as_ref().filter(|_| progress.is_some() || output.is_some()) else {
        return Ok(());
    };
    let Some(mut session) = tx.session(&node.network_id, alias)? else { return Ok(()) };
    session.progress = progress.or(session.progress);
    session.output = output.map(kept_output).or(session.output);
    session.updated_at = tx.time().now;
    Ok(tx.put_session(&session)?)
}
