//! The loop of one remote agent: resumes what was out before a restart, claims what comes, cancels there what was
//! cancelled here. It acts as the alias, through the same use cases as every worker.

use baton_core::{Caller, LeaseId, MessageId, Refusal, limits};
use baton_store::Snapshot;
use baton_store::rows::{RemoteRow, RemoteTaskRow};
use futures_util::future::join_all;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::deferred_cancels::DeferredCancels;
use super::remote_task::RemoteTask;
use super::retry::retry;
use crate::hub::{Hub, Shutdown};
use crate::outbound::Calls;
use crate::peer::{Peer, PeerError};
use crate::service::accounts::remote_keys;
use crate::service::push_configs::node_caller;
use crate::service::{Error, claim_task};

const CARD_KEPT: Duration = Duration::from_secs(limits::REMOTE_CARD_KEPT_SECONDS as u64);
const DRAIN: Duration = Duration::from_secs(limits::DRAIN_MAX_SECONDS as u64);
const LEASE: Duration = Duration::from_secs(limits::REMOTE_LEASE_SECONDS as u64);

/// One remote agent, as its remote tasks share it.
pub(super) struct Remote {
    pub(super) hub: Arc<Hub>,
    pub(super) row: RemoteRow,
    /// Remote tasks somebody is at: running them, or calling them off.
    out: Mutex<HashSet<MessageId>>,
    /// Rings for who looks for strays when a remote task is left.
    dropped: Notify,
    /// Rings for who waits for a turn when one ends.
    turns: Notify,
    /// The card as last read, and when.
    peer: tokio::sync::Mutex<Option<(Instant, Peer)>>,
}

impl Remote {
    /// What is called for it, in its network's name.
    pub(super) fn calls(&self) -> Calls<'_> {
        self.hub.outbound.for_network(&self.row.network_id)
    }

    /// How to speak to it, from a card that is not old and that the key signed which is pinned now.
    pub(super) async fn peer(&self) -> Result<Peer, PeerError> {
        let mut known = self.peer.lock().await;
        let row = self.current_row().await?;
        if let Some((read_at, peer)) = &*known
            && read_at.elapsed() < CARD_KEPT
            && peer.key == row.pinned_key
        {
            return Ok(peer.clone());
        }
        let credential = row.credential.as_ref().map(|credential| &*credential.0);
        let found = Peer::find(self.calls(), &row.card_url, credential, remote_keys::rule(&row)).await;
        if let Err(error) = remote_keys::note_card(&self.hub, &row, &found).await {
            let (network_id, alias) = (&row.network_id, &row.alias);
            tracing::warn!(worker = "remote", %network_id, %alias, %error, "what a card came to is not noted yet");
        }
        let peer = found?;
        *known = Some((Instant::now(), peer.clone()));
        Ok(peer)
    }

    /// The row as it is now: the pinned key of an agent may change while the hub works for it.
    async fn current_row(&self) -> Result<RemoteRow, PeerError> {
        let (network, alias) = (self.row.network_id.clone(), self.row.alias.clone());
        let row = hub_read(self, move |rows| Ok(rows.remote(&network, &alias)?)).await;
        let row = row.map_err(|error| PeerError::NotTaken(error.to_string()))?;
        row.filter(|row| row.token_id == self.row.token_id)
            .ok_or_else(|| PeerError::NotTaken("the remote agent was removed".into()))
    }

    /// Its card is read again before the next call: what it says may be why the last one failed.
    pub(super) async fn forget_peer(&self) {
        *self.peer.lock().await = None;
    }

    /// The identity that the hub uses for it; none once its token is revoked.
    async fn caller(&self) -> Result<Option<Caller>, Error> {
        let token_id = self.row.token_id.clone();
        let token = self.hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.token(&token_id)?) });
        Ok(token.await?.and_then(node_caller))
    }

    /// Whether somebody is at a remote task.
    fn is_out(&self, errand: &MessageId) -> bool {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).contains(errand)
    }

    /// The turn at a remote task, if nobody has it.
    fn try_turn(self: &Arc<Self>, errand: &MessageId) -> Option<TaskLock> {
        let is_free = self.out.lock().unwrap_or_else(PoisonError::into_inner).insert(errand.clone());
        is_free.then(|| TaskLock { remote: self.clone(), errand: errand.clone() })
    }

    /// Waits for the turn at a remote task: under a lease that lapsed, somebody may still wait for an answer there.
    async fn turn(self: &Arc<Self>, errand: &MessageId) -> TaskLock {
        loop {
            let mut ended = std::pin::pin!(self.turns.notified());
            ended.as_mut().enable(); // receives what ends from now on
            if let Some(turn) = self.try_turn(errand) {
                return turn;
            }
            ended.await;
        }
    }
}

