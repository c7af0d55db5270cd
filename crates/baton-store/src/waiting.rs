//! What waits for a thread of an engine: a fair queue that threads take from and callers put into.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::fair_queue::{Bounds, FairQueue};
use crate::share::Share;

pub(crate) struct Waiting<T> {
    state: Mutex<State<T>>,
    /// Something came, a share may run more again, or there is no more to come.
    changed: Condvar,
}

/// What one thread has for another that takes from the same queue.
pub(crate) type Mail<M> = Mutex<VecDeque<M>>;

/// What a thread received.
pub(crate) enum Received<T, M> {
    Item(Share, T),
    Mail(M),
}

struct State<T> {
    queue: FairQueue<T>,
    is_closed: bool,
    /// Threads that sleep here. Waking costs a call of the system whether or not anybody sleeps.
    sleeping: usize,
}

impl<T> Waiting<T> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let state = State { queue: FairQueue::new(bounds), is_closed: false, sleeping: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Lets an item wait; given back once the share, or the engine, has too many.
    pub(crate) fn push(&self, share: Share, item: T) -> Result<(), (Error, T)> {
        let mut state = self.lock();
        if state.is_closed {
            return Err((Error::Closed, item));
        }
        state.queue.push(share, item).map_err(|item| (Error::Busy, item))?;
        let wakes = state.sleeping > 0;
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
        Ok(())
    }

    fn sleep<'s>(&self, mut state: MutexGuard<'s, State<T>>) -> MutexGuard<'s, State<T>> {
        state.sleeping += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.sleeping -= 1;
        state
    }

    /// The next item, as soon as there is one; none once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<(Share, T)> {
        let mut state = self.lock();
        loop {
            if let Some(taken) = state.queue.pop() {
                return Some(taken);
            }
            if state.is_closed && state.queue.is_empty() {
                return None;
            }
            state = self.sleep(state);
        }
    }

    /// The next of a thread's mail or of the items, as soon as there is one; none once the queue is closed and both are
    /// empty.
    pub(crate) fn take_with_mail<M>(&self, mail: &Mail<M>) -> Option<Received<T, M>> {
        let mut state = self.lock();
        loop {
            if let Some(received) = receive(&mut state, mail) {
                return Some(received);
            }
            if state.is_closed && state.queue.is_empty() {
                return None;
            }
            state = self.sleep(state);
        }
    }

    /// The same, if one waits.
    pub(crate) fn try_take_with_mail<M>(&self, mail: &Mail<M>) -> Option<Received<T, M>> {
        receive(&mut self.lock(), mail)
    }

    /// Puts something into a thread's mail; given back if it has so much already, or the queue is closed: its thread may have
    /// ended.
    pub(crate) fn forward<M>(&self, mail: &Mail<M>, item: M, most: usize) -> Result<(), M> {
        let state = self.lock();
        let mut letters = mail.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_closed || letters.len() >= most {
            return Err(item);
        }
        letters.push_back(item);
        drop((letters, state));
        // Any of those that sleep may be the one.
        self.changed.notify_all();
        Ok(())
    }

    /// The next item, if one waits.
    pub(crate) fn try_take(&self) -> Option<(Share, T)> {
        self.lock().queue.pop()
    }

    /// An item that was taken has run for so long.
    pub(crate) fn done(&self, share: &Share, took: Duration) {
        let mut state = self.lock();
        state.queue.done(share, took);
        // A closed queue ends for every thread at once, when the last item is taken.
        let (is_closed, wakes) = (state.is_closed, state.sleeping > 0 && !state.queue.is_empty());
        drop(state);
        if is_closed {
            self.changed.notify_all();
        } else if wakes {
            self.changed.notify_one();
        }
    }

    /// Counts more time to a share.
    pub(crate) fn charge(&self, share: &Share, took: Duration) {
        self.lock().queue.charge(share, took);
    }

    /// Takes in no more; what waits is still handed out.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn receive<T, M>(state: &mut State<T>, mail: &Mail<M>) -> Option<Received<T, M>> {
    let letter = mail.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    match letter {
        Some(letter) => Some(Received::Mail(letter)),
        None => state.queue.pop().map(|(share, item)| Received::Item(share, item)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    fn queue() -> Arc<Waiting<u32>> {
        Arc::new(Waiting::new(Bounds { waiting: 100, waiting_per_share: 100, running_per_share: 100 }))
    }

    /// Waits until a thread sleeps on the queue.
    fn wait_until_asleep(queue: &Waiting<u32>) {
        while queue.lock().sleeping == 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn every_item_wakes_a_thread_that_sleeps() {
        let queue = queue();
        let taker = queue.clone();
        let taken = thread::spawn(move || (0..100).map(|_| taker.take().unwrap().1).collect::<Vec<_>>());
        for item in 0..100 {
            if item % 10 == 0 {
                wait_until_asleep(&queue);
            }
            queue.push(Share::Hub, item).unwrap();
        }
        assert_eq!(taken.join().unwrap(), (0..100).collect::<Vec<_>>());
    }
}
