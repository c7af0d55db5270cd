//! Which tasks have receivers outside, and which of them have news. A commit only looks a task up here; what there
//! is to tell is read from the rows, so a ring too many costs a look and a lost one cannot be.

use baton_core::{NetworkId, TaskId};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// The bell of the push worker.
#[derive(Debug, Default)]
pub struct PushBell {
    tasks: Mutex<Tasks>,
    rings: Notify,
}

#[derive(Debug, Default)]
struct Tasks {
    watched: HashSet<TaskId>,
    /// Networks whose pushes this hub sends, also those of tasks that others made.
    followed: HashSet<NetworkId>,
    rung: HashSet<TaskId>,
}

impl PushBell {
    /// These tasks went on; called right after the commit.
    pub(super) fn ring_watched<'t>(&self, changed: impl Iterator<Item = &'t TaskId>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.watched.is_empty() {
            return;
        }
        for task in changed {
            if tasks.watched.contains(task) && tasks.rung.insert(task.clone()) {
                self.rings.notify_one();
            }
        }
    }

    /// Another hub has changed these tasks of a network.
    pub(super) fn ring_elsewhere<'t>(&self, network: &NetworkId, changed: impl Iterator<Item = &'t TaskId>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Tasks { watched, followed, rung } = &mut *tasks;
        let is_followed = followed.contains(network);
        for task in changed {
            if (is_followed || watched.contains(task)) && rung.insert(task.clone()) {
                self.rings.notify_one();
            }
        }
    }

    /// Whether this hub sends the pushes of a network.
    pub fn follow(&self, network: &NetworkId, is_followed: bool) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        match is_followed {
            true => tasks.followed.insert(network.clone()),
            false => tasks.followed.remove(network),
        };
    }

    /// Any task may have gone on.
    pub(super) fn ring_all(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Tasks { watched, rung, .. } = &mut *tasks;
        rung.extend(watched.iter().cloned());
        self.rings.notify_one();
    }

    /// A task has a receiver from now on, which may have missed something already.
    pub fn watch(&self, task: &TaskId) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.watched.insert(task.clone());
        tasks.rung.insert(task.clone());
        self.rings.notify_one();
    }

    /// A task was found to have receivers, or none, that get more events.
    pub fn keep(&self, task: &TaskId, has_receivers: bool) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if has_receivers {
            tasks.watched.insert(task.clone());
        } else {
            tasks.watched.remove(task);
        }
    }

    /// The tasks with news since this was last asked.
    pub fn take_rung(&self) -> Vec<TaskId> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.rung.drain().collect()
    }

    /// Waits for a ring since the last wait.
    pub async fn wait(&self) {
        self.rings.notified().await;
    }
}
