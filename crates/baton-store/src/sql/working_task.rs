//! A task as the writer sees it: from memory if it is there, else from the database and then kept; and what is shown of it,
//! with what stands in other rows.

use baton_core::{ParentTask, TaskId, TaskSnapshot};
use std::cell::RefCell;
use std::sync::Arc;

use super::columns::get;
use super::keys::numbered;
use super::rows::{Database, Rows};
use super::task_row::{Task, task_by_id};
use super::work::Work;
use crate::error::Error;
use crate::rows::TaskRow;

impl Rows<'_> {
    /// A task as the use case that runs sees it, on the writer's connection.
    pub(crate) fn find_task(&self, id: &TaskId) -> Result<Option<Arc<Task>>, Error> {
        let known = self.work().and_then(|work| work.borrow().task(id));
        if let Some(task) = known {
            self.reach(&task.row.snapshot.network_id)?;
            return Ok(Some(task));
        }
        // One that waits to be written is in memory.
        let Some(mut task) = self.look_up(task_by_id(), [id.as_str()], Task::read)? else { return Ok(None) };
        self.reach(&task.row.snapshot.network_id)?;
        if let Some(last) = task.last_event {
            let sql = "SELECT n FROM task_events WHERE place = ?1";
            let events = self.look_up(sql, [numbered(task.network, last)], |row| get::<i64>(row, "n"))?;
            task.events = events.ok_or_else(|| Error::Corrupt(format!("no event {last}")))?;
        }
        let task = Arc::new(task);
        if let Some(work) = self.knows() {
            work.borrow_mut().known.put_task(id.clone(), task.clone());
        }
        Ok(Some(task))
    }

    /// Whether there is a task already, as far as whoever makes it asks: on PostgreSQL the rows themselves say so when they
    /// are written, which saves a look for each.
    pub(crate) fn has_task(&self, id: &TaskId) -> Result<bool, Error> {
        match self.database {
            Database::Sqlite(_) => Ok(self.find_task(id)?.is_some()),
            Database::Postgres(_) => Ok(self.work().is_some_and(|work| work.borrow().task(id).is_some())),
        }
    }

    /// The same for a task that must be there.
    pub(crate) fn known_task(&self, id: &TaskId) -> Result<Arc<Task>, Error> {
        self.find_task(id)?.ok_or_else(|| Error::Corrupt(format!("there is no task {id}")))
    }

    /// What is shown of a task, with what stands in other rows.
    pub(crate) fn shown(&self, task: &Task) -> Result<TaskRow, Error> {
        let mut row = task.row.clone();
        self.show_others(task, &mut row.snapshot)?;
        Ok(row)
    }

    pub(crate) fn shown_snapshot(&self, task: &Task) -> Result<TaskSnapshot, Error> {
        let mut snapshot = task.row.snapshot.clone();
        self.show_others(task, &mut snapshot)?;
        Ok(snapshot)
    }

    /// A task's parent may be given to another agent, and the task itself be retried, after it was read.
    fn show_others(&self, task: &Task, shown: &mut TaskSnapshot) -> Result<(), Error> {
        if let Some(id) = &task.parent_task_id {
            shown.parent = self.find_task(id)?.map(|parent| {
                let TaskSnapshot { id, network_id, from, to, .. } = parent.row.snapshot.clone();
                ParentTask { id, network_id, from, to }
            });
        }
        if let Some(work) = self.work()
            && let Some(retry) = work.borrow().retry_of(&shown.id)
        {
            shown.retried_to = Some(retry.clone());
        }
        Ok(())
    }

    /// Something is added to a task, or delivered about it, from now on.
    pub(crate) fn touch_task(&mut self, id: &TaskId) -> Result<(), Error> {
        let before = self.known_task(id)?;
        // A use case that writes by statements reads the database, which does not say; what is kept must learn of it anyway.
        let is_kept =
            |work: &RefCell<Work>| work.borrow().known.tasks.get(id).is_some_and(|task| task.is_untouched);
        if before.is_untouched || self.work().is_some_and(is_kept) {
            let after = Task { is_untouched: false, ..(*before).clone() };
            self.change(|work| work.put_task(Some(before), after));
        }
        Ok(())
    }
}
