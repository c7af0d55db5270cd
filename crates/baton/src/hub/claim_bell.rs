//! Workers that wait for a task of their alias, in the order they came. A ring wakes one of them: a task is for one
//! worker, and waking them all would make the others look in vain. Whoever is woken takes at once, or passes its turn on.

use baton_store::Ring;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The bell of those who claim.
#[derive(Debug, Default)]
pub(crate) struct ClaimBell {
    queues: Mutex<HashMap<Ring, Waiting>>,
}

/// Those who wait for one alias.
#[derive(Debug, Default)]
struct Waiting {
    count: usize,
    turns: Arc<Notify>,
}

/// A worker's place in the queue of its alias; it leaves when this goes.
#[derive(Debug)]
pub(crate) struct Queue {
    bell: Arc<ClaimBell>,
    whose: Ring,
    turns: Arc<Notify>,
}

impl ClaimBell {
    /// Comes to the queue of an alias.
    pub(crate) fn queue(self: &Arc<Self>, whose: Ring) -> Queue {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = queues.entry(whose.clone()).or_default();
        waiting.count += 1;
        let turns = waiting.turns.clone();
        Queue { bell: self.clone(), whose, turns }
    }

    /// Workers in all queues.
    pub(crate) fn waiting_count(&self) -> usize {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.values().map(|waiting| waiting.count).sum()
    }

    /// Each ring is a turn for one; called right after the commit.
    pub(super) fn ring(&self, rings: &[Ring]) {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.is_empty() {
            return;
        }
        for waiting in rings.iter().filter_map(|ring| queues.get(ring)) {
            waiting.turns.notify_one();
        }
    }
}

impl Queue {
    /// One's turn. Once enabled it is not missed, and if it goes unused it is the next one's.
    pub(crate) fn turn(&self) -> Notified<'_> {
        self.turns.notified()
    }

    /// There may be more to do than one's turn was for, or one could not use it.
    pub(crate) fn pass_on(&self) {
        self.turns.notify_one();
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut queues = self.bell.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiting) = queues.get_mut(&self.whose) else { return };
        waiting.count -= 1;
        if waiting.count == 0 {
            queues.remove(&self.whose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::{Alias, NetworkId, Principal};
    use futures_util::FutureExt;
    use std::pin::pin;

    fn ring(alias: &str) -> Ring {
        let to = Principal::Node(Alias::parse(alias).unwrap());
        Ring { network_id: NetworkId::from_random([1; 6]), to }
    }

    #[test]
    fn a_ring_is_one_workers_turn_and_an_unused_turn_is_the_next_ones() {
        let bell = Arc::new(ClaimBell::default());
        let (one, two, other) = (bell.queue(ring("ada")), bell.queue(ring("ada")), bell.queue(ring("bob")));
        let mut others = pin!(other.turn());
        others.as_mut().enable();
        let mut second = pin!(two.turn());
        {
            let mut first = pin!(one.turn());
            first.as_mut().enable();
            second.as_mut().enable();
            bell.ring(&[ring("ada")]);
            assert!(second.as_mut().now_or_never().is_none(), "it is the first one's turn");
            // The first hangs up before it heard.
        }
        assert!(second.as_mut().now_or_never().is_some());
        assert!(others.as_mut().now_or_never().is_none(), "bob's worker hears nothing of ada's");
    }

    #[test]
    fn a_queue_nobody_stands_in_is_forgotten() {
        let bell = Arc::new(ClaimBell::default());
        let (one, two) = (bell.queue(ring("ada")), bell.queue(ring("ada")));
        drop(one);
        assert_eq!(bell.queues.lock().unwrap().len(), 1);
        drop(two);
        assert!(bell.queues.lock().unwrap().is_empty());
    }

    #[test]
    fn a_queue_is_forgotten_with_its_last_worker_even_if_another_is_only_just_leaving() {
        let bell = Arc::new(ClaimBell::default());
        let (one, two) = (bell.queue(ring("ada")), bell.queue(ring("ada")));
        // As between a worker's leaving and the end of what it held, on another thread.
        let still_held = one.turns.clone();
        drop(one);
        drop(two);
        assert!(bell.queues.lock().unwrap().is_empty());
        drop(still_held);
    }
}
