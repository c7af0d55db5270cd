//! Waiting for one's share: `baton_core::FairShare` decides whose turn it is, here callers wait for theirs and give it
//! back by dropping it. A caller that hangs up while it waits leaves the queue.

use baton_core::{FairShare, ShareRequest, Shares, Ticket};
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// What members of groups share.
#[derive(Debug)]
pub(crate) struct FairSemaphore<G, M> {
    state: Mutex<State<G, M>>,
}

#[derive(Debug)]
struct State<G, M> {
    share: FairShare<G, M>,
    waiting: HashMap<Ticket, oneshot::Sender<()>>,
}

/// No share was to be had: too many wait already, or it took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoPermit;

/// A share that is held; it goes back when this is dropped.
#[derive(Debug)]
pub struct FairPermit<G: Key, M: Key> {
    turns: Arc<FairSemaphore<G, M>>,
    group: G,
    member: M,
    amount: u64,
}

/// Identifies groups and members.
pub trait Key: Eq + Hash + Clone + Debug {}
impl<K: Eq + Hash + Clone + Debug> Key for K {}

impl<G: Key, M: Key> FairSemaphore<G, M> {
    pub(crate) fn new(shares: Shares) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { share: FairShare::new(shares), waiting: HashMap::new() }) })
    }

    /// Waits for a share, no longer than this.
    pub(crate) async fn take(
        self: &Arc<Self>,
        group: G,
        member: M,
        amount: u64,
        patience: Duration,
    ) -> Result<FairPermit<G, M>, NoPermit> {
        let (mut place, granted) = match self.ask(&group, &member, amount) {
            PermitRequest::Granted(amount) => {
                return Ok(FairPermit { turns: self.clone(), group, member, amount });
            }
            PermitRequest::Refused => return Err(NoPermit),
            PermitRequest::Waiting { ticket, amount, granted } => {
                let turn = FairPermit { turns: self.clone(), group, member, amount };
                (QueuedRequest { turn: Some(turn), ticket }, granted)
            }
        };
        match tokio::time::timeout(patience, granted).await {
            Ok(Ok(())) => place.turn.take().ok_or(NoPermit),
            _ => Err(NoPermit),
        }
    }

    /// Takes a share that is used already, whether there is room for it or not.
    pub(crate) fn charge(self: &Arc<Self>, group: G, member: M, amount: u64) -> FairPermit<G, M> {
        self.lock().share.charge(&group, &member, amount);
        FairPermit { turns: self.clone(), group, member, amount }
    }

    /// What is held in all.
    pub(crate) fn held(&self) -> u64 {
        self.lock().share.held()
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().share.waiting()
    }

    fn ask(&self, group: &G, member: &M, amount: u64) -> PermitRequest {
        let mut state = self.lock();
        let amount = state.share.clamped(amount);
        match state.share.ask(group, member, amount) {
            ShareRequest::Granted => PermitRequest::Granted(amount),
            ShareRequest::Refused => PermitRequest::Refused,
            ShareRequest::Waiting(ticket) => {
                let (grant, granted) = oneshot::channel();
                state.waiting.insert(ticket, grant);
                PermitRequest::Waiting { ticket, amount, granted }
            }
        }
    }

    fn give_back(&self, group: &G, member: &M, amount: u64) {
        let mut state = self.lock();
        for ticket in state.share.give_back(group, member, amount) {
            // A caller that has stopped waiting finds that it was granted, and gives it back.
            let _ = state.waiting.remove(&ticket).map(|grant| grant.send(()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<G, M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum PermitRequest {
    Granted(u64),
    Refused,
    Waiting { ticket: Ticket, amount: u64, granted: oneshot::Receiver<()> },
}

/// A place in the queue, and the share that it is for until it is handed over.
struct QueuedRequest<G: Key, M: Key> {
    turn: Option<FairPermit<G, M>>,
    ticket: Ticket,
}

impl<G: Key, M: Key> Drop for QueuedRequest<G, M> {
    fn drop(&mut self) {
        let Some(mut turn) = self.turn.take() else { return };
        let mut state = turn.turns.lock();
        if state.share.withdraw(&turn.group, &turn.member, self.ticket) {
            state.waiting.remove(&self.ticket);
            drop(state);
            turn.amount = 0;
        }
        // Dropped here: what was granted goes back, and the next in the queue is considered.
    }
}

impl<G: Key, M: Key> FairPermit<G, M> {
    /// Gives back all but this much.
    pub fn shrink_to(&mut self, amount: u64) {
        let less = self.amount.saturating_sub(amount);
        if less > 0 {
            self.amount -= less;
            self.turns.give_back(&self.group, &self.member, less);
        }
    }

    /// Gives back this much.
    pub fn shrink_by(&mut self, amount: u64) {
        self.shrink_to(self.amount.saturating_sub(amount));
    }
}

impl<G: Key, M: Key> Drop for FairPermit<G, M> {
    fn drop(&mut self) {
        self.turns.give_back(&self.group, &self.member, self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(total: u64) -> Arc<FairSemaphore<&'static str, u32>> {
        FairSemaphore::new(Shares {
            total,
            kept_for_newcomers: 0,
            per_group: total,
            per_member: total,
            waiting_per_member: 2,
            waiting_per_group: 8,
            waiting: 8,
        })
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_share_that_is_given_back_goes_to_the_next_in_turn() {
        let turns = turns(2);
        let mut held = turns.take("a", 1, 2, LONG).await.unwrap();
        let waiting = [("a", 1), ("a", 1), ("b", 1)].map(|(group, member)| {
            let turns = turns.clone();
            tokio::spawn(async move { turns.take(group, member, 1, LONG).await.unwrap() })
        });
        while turns.waiting() < 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!(turns.take("a", 1, 1, LONG).await.err(), Some(NoPermit), "its queue is full");
        held.shrink_to(1);
        let [first, second, other] = waiting;
        let other = other.await.unwrap();
        drop(held);
        let first = first.await.unwrap();
        drop((first, other));
        drop(second.await.unwrap());
        assert_eq!((turns.held(), turns.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_the_queue() {
        let turns = turns(1);
        let held = turns.take("a", 1, 1, LONG).await.unwrap();
        assert_eq!(turns.take("b", 1, 1, Duration::ZERO).await.err(), Some(NoPermit));
        let waiting = turns.clone();
        let gone = tokio::spawn(async move { waiting.take("c", 1, 1, LONG).await });
        while turns.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(turns.waiting(), 0);
        drop(held);
        assert_eq!(turns.held(), 0);
    }
}
