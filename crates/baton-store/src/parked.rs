//! Claims that found nothing and wait for a task of their alias. The writer runs the first of them in the same transaction
//! as the write that opens a task for the alias, so nobody looks without success and no task waits for a look. They stand in the
//! order in which they were made, and one that has to be undone goes back to its place by that number.

use baton_core::{Alias, NetworkId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::job::WriteJob;
use crate::share::Share;

/// Where an agent's tasks are delivered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inbox {
    /// In this network.
    pub network_id: NetworkId,
    /// The agent.
    pub alias: Alias,
}

/// A claim's place among those of its inbox.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub(crate) inbox: Inbox,
    number: u64,
    /// Whether it is parked when it finds nothing.
    waits: Arc<AtomicBool>,
}

impl Ticket {
    /// From now on the claim is answered, whatever it finds.
    pub(crate) fn stop_waiting(&self) {
        self.waits.store(false, Ordering::Release);
    }
}

/// A claim that is parked, and whose turn it takes.
pub(crate) struct ParkedClaim {
    pub(crate) share: Share,
    pub(crate) job: Box<dyn WriteJob>,
}

/// All claims that are parked.
#[derive(Default)]
pub struct Parked {
    inboxes: Mutex<HashMap<Inbox, BTreeMap<u64, ParkedClaim>>>,
    tickets: AtomicU64,
}

impl Parked {
    /// How many claims are parked.
    pub fn count(&self) -> usize {
        self.lock().values().map(BTreeMap::len).sum()
    }

    /// The last place in an inbox's line.
    pub(crate) fn ticket(&self, inbox: Inbox, waits: bool) -> Ticket {
        let number = self.tickets.fetch_add(1, Ordering::Relaxed);
        Ticket { inbox, number, waits: Arc::new(AtomicBool::new(waits)) }
    }

    /// Parks a claim at its place; given back if its caller is gone or does not wait.
    pub(crate) fn put(&self, claim: ParkedClaim) -> Result<Ticket, ParkedClaim> {
        let Some(ticket) = claim.job.ticket().cloned() else { return Err(claim) };
        let mut inboxes = self.lock();
        // Asked under the lock: a caller that leaves sets its flag first, and then looks here for the claim.
        if claim.job.is_abandoned() || !ticket.waits.load(Ordering::Acquire) {
            return Err(claim);
        }
        inboxes.entry(ticket.inbox.clone()).or_default().insert(ticket.number, claim);
        Ok(ticket)
    }

    /// Takes one claim out, if it is parked.
    pub(crate) fn take(&self, ticket: &Ticket) -> Option<ParkedClaim> {
        let mut inboxes = self.lock();
        let line = inboxes.get_mut(&ticket.inbox)?;
        let claim = line.remove(&ticket.number);
        if line.is_empty() {
            inboxes.remove(&ticket.inbox);
        }
        claim
    }

    /// Takes the first claim of an inbox whose caller is still there.
    pub(crate) fn take_first(&self, inbox: &Inbox) -> Option<ParkedClaim> {
        let mut abandoned = Vec::new(); // dropped when the lock is free again
        let mut inboxes = self.lock();
        let line = inboxes.get_mut(inbox)?;
        let first = loop {
            match line.pop_first() {
                Some((_, claim)) if claim.job.is_abandoned() => abandoned.push(claim),
                first => break first.map(|(_, claim)| claim),
            }
        };
        if line.is_empty() {
            inboxes.remove(inbox);
        }
        drop(inboxes);
        first
    }

    /// Takes all claims of some inboxes whose callers are still there, in the order of their places.
    pub(crate) fn take_all(&self, is_meant: impl Fn(&Inbox) -> bool) -> Vec<ParkedClaim> {
        let mut inboxes = self.lock();
        let meant: Vec<_> = inboxes.keys().filter(|inbox| is_meant(inbox)).cloned().collect();
        let lines: BTreeMap<_, _> =
            meant.iter().filter_map(|inbox| inboxes.remove(inbox)).flatten().collect();
        drop(inboxes);
        lines.into_values().filter(|claim| !claim.job.is_abandoned()).collect()
    }

    /// Answers everybody: the store is closed.
    pub(crate) fn close(&self) {
        let inboxes = std::mem::take(&mut *self.lock());
        for claim in inboxes.into_values().flat_map(BTreeMap::into_values) {
            claim.job.settle(Err(Error::Closed));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Inbox, BTreeMap<u64, ParkedClaim>>> {
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Parked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parked").field("count", &self.count()).finish_non_exhaustive()
    }
}
