//! An agent's workers: each registers under an id of its own, repeats that every `limits::WORKER_SEEN_EVERY_SECONDS`, and
//! removes itself when it stops. One that is silent counts as gone, and its row is removed later (`sweep.rs`).

use baton_core::{Action, Alias, Caller, NodeCaller, Quota, Refusal, access, limits};
use baton_store::rows::{AliasProfile, WorkerRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::quotas;
use crate::service::network_ref::role_in;
use crate::service::skills::{self, Skill};
use crate::service::stamp::Stamp;
use crate::service::{Error, capabilities, labels, permit};

/// The agent that a worker works as: its token's.
struct Worker {
    node: NodeCaller,
    alias: Alias,
    id: String,
}

impl Worker {
    /// Reads who calls and the id in the path.
    fn read(caller: &Caller, worker_id: String) -> Result<Self, Error> {
        let Caller::Node(node) = caller else { return Err(Refusal::NetworkTokenRequired.into()) };
        let is_id = (1..=limits::WORKER_ID_MAX_CHARS).contains(&worker_id.len())
            && worker_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !is_id {
            let rule = format!("must be 1-{} of A-Z a-z 0-9 . _ -", limits::WORKER_ID_MAX_CHARS);
            return Err(Error::argument("worker_id", rule));
        }
        let alias = node.alias.clone().ok_or(Refusal::TokenHasNoAlias)?;
        Ok(Self { node: node.clone(), alias, id: worker_id })
    }

    /// Whether it may still report, asked in the transaction that writes: a token that was revoked meanwhile has no worker.
    fn authorize(&self, rows: &dyn Snapshot) -> Result<(), Error> {
        let caller = Caller::Node(self.node.clone());
        let network = &self.node.network_id;
        access::authorize(&caller, network, role_in(rows, &caller, network)?, Action::ReportStatus)?;
        permit::token_stands(rows, &caller)
    }
}

/// What the worker reports; it replaces what it reported before.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = WorkerReport)]
pub struct Report {
    pub hostname: Option<String>,
    pub project_dir: Option<String>,
    pub version: Option<String>,
    /// Tasks to run at the same time
    pub concurrency: Option<i64>,
    /// What the agent is, in a sentence; kept when the worker stops
    pub description: Option<String>,
    /// What the agent can do; kept when the worker stops
    pub skills: Option<Vec<Skill>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WorkerSeen {
    ok: bool,
    worker_id: String,
    alias: String,
}

/// Registers a worker, or notes that it still runs; with it comes what its agent is and can do.
pub async fn put(hub: &Hub, caller: &Caller, worker_id: String, args: Report) -> Result<WorkerSeen, Error> {
    let worker = Worker::read(caller, worker_id)?;
    let skills = args.check()?;
    let answer = WorkerSeen { ok: true, worker_id: worker.id.clone(), alias: worker.alias.to_string() };
    let stamp = Stamp::new(hub);
    let put = move |tx: &mut dyn Transaction| note(tx, &stamp, &worker, &args, skills.as_deref());
    hub.store_for(caller).write(put).await?;
    Ok(answer)
}

impl Report {
    /// Checks the report, and returns the skills as they are stored.
    fn check(&self) -> Result<Option<String>, Error> {
        for (field, label) in [
            ("hostname", &self.hostname),
            ("project_dir", &self.project_dir),
            ("version", &self.version),
            ("description", &self.description),
        ] {
            labels::at_most(field, label.as_deref().unwrap_or_default(), limits::LABEL_MAX_CHARS)?;
        }
        let most = limits::WORKER_CONCURRENCY_MAX_COUNT;
        if self.concurrency.is_some_and(|concurrency| !(1..=most).contains(&concurrency)) {
            return Err(Error::argument("concurrency", format!("must be 1 to {most}")));
        }
        skills::check(self.skills.as_deref().unwrap_or_default())?;
        let skills = self.skills.as_deref().map(skills::to_row).transpose()?;
        if skills.as_ref().is_some_and(|skills| skills.len() > limits::WORKER_SKILLS_MAX_BYTES) {
            let most = limits::WORKER_SKILLS_MAX_BYTES;
            return Err(Error::argument("skills", format!("must be at most {most} bytes as JSON")));
        }
        Ok(skills)
    }
}

fn note(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    worker: &Worker,
    args: &Report,
    skills: Option<&str>,
) -> Result<(), Error> {
    worker.authorize(tx.as_snapshot())?;
    let (network, now) = (&worker.node.network_id, tx.time().now);
    let before = tx.worker(network, &worker.alias, &worker.id)?;
    if before.is_none() {
        quotas::admit_to_network(tx.as_snapshot(), network, Quota::Workers)?;
    }
    let row = WorkerRow {
        network_id: network.clone(),
        alias: worker.alias.clone(),
        worker_id: worker.id.clone(),
        token_id: worker.node.token_id.clone(),
        hostname: args.hostname.clone(),
        project_dir: args.project_dir.clone(),
        version: args.version.clone(),
        concurrency: args.concurrency,
        description: args.description.clone(),
        skills: skills.map(str::to_owned),
        started_at: before.as_ref().map_or(now, |before| before.started_at),
        last_seen_at: now,
    };
    tx.put_worker(&row, limits::WORKERS_PER_ALIAS_MAX_COUNT)?;
    let said = AliasProfile { description: row.description, skills: row.skills };
    let said_before =
        before.map(|before| AliasProfile { description: before.description, skills: before.skills });
    // Two workers that say different things repeat them: only what one of them says again counts.
    if said != AliasProfile::default() && said_before.as_ref() != Some(&said) {
        capabilities::keep(tx, stamp, network, &worker.alias, &said)?;
    }
    Ok(())
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkerRemoved)]
pub struct Removed {
    ok: bool,
    /// False if the agent had no such worker
    removed: bool,
}

/// Removes a worker that has stopped.
pub async fn remove(hub: &Hub, caller: &Caller, worker_id: String) -> Result<Removed, Error> {
    let worker = Worker::read(caller, worker_id)?;
    let remove = move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        worker.authorize(tx.as_snapshot())?;
        Ok(tx.remove_worker(&worker.node.network_id, &worker.alias, &worker.id)?)
    };
    let removed = hub.store_for(caller).write(remove).await?;
    Ok(Removed { ok: true, removed })
}
