//! Transient frames for streams: frames without a number, stored nowhere. A stream that is not open misses them.

use baton_core::{NetworkId, limits};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// Passing frames of all networks.
#[derive(Debug, Default)]
pub struct TransientFrames {
    networks: Mutex<HashMap<NetworkId, broadcast::Sender<Arc<str>>>>,
}

impl TransientFrames {
    /// Tells everybody who listens to a network.
    pub fn send(&self, network: &NetworkId, body: String) {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listeners) = networks.get(network)
            && listeners.send(body.into()).is_err()
        {
            networks.remove(network); // nobody is left
        }
    }

    /// Listens to a network from now on.
    pub fn listen(&self, network: &NetworkId) -> broadcast::Receiver<Arc<str>> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks
            .entry(network.clone())
            .or_insert_with(|| broadcast::channel(limits::LISTENER_BEHIND_MAX_COUNT).0)
            .subscribe()
    }
}
