//! What waits for a thread of an engine: a fair queue that threads take from and callers put into.

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

struct State<T> {
    queue: FairQueue<T>,
    is_closed: bool,
}

impl<T> Waiting<T> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let state = State { queue: FairQueue::new(bounds), is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Lets an item wait; given back once the share, or the engine, has too many.
    pub(crate) fn push(&self, share: Share, item: T) -> Result<(), (Error, T)> {
        let mut state = self.lock();
        if state.is_closed {
            return Err((Error::Closed, item));
        }
        state.queue.push(share, item).map_err(|item| (Error::Busy, item))?;
        drop(state);
        self.changed.notify_one();
        Ok(())
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
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
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
        let is_closed = state.is_closed;
        drop(state);
        if is_closed { self.changed.notify_all() } else { self.changed.notify_one() }
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
