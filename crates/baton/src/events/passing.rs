//! What is told once and kept nowhere: `status_update`. It has no number and is never replayed; a listener that
//! cannot keep up misses some.

use baton_core::NetworkId;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast::{self, error::RecvError};

use super::frame;
use crate::hub::Hub;

/// How far a listener may fall behind.
const KEPT: usize = 64;

/// The listeners of every network.
#[derive(Debug, Default)]
pub(super) struct Passing {
    networks: Mutex<HashMap<NetworkId, broadcast::Sender<Bytes>>>,
}

/// One listener's ear.
#[derive(Debug)]
pub(super) struct Ear {
    frames: broadcast::Receiver<Bytes>,
    network_id: NetworkId,
    passing: Arc<Passing>,
}

/// Tells everybody who listens in a network; `json` is the frame's data, in one line.
pub(crate) fn tell(hub: &Hub, network_id: &NetworkId, json: &str) {
    let networks = hub.streams.passing.networks.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(listeners) = networks.get(network_id) {
        // Nobody left to hear it is no failure.
        let _ = listeners.send(frame::unnumbered(json));
    }
}

impl Passing {
    /// Listens from now on.
    pub(super) fn listen(self: &Arc<Self>, network_id: &NetworkId) -> Ear {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        let listeners = networks.entry(network_id.clone()).or_insert_with(|| broadcast::channel(KEPT).0);
        Ear { frames: listeners.subscribe(), network_id: network_id.clone(), passing: self.clone() }
    }
}

impl Ear {
    /// The next frame.
    pub(super) async fn hear(&mut self) -> Bytes {
        loop {
            match self.frames.recv().await {
                Ok(frame) => return frame,
                Err(RecvError::Lagged(_)) => {}
                // The sender lives as long as this ear.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let mut networks = self.passing.networks.lock().unwrap_or_else(PoisonError::into_inner);
        // This ear still counts.
        if networks.get(&self.network_id).is_some_and(|listeners| listeners.receiver_count() <= 1) {
            networks.remove(&self.network_id);
        }
    }
}