/// The lock of a remote task: its holder works on it alone.
struct TaskLock {
    remote: Arc<Remote>,
    errand: MessageId,
}

impl Drop for TaskLock {
    fn drop(&mut self) {
        self.remote.out.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.errand);
        self.remote.turns.notify_waiters();
    }
}

/// Runs until the agent is removed or the hub stops. A hub that stops waits a while for what is being sent: an answer
/// that is noted is not sent for again.
pub(super) async fn run(hub: Arc<Hub>, row: RemoteRow, stop: Shutdown) {
    let remote = Arc::new(Remote {
        hub: hub.clone(),
        row,
        out: Mutex::default(),
        dropped: Notify::new(),
        turns: Notify::new(),
        peer: tokio::sync::Mutex::default(),
    });
    let mut errands = JoinSet::new();
    tokio::select! {
        () = work(&remote, &mut errands) => {}
        () = call_off_strays(&remote) => {}
        () = stop.wait() => return,
        () = hub.shutdown.wait() => {}
    }
    let ended = async { while errands.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN, ended).await.is_err() {
        let (network_id, alias) = (&remote.row.network_id, &remote.row.alias);
        tracing::warn!(worker = "remote", %network_id, %alias, "the hub stops before an agent has answered");
    }
}

/// Resumes, then claims. A round that fails is logged and tried again.
async fn work(remote: &Arc<Remote>, errands: &mut JoinSet<()>) {
    let room = Arc::new(Semaphore::new(limits::REMOTE_TASKS_AT_ONCE));
    let mut has_resumed = false;
    loop {
        while errands.try_join_next().is_some() {}
        let round = async {
            if !has_resumed {
                resume(remote, &room, errands).await?;
                has_resumed = true;
            }
            claim(remote, &room, errands).await
        };
        if let Err(error) = round.await {
            let (network_id, alias) = (&remote.row.network_id, &remote.row.alias);
            tracing::warn!(worker = "remote", %network_id, %alias, %error, "an agent's round failed and is tried again");
            // A token that was revoked stays so; whatever else was refused is not soon allowed.
            let pause = if matches!(error, Error::Refused(_)) {
                limits::REMOTE_REFUSED_PAUSE
            } else {
                limits::STORE_RETRY_AFTER
            };
            tokio::time::sleep(pause).await;
        }
    }
}

/// What the hub held a lease on when it stopped continues under the same lease.
async fn resume(remote: &Arc<Remote>, room: &Arc<Semaphore>, errands: &mut JoinSet<()>) -> Result<(), Error> {
    let (network, alias) = (remote.row.network_id.clone(), remote.row.alias.clone());
    let held = hub_read(remote, move |rows| {
        let mut held = Vec::new();
        for task in rows.remote_tasks(&network, &alias)? {
            if let Some(lease) = task.lease_id.clone().filter(|_| !task.is_called_off)
                && rows.lease(&lease)?.is_some()
            {
                held.push((task.errand_id, lease));
            }
        }
        Ok(held)
    });
    for (errand, lease) in held.await? {
        let Ok(permit) = room.clone().acquire_owned().await else { return Ok(()) };
        let Some(caller) = remote.caller().await? else { return Err(Refusal::Unauthorized.into()) };
        start(remote, errands, permit, caller, errand, lease);
    }
    Ok(())
}

