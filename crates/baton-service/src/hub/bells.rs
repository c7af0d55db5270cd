//! The bell: a hint that a recipient has something new to read, or that a task went on, and then perhaps to which
//! status. Rings are coalesced; a listener that is slow or late reads the rows after the last it has and misses nothing. Beside it, which networks' logs have
//! grown since somebody last asked.

use baton_core::{NetworkId, Principal, Status, TaskId};
use baton_store::{ChangedTask, Committed, Ring};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

use super::changes::Changes;
use super::push_bell::PushBell;
use super::unsealed::Unsealed;
use crate::trace::Traces;

/// Whom a listener listens for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Ear {
    One(Ring),
    Network(NetworkId),
    Task(TaskId),
}

/// All bells of the hub.
#[derive(Debug, Default)]
pub struct Bells {
    ears: Mutex<HashMap<Ear, watch::Sender<Heard>>>,
    grown_logs: Mutex<HashSet<NetworkId>>,
    /// How far the logs are ahead of their checkpoints.
    pub unsealed: Unsealed,
    /// Who makes spans of tasks that ended.
    traces: OnceLock<Arc<Traces>>,
    /// Tasks that went on, for whoever watches a whole network.
    pub changes: Changes,
    /// Tasks whose events go to push receivers.
    pub pushes: PushBell,
}

/// What the last ring said: the status a task has since, if it said one. It is as old as the ring, and rings come in the
/// order of what they are about.
type Heard = Option<Status>;

/// One listener's bell.
#[derive(Debug)]
pub struct Bell {
    rings: watch::Receiver<Heard>,
    ear: Ear,
    bells: Arc<Bells>,
}

impl Bells {
    /// Listens for one recipient. What is rung from now on is heard, also before the first `wait`.
    pub fn listen(self: &Arc<Self>, network_id: &NetworkId, to: &Principal) -> Bell {
        self.listen_as(Ear::One(Ring { network_id: network_id.clone(), to: to.clone() }))
    }

    /// Listens for everybody in a network.
    pub fn listen_to_network(self: &Arc<Self>, network_id: &NetworkId) -> Bell {
        self.listen_as(Ear::Network(network_id.clone()))
    }

    /// Listens for what happens to a task.
    pub fn listen_to_task(self: &Arc<Self>, task: &TaskId) -> Bell {
        self.listen_as(Ear::Task(task.clone()))
    }

    fn listen_as(self: &Arc<Self>, ear: Ear) -> Bell {
        let mut ears = self.ears.lock().unwrap_or_else(PoisonError::into_inner);
        let rings = ears.entry(ear.clone()).or_insert_with(|| watch::channel(None).0).subscribe();
        Bell { rings, ear, bells: self.clone() }
    }

    /// How many are listened for.
    #[cfg(any(test, feature = "fixture"))]
    pub fn ear_count(&self) -> usize {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// From now on ended tasks are reported to these, if there are any.
    pub(super) fn trace_to(&self, traces: Option<&Arc<Traces>>) {
        if let Some(traces) = traces {
            // A hub is made once over its bells.
            let _ = self.traces.set(traces.clone());
        }
    }

    /// Passes on what a commit left; called right after it.
    pub fn tell(&self, committed: Committed) {
        if let Some(traces) = self.traces.get() {
            traces.tasks_changed(&committed.changed_tasks);
        }
        self.pushes.ring_watched(committed.changed_tasks.iter().map(|changed| &changed.task_id));
        self.changes.tell(&committed.changed_tasks);
        self.ring(committed.rings, committed.changed_tasks);
        self.unsealed.grown(&committed.grown_logs);
        self.note_grown(committed.grown_logs.into_iter().map(|log| log.network_id));
    }

    /// Notes that these networks' logs have grown.
    pub fn note_grown(&self, networks: impl IntoIterator<Item = NetworkId>) {
        self.grown_logs.lock().unwrap_or_else(PoisonError::into_inner).extend(networks);
    }

    /// How many logs have grown since that was last asked.
    pub fn grown_count(&self) -> usize {
        self.grown_logs.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The networks whose logs have grown since this was last asked.
    pub fn take_grown(&self) -> HashSet<NetworkId> {
        std::mem::take(&mut *self.grown_logs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Rings for everybody concerned.
    fn ring(&self, rings: Vec<Ring>, changed_tasks: Vec<ChangedTask>) {
        let ears = self.ears.lock().unwrap_or_else(PoisonError::into_inner);
        for changed in changed_tasks {
            if let Some(bell) = ears.get(&Ear::Task(changed.task_id)) {
                bell.send_replace(changed.status);
            }
        }
        for ring in rings {
            if let Some(bell) = ears.get(&Ear::Network(ring.network_id.clone())) {
                bell.send_replace(None);
            }
            if let Some(bell) = ears.get(&Ear::One(ring)) {
                bell.send_replace(None);
            }
        }
    }
}

impl Bell {
    /// Waits for a ring since the last wait.
    pub async fn wait(&mut self) {
        // The sender lives as long as this listener: an error cannot be.
        let _ = self.rings.changed().await;
    }

    /// The status the last ring named, if it named one.
    pub fn heard(&self) -> Option<Status> {
        *self.rings.borrow()
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        let mut ears = self.bells.ears.lock().unwrap_or_else(PoisonError::into_inner);
        // This receiver still counts.
        if ears.get(&self.ear).is_some_and(|bell| bell.receiver_count() <= 1) {
            ears.remove(&self.ear);
        }
    }
}
