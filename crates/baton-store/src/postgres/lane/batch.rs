//! Many use cases in one transaction: all that was loaded for them is in memory, and each table is written once.

use std::time::Instant;

use baton_core::limits;

use super::super::commit;
use super::super::heads;
use super::super::scope::Mode;
use super::super::session::Session;
use super::Lane;
use super::finish::{self, Ran, Unfinished};
use super::waiter::{Waiter, together};
use crate::batch::Batch;
use crate::error::Error;
use crate::job::Outcome;
use crate::parked::Inbox;
use crate::sql::rows::Rows;

impl Lane {
    /// Runs use cases in one transaction, and commits it; answers those that were stopped. On a conflict with others it is
    /// tried again.
    pub(super) fn batch(&mut self, mut waiters: Vec<Waiter>) -> Vec<Waiter> {
        for attempt in 1.. {
            let (mut batch, mut stopped) = (Batch::default(), Vec::new());
            let committed = self.try_batch(waiters, &mut batch, &mut stopped);
            let error = match committed {
                Ok(ran) => {
                    self.announce(ran, std::mem::take(&mut batch.opened));
                    batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
                    return stopped;
                }
                Err(error) => error,
            };
            self.undo();
            batch.unpark(&self.shared.parked);
            let is_probe = batch.probes;
            waiters = batch.writes.into_iter().map(|taken| Waiter::again(taken, is_probe)).collect();
            let tries_again = self.can_be_tried_again(&error) && attempt < limits::WRITE_CONFLICT_TRIES;
            if !tries_again || self.connected().is_err() {
                // One of them may be what PostgreSQL does not take: each is tried by itself.
                if waiters.len() > 1 && matches!(error, Error::Unavailable(_)) && self.connected().is_ok() {
                    return waiters
                        .into_iter()
                        .flat_map(|waiter| self.batch(vec![waiter]))
                        .chain(stopped)
                        .collect();
                }
                self.refuse(waiters, &error);
                return stopped;
            }
            self.shared.meter.retried();
            waiters.append(&mut stopped);
        }
        Vec::new()
    }

    fn try_batch(
        &mut self,
        waiters: Vec<Waiter>,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<Ran, Error> {
        let mut waiters = waiters.into_iter();
        let ran = self.run_all(&mut waiters, batch, stopped);
        // Those that did not come to run are answered with the others.
        batch.writes.extend(waiters.map(|waiter| waiter.taken));
        let ran = ran?;
        self.note_committed(&ran, batch.writes.len());
        Ok(ran)
    }

    fn run_all(
        &mut self,
        waiters: &mut std::vec::IntoIter<Waiter>,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<Ran, Error> {
        let session = self.session()?;
        session.enter(Mode::Batch);
        let needs = together(waiters.as_slice());
        let opened =
            heads::open(session, &mut self.work.borrow_mut(), &needs, &self.name, waiters.as_slice().len())?;
        self.learn(&opened);
        let mut rows = Rows::to_write_on(session, &self.work);
        for waiter in waiters.by_ref() {
            batch.probes |= waiter.is_probe;
            self.run_and_hand_over(session, waiter, batch, stopped, &mut rows)?;
        }
        let number = self.next_number();
        let began = Instant::now();
        let ran = finish::finish(session, &self.work, Mode::Batch, &self.name, number, batch.probes);
        self.shared.meter.disk_waited(began.elapsed());
        let mut ran = match ran {
            Ok(ran) => ran,
            Err(Unfinished::Failed(error)) => return Err(self.doubting(error)),
            Err(Unfinished::Unknown(error)) => {
                self.doubt();
                let changed = session.scope.borrow().changed.clone();
                let hints = std::mem::take(&mut self.work.borrow_mut().batch.hints);
                self.session = None;
                commit::resolve(&self.shared, &self.name, number, &error)?;
                Ran { versions: finish::unknown_versions(changed), ..finish::ran_of(hints, None, true) }
            }
        };
        let work = &mut *self.work.borrow_mut();
        match &self.session {
            Some(session) => {
                let scope = session.scope.borrow();
                heads::note_committed(&mut work.known, &scope.changed);
                ran.versions = heads::versions(&work.known, &scope.changed);
            }
            None => work.forget_all(),
        }
        work.known.shed();
        Ok(ran)
    }

    /// Runs a write, and the parked claims that it has something for.
    fn run_and_hand_over(
        &self,
        session: &Session,
        waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        self.run_one(session, waiter, batch, stopped, rows)?;
        // There are no more of them than tasks that the write opened.
        let mut exhausted: Vec<Inbox> = Vec::new();
        while let Some(inbox) = self.next_opened() {
            if exhausted.contains(&inbox) {
                batch.opened.push(inbox);
                continue;
            }
            let mut is_taken = false;
            while let Some(claim) = self.shared.parked.take_first(&inbox) {
                match self.run_one(session, Waiter::of_claim(claim), batch, stopped, rows)? {
                    // Refused: the task is the next one's.
                    Some(Outcome::Undone) => {}
                    Some(Outcome::Stays) => {
                        is_taken = true;
                        break;
                    }
                    // One that was stopped runs right after this batch.
                    Some(Outcome::FoundNothing) | None => {
                        exhausted.push(inbox.clone());
                        break;
                    }
                }
            }
            if !is_taken {
                batch.opened.push(inbox);
            }
        }
        Ok(())
    }

    fn next_opened(&self) -> Option<Inbox> {
        self.work.borrow_mut().batch.hints.opened.pop_front()
    }

    /// Runs a write and adds it to the batch, unless it is a claim that is parked, or is stopped.
    pub(super) fn run_one(
        &self,
        session: &Session,
        mut waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
        rows: &mut Rows<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let began = Instant::now();
        session.scope.borrow_mut().begin_use_case(waiter.needs.clone());
        let outcome = match waiter.taken.job.is_abandoned() {
            true => Outcome::Undone,
            false => waiter.taken.job.run(rows),
        };
        self.account(&mut waiter.taken, began.elapsed());
        let (is_stopped, failure) = {
            let scope = session.scope.borrow();
            (scope.is_stopped, scope.failure.clone())
        };
        if let Some(failure) = failure {
            batch.writes.push(waiter.taken);
            return Err(failure);
        }
        if is_stopped {
            rows.undo()?;
            waiter.needs = std::mem::take(&mut session.scope.borrow_mut().needs);
            waiter.stops += 1;
            stopped.push(waiter);
            return Ok(None);
        }
        match outcome {
            Outcome::Stays => {
                rows.keep()?;
                let scope = &mut *session.scope.borrow_mut();
                scope.changed.extend(scope.changing.drain());
                scope.has_done = true;
            }
            Outcome::Undone | Outcome::FoundNothing => rows.undo()?,
        }
        if outcome == Outcome::FoundNothing {
            batch.park(waiter.taken, &self.shared.parked);
        } else {
            batch.writes.push(waiter.taken);
        }
        Ok(Some(outcome))
    }
}
