//! What streams of a whole network hear of tasks that went on: hints in passing, as many at once as a commit held,
//! kept nowhere. Nothing is done for a network that nobody watches, and a slow watcher gets a notice instead of being waited for.

use baton_core::{NetworkId, Status, TaskId, limits};
use baton_store::ChangedTask;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// The tasks of one network that a commit moved on, each once, as they are now; none if it is not known which.
pub type MovedTasks = Arc<[(TaskId, Status)]>;

/// Who watches which network.
#[derive(Debug, Default)]
pub struct Changes {
    networks: Mutex<HashMap<NetworkId, broadcast::Sender<MovedTasks>>>,
}

impl Changes {
    /// Watches a network from now on.
    pub fn watch(&self, network: &NetworkId) -> broadcast::Receiver<MovedTasks> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|_, watchers| watchers.receiver_count() > 0);
        networks
            .entry(network.clone())
            .or_insert_with(|| broadcast::channel(limits::LISTENER_BEHIND_MAX_COUNT).0)
            .subscribe()
    }

    /// Tells those who watch a network what a commit changed in it; called right after the commit.
    pub(super) fn tell(&self, network: &NetworkId, changed: &[ChangedTask]) {
        let networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watchers) = networks.get(network) {
            let moved = moved(changed);
            if !moved.is_empty() {
                // Nobody is left: forgotten when the next one comes.
                let _ = watchers.send(moved.into());
            }
        }
    }

    /// Tells those who watch a network, or any network, that tasks went on and it is not known which.
    pub(super) fn tell_unknown(&self, network: Option<&NetworkId>) {
        let networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        let told = networks.iter().filter(|(known, _)| network.is_none_or(|network| network == *known));
        // The same here.
        told.for_each(|(_, watchers)| drop(watchers.send(MovedTasks::default())));
    }
}

/// Tasks that have another status, each once.
fn moved(changed: &[ChangedTask]) -> Vec<(TaskId, Status)> {
    let mut moved: Vec<(TaskId, Status)> = Vec::new();
    let mut places: HashMap<&TaskId, usize> = HashMap::new();
    for task in changed {
        let Some(status) = task.status else { continue };
        let place = *places.entry(&task.task_id).or_insert(moved.len());
        match moved.get_mut(place) {
            Some((_, known)) => *known = status,
            None => moved.push((task.task_id.clone(), status)),
        }
    }
    moved
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

    fn changed(n: u8, status: Option<Status>) -> ChangedTask {
        ChangedTask { task_id: task(n), from: None, status }
    }

    #[test]
    fn a_watcher_hears_of_its_network_each_task_once_as_it_is_now() {
        let changes = Changes::default();
        let mut watcher = changes.watch(&network(1));
        let commit = [
            changed(1, Some(Status::Delivered)),
            changed(2, None),
            changed(3, Some(Status::Running)),
            changed(1, Some(Status::Replied)),
        ];
        changes.tell(&network(1), &commit);
        let heard = watcher.try_recv().unwrap();
        assert_eq!(*heard, [(task(1), Status::Replied), (task(3), Status::Running)]);
        changes.tell(&network(2), &[changed(9, Some(Status::Acked))]);
        changes.tell(&network(1), &[changed(2, None)]);
        assert!(watcher.try_recv().is_err(), "nothing of another network, and nothing without a status");
        changes.tell_unknown(Some(&network(2)));
        assert!(watcher.try_recv().is_err());
        changes.tell_unknown(None);
        assert!(watcher.try_recv().unwrap().is_empty(), "it is not known which");
    }

    #[test]
    fn a_slow_watcher_misses_some_and_knows_it_and_one_that_left_is_forgotten() {
        let changes = Changes::default();
        let mut slow = changes.watch(&network(1));
        for _ in 0..=limits::LISTENER_BEHIND_MAX_COUNT {
            changes.tell(&network(1), &[changed(1, Some(Status::Running))]);
        }
        assert!(matches!(slow.try_recv(), Err(broadcast::error::TryRecvError::Lagged(1))));
        drop(slow);
        let _other = changes.watch(&network(2));
        assert_eq!(changes.networks.lock().unwrap().keys().collect::<Vec<_>>(), [&network(2)]);
    }
}
