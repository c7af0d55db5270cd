//! What streams of a whole network hear of tasks that went on: hints in passing, as many at once as a commit held,
//! kept nowhere. Nothing is done for a network that nobody watches, and a slow watcher gets a notice instead of being waited for.

use baton_core::{NetworkId, Status, TaskId, limits};
use baton_store::ChangedTask;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// The tasks of one network that a commit moved on, each once, as they are now.
pub type Moved = Arc<[(TaskId, Status)]>;

/// Who watches which network.
#[derive(Debug, Default)]
pub struct Changes {
    networks: Mutex<HashMap<NetworkId, broadcast::Sender<Moved>>>,
}

impl Changes {
    /// Watches a network from now on.
    pub fn watch(&self, network: &NetworkId) -> broadcast::Receiver<Moved> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks
            .entry(network.clone())
            .or_insert_with(|| broadcast::channel(limits::LISTENER_BEHIND_MAX_COUNT).0)
            .subscribe()
    }

    /// Tells those who watch; called right after a commit.
    pub(super) fn tell(&self, changed: &[ChangedTask]) {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if networks.is_empty() {
            return;
        }
        let mut moved = Movements::default();
        let watched = changed.iter().filter(|task| networks.contains_key(&task.network_id));
        watched.for_each(|task| moved.add(task));
        networks.retain(|network, watchers| match moved.networks.remove(network) {
            Some(moved) => watchers.send(moved.into()).is_ok(),
            None => watchers.receiver_count() > 0,
        });
    }
}

/// What a commit moved on, network by network.
#[derive(Default)]
struct Movements<'c> {
    networks: HashMap<&'c NetworkId, Vec<(TaskId, Status)>>,
    /// Where each task stands in its network's list.
    places: HashMap<&'c TaskId, usize>,
}

impl<'c> Movements<'c> {
    fn add(&mut self, task: &'c ChangedTask) {
        let Some(status) = task.status else { return };
        let moved = self.networks.entry(&task.network_id).or_default();
        let place = *self.places.entry(&task.task_id).or_insert(moved.len());
        match moved.get_mut(place) {
            Some((_, known)) => *known = status,
            None => moved.push((task.task_id.clone(), status)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    fn network(n: u8) -> NetworkId {
        NetworkId::from_random([n; 6])
    }

    fn task(n: u8) -> TaskId {
        TaskId::new(UnixMillis::new(0), [n; 10])
    }

    fn changed(in_network: u8, n: u8, status: Option<Status>) -> ChangedTask {
        ChangedTask { network_id: network(in_network), task_id: task(n), from: None, status }
    }

    #[test]
    fn a_watcher_hears_of_its_network_each_task_once_as_it_is_now() {
        let changes = Changes::default();
        let mut watcher = changes.watch(&network(1));
        changes.tell(&[
            changed(1, 1, Some(Status::Delivered)),
            changed(2, 9, Some(Status::Delivered)),
            changed(1, 2, None),
            changed(1, 3, Some(Status::Running)),
            changed(1, 1, Some(Status::Replied)),
        ]);
        let heard = watcher.try_recv().unwrap();
        assert_eq!(*heard, [(task(1), Status::Replied), (task(3), Status::Running)]);
        changes.tell(&[changed(2, 9, Some(Status::Acked))]);
        assert!(watcher.try_recv().is_err(), "nothing of another network");
    }

    #[test]
    fn a_slow_watcher_misses_some_and_knows_it_and_one_that_left_is_forgotten() {
        let changes = Changes::default();
        let mut slow = changes.watch(&network(1));
        for _ in 0..=limits::LISTENER_BEHIND_MAX_COUNT {
            changes.tell(&[changed(1, 1, Some(Status::Running))]);
        }
        assert!(matches!(slow.try_recv(), Err(broadcast::error::TryRecvError::Lagged(1))));
        drop(slow);
        changes.tell(&[changed(2, 1, Some(Status::Running))]);
        assert!(changes.networks.lock().unwrap().is_empty());
    }

    #[test]
    fn each_network_hears_of_its_own_when_a_commit_moves_several() {
        let changes = Changes::default();
        let (mut one, mut two) = (changes.watch(&network(1)), changes.watch(&network(2)));
        changes.tell(&[
            changed(1, 1, Some(Status::Delivered)),
            changed(2, 2, Some(Status::Delivered)),
            changed(3, 3, Some(Status::Delivered)),
            changed(2, 4, Some(Status::Running)),
            changed(2, 2, Some(Status::Acked)),
        ]);
        assert_eq!(*one.try_recv().unwrap(), [(task(1), Status::Delivered)]);
        assert_eq!(*two.try_recv().unwrap(), [(task(2), Status::Acked), (task(4), Status::Running)]);
        assert!(one.try_recv().is_err() && two.try_recv().is_err(), "a commit is reported once");
    }
}
