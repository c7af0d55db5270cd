//! The loop of one agent of others: resumes what was out before a restart, claims what comes, calls off there what was
//! called off here. It acts as the alias, through the same use cases as every worker.

use baton_core::{Caller, LeaseId, Refusal, TaskId, limits};
use baton_store::rows::{RemoteRow, RemoteTaskRow};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::errand::Errand;
use crate::hub::{Hub, Shutdown};
use crate::peer::{Peer, Trouble};
use crate::service::push_configs::node_caller;
use crate::service::{Error, claim_task};

/// How soon a task that was called off while nobody worked on it is called off there too.
const LOOK: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_secs(1);
const REFUSED: Duration = Duration::from_secs(30);
const CARD_KEPT: Duration = Duration::from_secs(limits::REMOTE_CARD_KEPT_SECONDS as u64);
/// How long one claim waits.
const WAIT_SECONDS: i64 = 20;

/// One agent of others, as its errands share it.
pub(super) struct Remote {
    pub(super) hub: Arc<Hub>,
    pub(super) row: RemoteRow,
    /// Tasks an errand is out for.
    out: Mutex<HashSet<TaskId>>,
    /// Rings when an errand ended without an end of its task.
    pub(super) dropped: Notify,
    /// The card as last read, and when.
    peer: tokio::sync::Mutex<Option<(Instant, Peer)>>,
}

impl Remote {
    /// How to speak to it, from a card that is not old.
    pub(super) async fn peer(&self) -> Result<Peer, Trouble> {
        let mut known = self.peer.lock().await;
        if let Some((read_at, peer)) = &*known
            && read_at.elapsed() < CARD_KEPT
        {
            return Ok(peer.clone());
        }
        let credential = self.row.credential.as_ref().map(|credential| &*credential.0);
        let peer = Peer::find(&self.hub.outbound, &self.row.card_url, credential).await?;
        *known = Some((Instant::now(), peer.clone()));
        Ok(peer)
    }

    /// Its card is read anew before the next call: what it says may be why the last one failed.
    pub(super) async fn forget_peer(&self) {
        *self.peer.lock().await = None;
    }

    /// As whom the hub works for it; none once its token is revoked.
    async fn caller(&self) -> Result<Option<Caller>, Error> {
        let token_id = self.row.token_id.clone();
        let token = self.hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.token(&token_id)?) });
        Ok(token.await?.and_then(node_caller))
    }

    fn begin(&self, task: &TaskId) -> bool {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).insert(task.clone())
    }

    fn end(&self, task: &TaskId) {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
    }
}

/// Runs until the agent is removed or the hub stops.
pub(super) async fn run(hub: Arc<Hub>, row: RemoteRow, stop: Shutdown) {
    let remote = Arc::new(Remote {
        hub: hub.clone(),
        row,
        out: Mutex::default(),
        dropped: Notify::new(),
        peer: tokio::sync::Mutex::default(),
    });
    tokio::select! {
        () = work(&remote) => {}
        () = call_off_strays(&remote) => {}
        () = stop.wait() => {}
        () = hub.shutdown.wait() => {}
    }
}

/// Resumes, then claims. A round that fails is told in the log and tried again.
async fn work(remote: &Arc<Remote>) {
    let room = Arc::new(Semaphore::new(limits::REMOTE_TASKS_AT_ONCE));
    let mut errands = JoinSet::new();
    let mut has_resumed = false;
    loop {
        while errands.try_join_next().is_some() {}
        let round = async {
            if !has_resumed {
                resume(remote, &room, &mut errands).await?;
                has_resumed = true;
            }
            claim(remote, &room, &mut errands).await
        };
        if let Err(error) = round.await {
            let (network_id, alias) = (&remote.row.network_id, &remote.row.alias);
            tracing::warn!(worker = "remote", %network_id, %alias, %error, "an agent's round failed and is tried again");
            // A token that was revoked stays so; whatever else was refused is not soon allowed.
            let pause = if matches!(error, Error::Refused(_)) { REFUSED } else { RETRY };
            tokio::time::sleep(pause).await;
        }
    }
}

/// What the hub held a lease on when it stopped goes on under the same lease.
async fn resume(remote: &Arc<Remote>, room: &Arc<Semaphore>, errands: &mut JoinSet<()>) -> Result<(), Error> {
    let (network, alias) = (remote.row.network_id.clone(), remote.row.alias.clone());
    let held = hub_read(remote, move |rows| {
        let mut held = Vec::new();
        for task in rows.remote_tasks(&network, &alias)? {
            if let Some(lease) = task.lease_id.clone()
                && rows.lease(&lease)?.is_some()
            {
                held.push((task, lease));
            }
        }
        Ok(held)
    });
    for (task, lease) in held.await? {
        let Ok(permit) = room.clone().acquire_owned().await else { return Ok(()) };
        let Some(caller) = remote.caller().await? else { return Err(Refusal::Unauthorized.into()) };
        start(remote, errands, permit, caller, task, lease);
    }
    Ok(())
}

