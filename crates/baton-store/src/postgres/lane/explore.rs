//! What use cases need, before any transaction is begun: each is run over what the lane knows until it asks for more.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use baton_core::limits;

use super::super::scope::Mode;
use super::super::session::Session;
use super::Lane;
use super::waiter::{Waiter, distinct};
use crate::batch::{Batch, Taken};
use crate::error::Error;
use crate::job::Outcome;
use crate::sql::rows::Rows;
use crate::sql::work::Work;

/// What exploring a use case showed.
enum Explored {
    /// It needs nothing of the database, and has its outcome.
    Done(Outcome),
    /// It asked for something that is not loaded.
    Asks,
    /// It can be run.
    Ready,
}

impl Lane {
    /// Finds out what use cases need: each is run over what is known until it asks for more, and what all of them ask for is
    /// loaded in one round trip. Those that need nothing are answered. So many more are taken from the queue meanwhile.
    pub(super) fn explore(
        &mut self,
        waiters: Vec<Waiter>,
        more: usize,
    ) -> Result<Vec<Waiter>, (Vec<Waiter>, Error)> {
        let Some(session) = &self.session else { return Err((waiters, Error::Closed)) };
        session.enter(Mode::Explore);
        let (mut ready, mut asking) = (Vec::with_capacity(waiters.len()), Vec::new());
        let began = Instant::now();
        let taken = (0..more).map_while(|_| self.next(began));
        for waiter in waiters.into_iter().chain(taken) {
            match waiter.needs.alone || !waiter.needs.networks.is_empty() {
                true => ready.push(waiter), // it was stopped before, and what for is known
                false => self.explore_next(session, waiter, &mut ready, &mut asking),
            }
        }
        for _ in 0..limits::EXPLORING_ROUNDS_COUNT {
            if asking.is_empty() {
                break;
            }
            let asks = distinct(asking.iter().flat_map(|waiter| &waiter.needs.asks));
            if let Err(error) = session.prepare_answers(&asks) {
                ready.extend(asking);
                return Err((ready, error));
            }
            for waiter in std::mem::take(&mut asking) {
                self.explore_next(session, waiter, &mut ready, &mut asking);
            }
        }
        ready.extend(asking);
        Ok(ready)
    }

    /// The next write that waits, unless those before it have taken long.
    fn next(&self, began: Instant) -> Option<Waiter> {
        if began.elapsed() >= Duration::from_micros(limits::WRITE_BATCH_MAX_MICROS) {
            return None;
        }
        let next = self.shared.turns.try_take_with_mail(&self.shared.mail[self.at])?;
        Some(self.received(next))
    }

    /// Hands a write to the lane of its network, if that is another one and has room for it. Which lane runs it matters for
    /// nothing but what the lane knows.
    fn forward(&self, waiter: Waiter) -> Option<Waiter> {
        let Some(network) = waiter.needs.networks.first() else { return Some(waiter) };
        let mut hasher = std::hash::DefaultHasher::new();
        network.hash(&mut hasher);
        let lane = usize::try_from(hasher.finish() % self.shared.mail.len() as u64).unwrap_or_default();
        if lane == self.at {
            return Some(waiter);
        }
        self.shared.turns.forward(&self.shared.mail[lane], waiter, limits::WRITE_BATCH_MAX_COUNT).err()
    }

    fn explore_next(
        &self,
        session: &Session,
        mut waiter: Waiter,
        ready: &mut Vec<Waiter>,
        asking: &mut Vec<Waiter>,
    ) {
        let began = Instant::now();
        let explored = explore_one(session, &self.work, &mut waiter);
        self.account(&mut waiter.taken, began.elapsed());
        match explored {
            Explored::Done(outcome) => self.answer_at_once(waiter.taken, outcome),
            Explored::Asks => asking.push(waiter),
            Explored::Ready => ready.extend(self.forward(waiter)),
        }
    }

    fn answer_at_once(&self, taken: Taken, outcome: Outcome) {
        match outcome {
            Outcome::FoundNothing => {
                let mut batch = Batch::default();
                batch.park(taken, &self.shared.parked);
                batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
            }
            Outcome::Stays | Outcome::Undone => taken.job.settle(Ok(())),
        }
    }
}

fn explore_one(session: &Session, work: &RefCell<Work>, waiter: &mut Waiter) -> Explored {
    if waiter.taken.job.is_abandoned() {
        return Explored::Done(Outcome::Undone);
    }
    session.scope.borrow_mut().begin_use_case(std::mem::take(&mut waiter.needs));
    let asked = session.scope.borrow().needs.asks.len();
    let mut rows = Rows::to_write_on(session, work);
    let outcome = waiter.taken.job.run(&mut rows);
    let is_empty = {
        let layer = &work.borrow().layer;
        layer.is_empty() && layer.hints.changes.is_empty() && !layer.hints.touches_access
    };
    // Nothing is open that could fail here.
    let _ = rows.undo();
    let scope = &mut *session.scope.borrow_mut();
    waiter.needs = std::mem::take(&mut scope.needs);
    match scope.is_stopped {
        true if waiter.needs.asks.len() > asked => Explored::Asks,
        true => Explored::Ready,
        false if waiter.needs.is_nothing() && is_empty => Explored::Done(outcome),
        false => Explored::Ready,
    }
}
