//! The line of an inbox: its tasks that can be claimed, by priority, then age. The writer keeps the head of it in memory, as
//! it is without what the use case that runs has changed.

use baton_core::{Alias, NetworkId, TaskId, limits};
use rusqlite::params;
use std::collections::BTreeMap;

use super::columns::{get, parsed};
use super::rows::Rows;
use super::work::Work;
use crate::error::Error;
use crate::rows::InboxPosition;

/// The tasks of an inbox that can be claimed, in the order in which they are; the first ones, if they are many.
#[derive(Debug, Default)]
pub(crate) struct Line {
    first: BTreeMap<(i64, i64), TaskId>,
    /// Whether there are no others.
    is_whole: bool,
}

impl Line {
    pub(crate) fn new(first: impl IntoIterator<Item = ((i64, i64), TaskId)>) -> Self {
        let first: BTreeMap<_, _> = first.into_iter().collect();
        let is_whole = first.len() < limits::INBOX_LINE_KNOWN_COUNT;
        Self { first, is_whole }
    }

    pub(crate) fn put(&mut self, place: (i64, i64), task: TaskId) {
        if self.is_whole || self.first.last_key_value().is_some_and(|(last, _)| place < *last) {
            self.first.insert(place, task);
        }
        if self.first.len() > limits::INBOX_LINE_KNOWN_COUNT {
            self.first.pop_last();
            self.is_whole = false;
        }
    }

    pub(crate) fn remove(&mut self, place: (i64, i64)) {
        self.first.remove(&place);
    }

    /// The first that a use case has not changed, or that there is none; none if that is not known.
    pub(crate) fn first(
        &self,
        is_changed: impl Fn(&TaskId) -> bool,
    ) -> Option<Option<((i64, i64), &TaskId)>> {
        match self.first.iter().find(|(_, task)| !is_changed(task)) {
            Some((place, task)) => Some(Some((*place, task))),
            None => self.is_whole.then_some(None),
        }
    }

    pub(crate) fn is_known(&self) -> bool {
        self.is_whole || !self.first.is_empty()
    }
}

impl Rows<'_> {
    /// The tasks of an inbox that can be claimed, as the database has them; at most so many.
    pub(crate) fn line(
        &self,
        network: &NetworkId,
        to: &Alias,
        most: usize,
    ) -> Result<Vec<(InboxPosition, TaskId)>, Error> {
        let sql = "SELECT priority, inbox_place, task_id FROM tasks
                   WHERE network = ?1 AND to_name = ?2 AND inbox_state = 0 AND status = 'delivered'
                   ORDER BY priority, inbox_place LIMIT ?3";
        self.all(sql, params![self.key(network)?, to.as_str(), most as i64], |row| {
            let place = (get(row, "priority")?, get(row, "inbox_place")?);
            Ok((place, parsed(row, "task_id", TaskId::parse)?))
        })
    }

    /// The first task that can be claimed, as far as that is known without a look at the database; none if it is not.
    pub(crate) fn first_in_line(
        &self,
        network: &NetworkId,
        to: &Alias,
    ) -> Result<Option<Option<TaskId>>, Error> {
        self.reach(network)?;
        let Some(work) = self.knows() else { return Ok(None) };
        let is_known =
            |work: &Work| work.known.networks.get(network).is_some_and(|n| n.lines.contains_key(to));
        if !is_known(&work.borrow()) {
            self.settle_batch()?;
            let layer = std::mem::take(&mut work.borrow_mut().layer);
            // Without the layer, so that the line is what it is if this use case is refused.
            let first = self.line(network, to, limits::INBOX_LINE_KNOWN_COUNT);
            let mut work = work.borrow_mut();
            work.layer = layer;
            let first = first?;
            work.known.note_rows(1 + first.len());
            work.known.network(network).lines.insert(to.clone(), Line::new(first));
        }
        let work = work.borrow();
        let line = work.known.networks.get(network).and_then(|network| network.lines.get(to));
        let Some(known) = line.and_then(|line| line.first(|task| work.layer.tasks.contains_key(task))) else {
            return Ok(None);
        };
        let own = work.layer.tasks.iter().filter_map(|(id, entry)| {
            let snapshot = &entry.now.row.snapshot;
            let is_here = snapshot.to == *to && snapshot.network_id == *network;
            entry.now.claim_place().filter(|_| is_here).map(|place| (place, id))
        });
        Ok(Some(own.chain(known).min().map(|(_, task)| task.clone())))
    }
}