/// Takes one task, waiting for it. Nothing is claimed without room for it.
async fn claim(remote: &Arc<Remote>, room: &Arc<Semaphore>, errands: &mut JoinSet<()>) -> Result<(), Error> {
    let Ok(permit) = room.clone().acquire_owned().await else { return Ok(()) };
    let Some(caller) = remote.caller().await? else { return Err(Refusal::Unauthorized.into()) };
    let lease_seconds = Some(limits::REMOTE_LEASE_SECONDS.into());
    let args = claim_task::Args { wait_seconds: Some(WAIT_SECONDS), lease_seconds };
    let claimed = claim_task::run(&remote.hub, &caller, args).await?;
    let Some(lease) = claimed.lease_id else { return Ok(()) };
    let (now, row) = (remote.hub.clock.now(), remote.row.clone());
    let held = lease.clone();
    // From here on a restart finds it; if the hub dies before, the lease lapses and the task is claimed again.
    let task = remote.hub.store.write(move |tx| -> Result<_, Error> {
        let task_id = tx.lease(&held)?.ok_or(Refusal::LeaseLost)?.task_id;
        let known = tx.remote_task(&task_id)?.filter(|known| known.alias == row.alias);
        let task = match known {
            Some(known) => RemoteTaskRow { lease_id: Some(held), ..known },
            None => RemoteTaskRow {
                task_id,
                network_id: row.network_id,
                alias: row.alias,
                lease_id: Some(held),
                remote_task_id: None,
                remote_context_id: None,
                asked: None,
                passed_on: 0,
                began_at: now,
            },
        };
        tx.put_remote_task(&task)?;
        Ok(task)
    });
    start(remote, errands, permit, caller, task.await?, lease);
    Ok(())
}

fn start(
    remote: &Arc<Remote>,
    errands: &mut JoinSet<()>,
    permit: tokio::sync::OwnedSemaphorePermit,
    caller: Caller,
    task: RemoteTaskRow,
    lease: LeaseId,
) {
    let task_id = task.task_id.clone();
    remote.begin(&task_id);
    let remote = remote.clone();
    errands.spawn(async move {
        Errand::new(remote.clone(), caller, task, lease).run().await;
        remote.end(&task_id);
        remote.dropped.notify_one();
        drop(permit);
    });
}

/// Tasks that are still out there but ended here, or went to somebody else, are called off there.
async fn call_off_strays(remote: &Arc<Remote>) {
    loop {
        tokio::select! {
            () = remote.dropped.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        let (network, alias) = (remote.row.network_id.clone(), remote.row.alias.clone());
        let strays = hub_read(remote, move |rows| {
            let mut strays = Vec::new();
            for out in rows.remote_tasks(&network, &alias)? {
                let task = rows.task_snapshot(&out.task_id)?;
                if task.is_none_or(|task| task.status.is_terminal() || task.to != alias) {
                    strays.push(out);
                }
            }
            Ok(strays)
        });
        match strays.await {
            Ok(strays) => {
                for stray in strays {
                    call_off(remote, stray).await;
                }
            }
            Err(error) => {
                tracing::warn!(worker = "remote", %error, "a look for strays failed and is tried again");
            }
        }
    }
}

async fn call_off(remote: &Arc<Remote>, stray: RemoteTaskRow) {
    if remote.out.lock().unwrap_or_else(PoisonError::into_inner).contains(&stray.task_id) {
        return; // its errand sees to it
    }
    if let Some(id) = &stray.remote_task_id {
        let cancelled = match remote.peer().await {
            Ok(peer) => peer.cancel(&remote.hub.outbound, id).await.map(drop),
            Err(trouble) => Err(trouble),
        };
        match cancelled {
            Err(trouble @ Trouble::Passing(_)) if !is_too_old(remote, &stray) => {
                tracing::debug!(worker = "remote", task_id = %stray.task_id, %trouble, "a cancel is passed on later");
                remote.forget_peer().await;
                return;
            }
            Err(trouble) => {
                tracing::info!(worker = "remote", task_id = %stray.task_id, %trouble, "a cancel was not taken there");
            }
            Ok(()) => {}
        }
    }
    let task_id = stray.task_id;
    let forgotten =
        remote.hub.store.write(move |tx| -> Result<_, Error> { Ok(tx.delete_remote_task(&task_id)?) });
    if let Err(error) = forgotten.await {
        tracing::warn!(worker = "remote", %error, "a task that is no longer out stays noted and is looked at again");
    }
}

/// A cancel that cannot be passed on is tried for as long as a task may be out.
fn is_too_old(remote: &Remote, stray: &RemoteTaskRow) -> bool {
    stray.began_at.plus_seconds(limits::REMOTE_TASK_MAX_SECONDS) <= remote.hub.clock.now()
}

async fn hub_read<T: Send + 'static>(
    remote: &Remote,
    read: impl FnOnce(&dyn baton_store::Snapshot) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    remote.hub.store.read(read).await
}
