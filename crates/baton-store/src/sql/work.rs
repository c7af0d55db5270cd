//! What the writer works on, in three parts: the rows it knows as they stand (`known.rs`), what the use cases of this
//! batch have changed, and the layer of the use case that runs. A use case that is refused leaves nothing because its
//! layer is dropped; one that stays is merged into the batch; the batch is written once, table by table
//! (`write_set.rs`). Rows that no layer holds (accounts, tokens, members, tiles) are written by statements at once: a
//! use case that does so has a savepoint from its first such statement on, and from then on reads what the database
//! says.

use baton_core::TaskId;
use rusqlite::Connection;
use std::cell::RefCell;
use std::sync::Arc;

use super::counts::Counts;
use super::known::Known;
use super::rows::{Database, Rows};
use super::task_row::Task;
use super::write_set::{Entry, WriteSet};
use crate::clock::ClockReading;
use crate::error::Error;
use crate::postgres::Extent;

/// The writer's rows in memory.
pub(crate) struct Work {
    pub(crate) known: Known,
    /// The time of this batch, or of the last one.
    pub(crate) time: ClockReading,
    /// What the use cases of this batch that stay have changed and nobody has written yet.
    pub(crate) batch: WriteSet,
    /// What the use case that runs has changed.
    pub(crate) layer: WriteSet,
    /// Whether the use case that runs has a savepoint.
    is_direct: bool,
    /// Whether anything of this batch was written.
    pub(crate) wrote: bool,
    /// Whether rows were being written and not all of them were: nothing of the batch may be committed then.
    pub(crate) is_lost: bool,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            known: Known::default(),
            time: ClockReading::beginning(),
            batch: WriteSet::default(),
            layer: WriteSet::default(),
            is_direct: false,
            wrote: false,
            is_lost: false,
        }
    }
}

impl Work {
    /// Gives a batch that begins its time. A reading from before the last batch's is not used: the batch has the last
    /// one's time then. So monotonic time never goes back, and the wall clock only as far as somebody set it back.
    pub(crate) fn begin(&mut self, read: ClockReading) {
        if read.monotonic >= self.time.monotonic {
            self.time = read;
        }
    }

    /// A task as the use case that runs sees it, if it is in memory.
    pub(crate) fn task(&self, id: &TaskId) -> Option<Arc<Task>> {
        let changed = self.layer.tasks.get(id).or_else(|| self.batch.tasks.get(id));
        match changed {
            Some(entry) => Some(entry.now.clone()),
            // A statement of its own may have changed it.
            None if self.is_direct => None,
            None => self.known.tasks.get(id).cloned(),
        }
    }

    /// The task that a retry of this batch made of another one.
    pub(crate) fn retry_of(&self, id: &TaskId) -> Option<&TaskId> {
        self.layer.retries.get(id).or_else(|| self.batch.retries.get(id))
    }

    /// Puts a task into the layer as it is to be; `before` is how it stood, none if it is new.
    pub(crate) fn put_task(&mut self, before: Option<Arc<Task>>, now: Task) {
        let id = now.row.snapshot.id.clone();
        if let Some(entry) = self.layer.tasks.get_mut(&id) {
            entry.now = Arc::new(now);
            return;
        }
        let written = match self.batch.tasks.get(&id) {
            Some(entry) => entry.written.clone(),
            None => before.clone(),
        };
        self.layer.tasks.insert(id, Entry { before, written, now: Arc::new(now) });
    }

    /// Takes in what the use case that ran has changed.
    fn keep_layer(&mut self) {
        let mut layer = std::mem::take(&mut self.layer);
        if self.is_direct {
            self.known.forget_accounts();
        }
        if layer.forgets_tasks {
            self.known.forget_tasks();
        }
        self.known.take_in(&layer);
        for network in &layer.hints.gone {
            self.known.forget_network(network);
            self.batch.forget_network(network);
        }
        for (id, entry) in layer.tasks.drain() {
            if entry.is_written() {
                self.known.put_task(id, entry.now);
            } else {
                self.batch.tasks.insert(id, entry);
            }
        }
        self.batch.take_in(layer);
    }

    /// Starts again with nothing known: a batch was lost, and with it what it had read and given out. Time continues.
    pub(crate) fn forget_all(&mut self) {
        let lost = std::mem::take(self);
        self.time = lost.time;
    }
}

