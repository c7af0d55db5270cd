//! The tasks a worker has in hand, and the notices that came for them. A notice is a hint: whether a lease still
//! holds is what the hub says when it is asked to extend it, so a notice only makes the worker ask at once.

use baton_core::limits;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// Why a worker should ask whether its lease holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    Cancelled,
    Reassigned,
    /// Something may have been missed.
    Gap,
}

/// All tasks in hand.
#[derive(Debug, Clone, Default)]
pub(super) struct Running(Arc<Mutex<Tasks>>);

#[derive(Debug, Default)]
struct Tasks {
    in_hand: HashMap<String, Arc<NoticeChannel>>,
    early: VecDeque<(String, Notice)>,
}

/// Where one task's notices come in.
#[derive(Debug, Default)]
struct NoticeChannel {
    rung: Notify,
    latest: Mutex<Option<Notice>>,
}

/// A task in hand, as long as this lives.
#[derive(Debug)]
pub(super) struct ActiveTask {
    running: Running,
    task_id: String,
    ear: Arc<NoticeChannel>,
}

impl Running {
    /// Takes a task in hand. A notice that came too early is delivered now.
    pub(super) fn take(&self, task_id: &str) -> ActiveTask {
        let ear = Arc::new(NoticeChannel::default());
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.in_hand.insert(task_id.to_owned(), ear.clone());
        if let Some((_, notice)) = tasks.early.iter().rev().find(|(early, _)| early == task_id) {
            ear.ring(*notice);
        }
        ActiveTask { running: self.clone(), task_id: task_id.to_owned(), ear }
    }

    /// Something came for one task.
    pub(super) fn notice(&self, task_id: &str, notice: Notice) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ear) = tasks.in_hand.get(task_id) {
            return ear.ring(notice);
        }
        if tasks.early.len() == limits::NOTICES_REMEMBERED_COUNT {
            tasks.early.pop_front();
        }
        tasks.early.push_back((task_id.to_owned(), notice));
    }

    /// Something may have been missed for any task.
    pub(super) fn notice_all(&self) {
        let tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.in_hand.values().for_each(|ear| ear.ring(Notice::Gap));
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).in_hand.len()
    }
}

impl NoticeChannel {
    fn ring(&self, notice: Notice) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        // The notice that came describes what happened better than the gap after it.
        if notice != Notice::Gap || latest.is_none() {
            *latest = Some(notice);
        }
        self.rung.notify_one();
    }
}

impl ActiveTask {
    /// Waits for a notice.
    pub(super) async fn notified(&self) {
        self.ear.rung.notified().await;
    }

    /// The notice that says most.
    pub(super) fn latest(&self) -> Option<Notice> {
        *self.ear.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ActiveTask {
    fn drop(&mut self) {
        let mut tasks = self.running.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The same task may have been taken in hand again under a new lease.
        if tasks.in_hand.get(&self.task_id).is_some_and(|ear| Arc::ptr_eq(ear, &self.ear)) {
            tasks.in_hand.remove(&self.task_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn is_rung(task: &ActiveTask) -> bool {
        task.notified().now_or_never().is_some()
    }

    #[test]
    fn a_notice_is_heard_by_its_task_alone_also_if_it_came_first() {
        let running = Running::default();
        running.notice("a", Notice::Reassigned);
        let (a, b) = (running.take("a"), running.take("b"));
        assert!(is_rung(&a) && !is_rung(&b));
        running.notice("b", Notice::Cancelled);
        running.notice_all();
        assert!(is_rung(&b));
        assert_eq!((a.latest(), b.latest()), (Some(Notice::Reassigned), Some(Notice::Cancelled)));
        drop((a, b));
        assert_eq!(running.count(), 0);
    }

    #[test]
    fn early_notices_are_remembered_in_bounded_number() {
        let running = Running::default();
        for number in 0..=limits::NOTICES_REMEMBERED_COUNT {
            running.notice(&number.to_string(), Notice::Reassigned);
        }
        assert!(!is_rung(&running.take("0")));
        assert!(is_rung(&running.take("1")));
    }
}