/// Takes one task, waiting for it. Nothing is claimed without room for it.
async fn claim(remote: &Arc<Remote>, room: &Arc<Semaphore>, errands: &mut JoinSet<()>) -> Result<(), Error> {
    let Ok(permit) = room.clone().acquire_owned().await else { return Ok(()) };
    let Some(caller) = remote.caller().await? else { return Err(Refusal::Unauthorized.into()) };
    let lease_seconds = Some(limits::REMOTE_LEASE_SECONDS.into());
    let args = claim_task::Args { wait_seconds: Some(limits::REMOTE_CLAIM_WAIT_SECONDS), lease_seconds };
    let claimed = claim_task::run(&remote.hub, &caller, args).await?;
    let Some(lease) = claimed.lease_id else { return Ok(()) };
    // From here on a restart finds it; if the hub dies before, the lease lapses and the task is claimed again.
    let errand = retry("a claim", LEASE, || note_claim(remote, lease.clone())).await?;
    start(remote, errands, permit, caller, errand, lease);
    Ok(())
}

/// The remote task of a task that was claimed: the one it is out on here already, or a new one.
async fn note_claim(remote: &Remote, lease: LeaseId) -> Result<MessageId, Error> {
    let (hub, row) = (&remote.hub, remote.row.clone());
    let (now, errand_id) = (hub.clock.now(), hub.new_message_id());
    let note = hub.store.write(move |tx| -> Result<_, Error> {
        let task_id = tx.lease(&lease)?.ok_or(Refusal::LeaseLost)?.task_id;
        if let Some(known) = tx.remote_task_at(&task_id, &row.alias)? {
            tx.lease_remote_task(&known.errand_id, Some(&lease))?;
            return Ok(known.errand_id);
        }
        tx.insert_remote_task(&RemoteTaskRow {
            errand_id: errand_id.clone(),
            task_id,
            network_id: row.network_id.clone(),
            alias: row.alias.clone(),
            lease_id: Some(lease.clone()),
            remote_task_id: None,
            remote_context_id: None,
            asked: None,
            passed_on: 0,
            answer: None,
            unanswered: 0,
            began_at: now,
            is_called_off: false,
        })?;
        Ok(errand_id.clone())
    });
    note.await
}

fn start(
    remote: &Arc<Remote>,
    errands: &mut JoinSet<()>,
    permit: tokio::sync::OwnedSemaphorePermit,
    caller: Caller,
    errand: MessageId,
    lease: LeaseId,
) {
    let remote = remote.clone();
    let run = async move {
        let turn = remote.turn(&errand).await;
        let found = retry("an errand", LEASE, || {
            let errand = errand.clone();
            hub_read(&remote, move |rows| Ok(rows.remote_task(&errand)?))
        });
        match found.await {
            Ok(Some(out)) if !out.is_called_off => {
                RemoteTask::new(remote.clone(), caller, out, lease).run().await;
            }
            Ok(_) => {} // cancelled before it began
            Err(error) => {
                tracing::warn!(worker = "remote", %error, "an errand did not begin; its task is claimed again");
            }
        }
        drop(turn);
        remote.dropped.notify_one();
        drop(permit);
    };
    errands.spawn(run);
}

/// Tasks that are still out there but ended here, or went to somebody else, are cancelled there.
async fn call_off_strays(remote: &Arc<Remote>) {
    let mut deferred = DeferredCancels::default();
    loop {
        tokio::select! {
            () = remote.dropped.notified() => {}
            () = tokio::time::sleep(limits::REMOTE_CANCELS_EVERY) => {}
        }
        let (network, alias) = (remote.row.network_id.clone(), remote.row.alias.clone());
        let strays = hub_read(remote, move |rows| {
            let mut strays = Vec::new();
            for out in rows.remote_tasks(&network, &alias)? {
                if is_stray(rows, &out)? {
                    strays.push(out.errand_id);
                }
            }
            Ok(strays)
        });
        match strays.await {
            Ok(strays) => call_off_due(remote, &mut deferred, strays).await,
            Err(error) => {
                tracing::warn!(worker = "remote", %error, "a look for strays failed and is tried again");
            }
        }
    }
}