impl Rows<'_> {
    /// The writer's memory; none for readers.
    pub(crate) fn work(&self) -> Option<&RefCell<Work>> {
        self.work
    }

    /// Whether what is known may be asked: the use case that runs has not written by statements.
    pub(crate) fn knows(&self) -> Option<&RefCell<Work>> {
        self.work.filter(|work| !work.borrow().is_direct)
    }

    /// A row that only statements change: as it is known, or as a look at the database finds it and then known.
    pub(crate) fn recall<T: Clone>(
        &self,
        known: impl FnOnce(&Known) -> Option<T>,
        look: impl FnOnce() -> Result<T, Error>,
        remember: impl FnOnce(&mut Known, T),
    ) -> Result<T, Error> {
        let Some(work) = self.knows() else { return look() };
        if let Database::Postgres(session) = self.database {
            session.need_look();
        }
        let found = known(&work.borrow().known);
        if let Some(found) = found {
            return Ok(found);
        }
        let found = look()?;
        let mut work = work.borrow_mut();
        work.known.note_rows(1);
        remember(&mut work.known, found.clone());
        Ok(found)
    }

    /// Writes what memory holds, so that a statement sees it.
    pub(crate) fn settle(&self) -> Result<(), Error> {
        let Some(work) = self.work else { return Ok(()) };
        let has_layer = !work.borrow().layer.is_empty();
        if has_layer {
            return self.write_directly(Extent::Own);
        }
        self.settle_batch()
    }

    /// The same without what the use case that runs has changed.
    pub(crate) fn settle_batch(&self) -> Result<(), Error> {
        let Some(work) = self.work else { return Ok(()) };
        let mut work = work.borrow_mut();
        if work.batch.is_empty() {
            work.batch.retries.clear();
            return Ok(());
        }
        (work.wrote, work.is_lost) = (true, true);
        let Work { known, batch, layer, is_lost, .. } = &mut *work;
        match self.database {
            Database::Sqlite(connection) => batch.write(connection, known)?,
            Database::Postgres(session) => session.write(batch, known)?,
        }
        *is_lost = false;
        for (id, entry) in batch.tasks.drain() {
            if let Some(changed) = layer.tasks.get_mut(&id) {
                changed.written = Some(entry.now.clone());
            }
            known.put_task(id, entry.now);
        }
        batch.retries.clear();
        batch.counted = Counts::default();
        Ok(())
    }

    /// Before a statement that writes: from here on the use case that runs can be undone by a savepoint, or has a
    /// transaction of its own.
    pub(crate) fn write_directly(&self, of: Extent<'_>) -> Result<(), Error> {
        let Some(work) = self.work else { return Ok(()) };
        let is_direct = work.borrow().is_direct;
        if let Database::Postgres(session) = self.database {
            session.begin_statement(&of)?;
        }
        if !is_direct {
            // Outside the savepoint: it belongs to others.
            match self.database {
                Database::Sqlite(connection) => {
                    self.settle_batch()?;
                    run(connection, "SAVEPOINT direct")?;
                }
                // It has the transaction for itself.
                Database::Postgres(_) => {}
            }
        }
        let mut work = work.borrow_mut();
        work.is_direct = true;
        work.wrote = true;
        let Work { known, layer, is_lost, .. } = &mut *work;
        if layer.is_empty() {
            return Ok(());
        }
        *is_lost = true;
        match self.database {
            Database::Sqlite(connection) => layer.write(connection, known)?,
            Database::Postgres(session) => session.write(layer, known)?,
        }
        *is_lost = false;
        for entry in layer.tasks.values_mut() {
            entry.written = Some(entry.now.clone());
        }
        Ok(())
    }

    /// What the use case that ran has done stays.
    pub(crate) fn keep(&mut self) -> Result<(), Error> {
        let Some(work) = self.work else { return Ok(()) };
        let mut work = work.borrow_mut();
        if work.is_direct
            && let Database::Sqlite(connection) = self.database
        {
            run(connection, "RELEASE direct")?;
        }
        work.keep_layer();
        work.is_direct = false;
        Ok(())
    }

    /// Nothing stays of the use case that ran.
    pub(crate) fn undo(&mut self) -> Result<(), Error> {
        let Some(work) = self.work else { return Ok(()) };
        let mut work = work.borrow_mut();
        work.layer = WriteSet::default();
        if std::mem::take(&mut work.is_direct) {
            if let Database::Sqlite(connection) = self.database {
                run(connection, "ROLLBACK TO direct")?;
                run(connection, "RELEASE direct")?;
            }
            work.known.forget_given();
        }
        Ok(())
    }

    /// Statements of the use case that runs have changed tasks: those after it look them up again.
    pub(crate) fn forget_tasks(&mut self) {
        if let Some(work) = self.work {
            work.borrow_mut().layer.forgets_tasks = true;
        }
    }
}

fn run(connection: &Connection, sql: &str) -> Result<(), Error> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::{MonotonicMillis, UnixMillis};

    fn reading(now: i64, monotonic: i64) -> ClockReading {
        let (now, monotonic) = (UnixMillis::new(now), MonotonicMillis::new(monotonic));
        ClockReading { now, monotonic, ..ClockReading::beginning() }
    }

    #[test]
    fn a_wall_clock_that_is_set_back_is_followed_and_monotonic_time_never_goes_back() {
        let mut work = Work::default();
        for (read, time) in [
            (reading(9_000, 10), reading(9_000, 10)),
            (reading(2_000, 11), reading(2_000, 11)),
            (reading(1_999, 10), reading(2_000, 11)),
        ] {
            work.begin(read);
            assert_eq!(work.time, time);
            // Also when the batch is lost.
            work.forget_all();
        }
    }
}
