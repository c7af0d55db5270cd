//! The bell: a hint that a network has moved on, whichever hub committed that, with what is known of the changes: so a
//! listener for one recipient or one task is woken only for those. Rings are coalesced; a listener that is slow or late
//! reads the rows after the last it has and misses nothing. Beside it, which networks' logs have grown since somebody last
//! asked.

use baton_core::{NetworkId, Principal, Status, TaskId};
use baton_store::{ChangedTask, Changes, CommittedBy, Hint, Moved, Ring};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

use super::changes::Changes as TaskChanges;
use super::push_bell::PushBell;
use super::transient_frames::TransientFrames;
use super::unsealed::Unsealed;
use crate::trace::Traces;

/// What a listener listens to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Topic {
    One(Ring),
    Network(NetworkId),
    Task(TaskId),
}

/// All bells of the hub.
#[derive(Debug, Default)]
pub struct Bells {
    topics: Mutex<HashMap<Topic, watch::Sender<RungStatus>>>,
    grown_logs: Mutex<HashSet<NetworkId>>,
    /// How far the logs are ahead of their checkpoints.
    pub unsealed: Unsealed,
    /// Who makes spans of tasks that ended.
    traces: OnceLock<Arc<Traces>>,
    /// Tasks that changed, for watchers of a whole network.
    pub changes: TaskChanges,
    /// Tasks whose events go to push receivers.
    pub pushes: PushBell,
    /// Frames that are stored nowhere.
    pub transient_frames: TransientFrames,
}

/// What the last ring carried: the new status of a task, if any. It is as old as the ring, and rings come in the
/// order of what they are about.
type RungStatus = Option<Status>;

/// One listener's bell.
#[derive(Debug)]
pub struct Bell {
    rings: watch::Receiver<RungStatus>,
    topic: Topic,
    bells: Arc<Bells>,
}

impl Bells {
    /// Listens for one recipient. Rings from now on are seen, also before the first `wait`.
    pub fn listen(self: &Arc<Self>, network_id: &NetworkId, to: &Principal) -> Bell {
        self.listen_as(Topic::One(Ring { network_id: network_id.clone(), to: to.clone() }))
    }

    /// Listens for everybody in a network.
    pub fn listen_to_network(self: &Arc<Self>, network_id: &NetworkId) -> Bell {
        self.listen_as(Topic::Network(network_id.clone()))
    }

    /// Listens for what happens to a task.
    pub fn listen_to_task(self: &Arc<Self>, task: &TaskId) -> Bell {
        self.listen_as(Topic::Task(task.clone()))
    }

    fn listen_as(self: &Arc<Self>, topic: Topic) -> Bell {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let rings = topics.entry(topic.clone()).or_insert_with(|| watch::channel(None).0).subscribe();
        Bell { rings, topic, bells: self.clone() }
    }

    /// How many are listened for.
    #[cfg(any(test, feature = "fixture"))]
    pub fn ear_count(&self) -> usize {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// From now on ended tasks are reported to these, if there are any.
    pub(super) fn trace_to(&self, traces: Option<&Arc<Traces>>) {
        if let Some(traces) = traces {
            // A hub is made once over its bells.
            let _ = self.traces.set(traces.clone());
        }
    }

    /// Passes on a hint; what this hub committed is passed on right after the commit.
    pub fn tell(&self, hint: Hint) {
        match hint {
            Hint::Moved(moved) => moved.into_iter().for_each(|moved| self.moved(moved)),
            Hint::Transient { network_id, body } => self.transient_frames.send(&network_id, body),
            Hint::Anything => {
                self.pushes.ring_all();
                self.changes.tell_unknown(None);
                self.ring_where(|_| true);
            }
        }
    }

    fn moved(&self, Moved { network_id, by, changes }: Moved) {
        let Some(Changes { recipients, tasks, log }) = changes else {
            self.pushes.ring_all();
            self.changes.tell_unknown(Some(&network_id));
            // Which network a task is in is not known here.
            return self.ring_where(|topic| match topic {
                Topic::One(ring) => ring.network_id == network_id,
                Topic::Network(network) => *network == network_id,
                Topic::Task(_) => true,
            });
        };
        if let Some(traces) = self.traces.get().filter(|_| by == CommittedBy::ThisHub) {
            traces.tasks_changed(&tasks);
        }
        let changed = tasks.iter().map(|changed| &changed.task_id);
        match by {
            CommittedBy::ThisHub => self.pushes.ring_watched(changed),
            CommittedBy::AnotherHub => self.pushes.ring_elsewhere(&network_id, changed),
        }
        self.changes.tell(&network_id, &tasks);
        self.ring(&network_id, recipients, tasks);
        if let Some(log) = log {
            self.unsealed.grown(&network_id, log);
            self.note_grown([network_id]);
        }
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
    fn ring(&self, network_id: &NetworkId, recipients: Vec<Principal>, changed_tasks: Vec<ChangedTask>) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        for changed in changed_tasks {
            if let Some(bell) = topics.get(&Topic::Task(changed.task_id)) {
                bell.send_replace(changed.status);
            }
        }
        if recipients.is_empty() {
            return;
        }
        if let Some(bell) = topics.get(&Topic::Network(network_id.clone())) {
            bell.send_replace(None);
        }
        for to in recipients {
            if let Some(bell) = topics.get(&Topic::One(Ring { network_id: network_id.clone(), to })) {
                bell.send_replace(None);
            }
        }
    }

    /// Rings for everybody who listens like this.
    fn ring_where(&self, is_meant: impl Fn(&Topic) -> bool) {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, bell) in topics.iter().filter(|(topic, _)| is_meant(topic)) {
            bell.send_replace(None);
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
        let mut topics = self.bells.topics.lock().unwrap_or_else(PoisonError::into_inner);
        // This receiver still counts.
        if topics.get(&self.topic).is_some_and(|bell| bell.receiver_count() <= 1) {
            topics.remove(&self.topic);
        }
    }
}
