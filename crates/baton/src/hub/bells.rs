//! The bell: a hint, with no data, that a recipient has something new to read. Rings are coalesced; a listener
//! that is slow or late reads the rows after the last it has and misses nothing.

use baton_core::{NetworkId, Principal};
use baton_store::Ring;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Whom a listener listens for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Ear {
    One(Ring),
    Network(NetworkId),
}

/// All bells of the hub.
#[derive(Debug, Default)]
pub(crate) struct Bells {
    ears: Mutex<HashMap<Ear, watch::Sender<()>>>,
}

/// One listener's bell.
#[derive(Debug)]
pub(crate) struct Bell {
    rings: watch::Receiver<()>,
    ear: Ear,
    bells: Arc<Bells>,
}

impl Bells {
    /// Listens for one recipient. What is rung from now on is heard, also before the first `wait`.
    pub(crate) fn listen(self: &Arc<Self>, network_id: &NetworkId, to: &Principal) -> Bell {
        self.listen_as(Ear::One(Ring { network_id: network_id.clone(), to: to.clone() }))
    }

    /// Listens for everybody in a network.
    pub(crate) fn listen_to_network(self: &Arc<Self>, network_id: &NetworkId) -> Bell {
        self.listen_as(Ear::Network(network_id.clone()))
    }

    fn listen_as(self: &Arc<Self>, ear: Ear) -> Bell {
        let mut ears = self.ears.lock().unwrap_or_else(PoisonError::into_inner);
        let rings = ears.entry(ear.clone()).or_insert_with(|| watch::channel(()).0).subscribe();
        Bell { rings, ear, bells: self.clone() }
    }

    /// Rings for everybody concerned; called after a commit.
    pub(crate) fn ring(&self, rings: Vec<Ring>) {
        let ears = self.ears.lock().unwrap_or_else(PoisonError::into_inner);
        for ring in rings {
            if let Some(bell) = ears.get(&Ear::Network(ring.network_id.clone())) {
                bell.send_replace(());
            }
            if let Some(bell) = ears.get(&Ear::One(ring)) {
                bell.send_replace(());
            }
        }
    }
}

impl Bell {
    /// Waits for a ring since the last wait.
    pub(crate) async fn wait(&mut self) {
        // The sender lives as long as this listener: an error cannot be.
        let _ = self.rings.changed().await;
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
