//! A use case that writes by statements, in a transaction of its own.

use std::cell::RefCell;
use std::time::Instant;

use baton_core::limits;

use super::super::commit;
use super::super::heads;
use super::super::scope::{Mode, Needs};
use super::Lane;
use super::finish::{self, Ran, Unfinished};
use super::waiter::Waiter;
use crate::batch::Batch;
use crate::error::Error;
use crate::job::Outcome;
use crate::parked::Inbox;
use crate::sql::rows::Rows;
use crate::sql::work::Work;
use crate::sql::write_set::Hints;

impl Lane {
    /// Runs a use case that writes by statements, in a transaction of its own; answers it if it was stopped, and the claims
    /// that it has something for.
    pub(super) fn alone(&mut self, waiter: Waiter) -> Vec<Waiter> {
        let mut waiter = waiter;
        for attempt in 1.. {
            let (mut batch, mut stopped) = (Batch::default(), Vec::new());
            match self.try_alone(waiter, &mut batch, &mut stopped) {
                Ok((ran, opened)) => {
                    let claims = self.claims_for(&opened);
                    self.announce(ran, opened);
                    batch.writes.into_iter().for_each(|taken| taken.job.settle(Ok(())));
                    stopped.extend(claims);
                    return stopped;
                }
                Err(error) => {
                    self.undo();
                    batch.unpark(&self.shared.parked);
                    let Some(taken) = batch.writes.pop() else { return stopped };
                    waiter = Waiter::again(taken, false);
                    waiter.needs = Needs { alone: true, all: true, ..Needs::default() };
                    let tries_again =
                        self.can_be_tried_again(&error) && attempt < limits::WRITE_CONFLICT_TRIES;
                    if !tries_again || self.connected().is_err() {
                        self.refuse_alone(waiter, &error);
                        return stopped;
                    }
                    self.shared.meter.retried();
                }
            }
        }
        Vec::new()
    }

    /// What went wrong may be what the use case itself did, which says nothing of the database.
    fn refuse_alone(&self, waiter: Waiter, error: &Error) {
        match (error, &self.session) {
            (Error::Unavailable(_), Some(session)) if !session.is_lost() => {
                waiter.taken.job.settle(Err(error.clone()));
            }
            _ => self.refuse(vec![waiter], error),
        }
    }

    fn try_alone(
        &mut self,
        waiter: Waiter,
        batch: &mut Batch,
        stopped: &mut Vec<Waiter>,
    ) -> Result<(Ran, Vec<Inbox>), Error> {
        let mode = if waiter.needs.all { Mode::AloneWithAll } else { Mode::Alone };
        let needs = Needs { asks: Vec::new(), ..waiter.needs.clone() };
        // It reads the database: nothing is known here, and nothing that it learns is kept.
        let work = RefCell::new(Work::default());
        let outcome = {
            let session = match self.session() {
                Ok(session) => session,
                Err(error) => {
                    batch.writes.push(waiter.taken);
                    return Err(error);
                }
            };
            session.enter(mode);
            match heads::open(session, &mut work.borrow_mut(), &needs, &self.name, 0) {
                Ok(opened) => self.learn(&opened),
                Err(error) => {
                    batch.writes.push(waiter.taken);
                    return Err(error);
                }
            }
            let mut rows = Rows::to_write_on(session, &work);
            self.run_one(session, waiter, batch, stopped, &mut rows)?
        };
        if outcome != Some(Outcome::Stays) {
            self.session()?.command("ROLLBACK")?;
            return Ok((finish::ran_of(Hints::default(), None, false), Vec::new()));
        }
        let number = self.next_number();
        let began = Instant::now();
        let changed = self.session()?.scope.borrow().changed.clone();
        let mut ran = match finish::finish(self.session()?, &work, mode, &self.name, number, false) {
            Ok(ran) => ran,
            Err(Unfinished::Failed(error)) => return Err(self.doubting(error)),
            Err(Unfinished::Unknown(error)) => {
                self.doubt();
                let hints = std::mem::take(&mut work.borrow_mut().batch.hints);
                self.session = None;
                commit::resolve(&self.shared, &self.name, number, &error)?;
                finish::ran_of(hints, None, true)
            }
        };
        self.shared.meter.disk_waited(began.elapsed());
        self.note_committed(&ran, batch.writes.len());
        heads::note_committed(&mut work.borrow_mut().known, &changed);
        ran.versions = heads::versions(&work.borrow().known, &changed);
        let opened = std::mem::take(&mut ran.opened);
        Ok((ran, opened))
    }

    /// The parked claims of inboxes that a task was opened in.
    fn claims_for(&self, opened: &[Inbox]) -> Vec<Waiter> {
        let claims = opened.iter().filter_map(|inbox| self.shared.parked.take_first(inbox));
        claims.map(Waiter::of_claim).collect()
    }
}
