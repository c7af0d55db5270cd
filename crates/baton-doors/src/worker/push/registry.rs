//! What waits and what is in progress, with a bound for all. In memory only; the rows know the rest.

use baton_core::limits;
use baton_store::rows::PushConfigRow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::task::{Id, JoinSet};

use super::delivery;
use super::queue::{Key, Queue, QueuedReceiver};
use crate::hub::Hub;

/// The desk.
#[derive(Debug, Default)]
pub(super) struct PushRegistry {
    queue: Queue,
    /// Waiting or in progress.
    taken: HashSet<Key>,
    /// Rung for while in progress: to be looked at again.
    again: HashSet<Key>,
    under_way: JoinSet<delivery::Outcome>,
    places: HashMap<Id, QueuedReceiver>,
}

impl PushRegistry {
    /// Adds a receiver that may have events to receive.
    pub(super) fn take(&mut self, config: PushConfigRow) {
        let key = (config.task_id, config.config_id);
        if !self.taken.insert(key.clone()) {
            self.again.insert(key);
            return;
        }
        let host = reqwest::Url::parse(&config.url).map(|url| url.origin().ascii_serialization());
        // What cannot be read was refused when it came; here it only needs a place.
        self.queue.push(QueuedReceiver { network: config.network_id, host: host.unwrap_or_default(), key });
    }

    /// Who waits or is in progress.
    #[cfg(test)]
    pub(super) const fn taken(&self) -> &HashSet<Key> {
        &self.taken
    }

    /// Starts whatever there is room for.
    pub(super) fn start(&mut self, hub: &Arc<Hub>) {
        while self.under_way.len() < limits::PUSHES_AT_ONCE
            && let Some(place) = self.queue.next()
        {
            let (hub, (task, config)) = (hub.clone(), place.key.clone());
            let handle = self.under_way.spawn(async move { delivery::deliver(&hub, &task, &config).await });
            self.places.insert(handle.id(), place);
        }
    }

    /// Waits until one that is in progress is done; forever if none is.
    pub(super) async fn one_done(&mut self, hub: &Hub) {
        let (id, outcome) = match self.under_way.join_next_with_id().await {
            None => return std::future::pending().await,
            Some(Ok((id, outcome))) => (id, outcome),
            Some(Err(error)) => {
                tracing::error!(worker = "push", %error, "notifying a receiver panicked; it is tried again");
                (error.id(), delivery::Outcome::Failed)
            }
        };
        let Some(place) = self.places.remove(&id) else { return };
        self.queue.done(&place, outcome == delivery::Outcome::Failed);
        self.taken.remove(&place.key);
        if self.again.remove(&place.key) || outcome == delivery::Outcome::HasMore {
            hub.bells.pushes.watch(&place.key.0);
        }
    }
}