/// Cancels those that are due, a few at once: an agent that does not answer holds up no other cancel.
async fn call_off_due(remote: &Arc<Remote>, deferred: &mut DeferredCancels, strays: Vec<MessageId>) {
    // Who is still at one rings when it is left.
    let left = strays.into_iter().filter(|stray| !remote.is_out(stray)).collect();
    let due = deferred.due(left, Instant::now());
    if due.len() == limits::REMOTE_CANCELS_AT_ONCE {
        remote.dropped.notify_one(); // there may be more
    }
    let outcomes = due.into_iter().map(|stray| async move {
        let _turn = remote.try_turn(&stray)?;
        let called_off = call_off(remote, stray.clone()).await;
        let is_over = called_off.unwrap_or_else(|error| {
            tracing::warn!(worker = "remote", %error, "cancelling a remote task is retried later");
            false
        });
        (!is_over).then_some(stray)
    });
    for failed in join_all(outcomes).await.into_iter().flatten() {
        deferred.failed(failed, Instant::now());
    }
}

/// Whether there is nothing more to do for a remote task but to cancel it there.
fn is_stray(rows: &dyn Snapshot, out: &RemoteTaskRow) -> Result<bool, Error> {
    let task = rows.task_snapshot(&out.task_id)?;
    Ok(out.is_called_off || task.is_none_or(|task| task.status.is_terminal() || task.to != out.alias))
}

/// Calls a remote task off, for good: if its task comes back to the agent it goes out again, for what was cancelled there
/// does not continue. False: it is to be tried again.
async fn call_off(remote: &Arc<Remote>, errand: MessageId) -> Result<bool, Error> {
    let stray = errand.clone();
    let stray = remote.hub.store.write(move |tx| -> Result<_, Error> {
        let Some(out) = tx.remote_task(&stray)? else { return Ok(None) };
        let is_stray = is_stray(tx.as_snapshot(), &out)?;
        if is_stray && !out.is_called_off {
            tx.call_off_remote_task(&stray)?;
        }
        Ok(is_stray.then_some(out))
    });
    let Some(stray) = stray.await? else { return Ok(true) };
    if let Some(id) = &stray.remote_task_id {
        let cancelled = match remote.peer().await {
            Ok(peer) => peer.cancel(remote.calls(), id).await.map(drop),
            Err(trouble) => Err(trouble),
        };
        match cancelled {
            Err(trouble) if trouble.may_pass() && !is_too_old(remote, &stray) => {
                tracing::debug!(worker = "remote", task_id = %stray.task_id, %trouble, "a cancel is passed on later");
                remote.forget_peer().await;
                return Ok(false);
            }
            Err(trouble) => {
                tracing::info!(worker = "remote", task_id = %stray.task_id, %trouble, "a cancel was not taken there");
            }
            Ok(()) => {}
        }
    }
    remote.hub.store.write(move |tx| -> Result<_, Error> { Ok(tx.delete_remote_task(&errand)?) }).await?;
    Ok(true)
}

/// A cancel that cannot be passed on is tried for as long as a task may be out.
fn is_too_old(remote: &Remote, stray: &RemoteTaskRow) -> bool {
    let (now, jumps) = remote.hub.clock.observe();
    let began_at = stray.began_at;
    began_at.plus_seconds(limits::REMOTE_TASK_MAX_SECONDS) <= jumps.now_since(began_at, now)
}

async fn hub_read<T: Send + 'static>(
    remote: &Remote,
    read: impl Fn(&dyn Snapshot) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    remote.hub.store.read(read).await
}
