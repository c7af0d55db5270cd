//! Who is told next: a queue per host, a bound per host and one for all. In memory only; the rows know the rest.

use baton_core::{TaskId, limits};
use baton_store::rows::PushConfigRow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tokio::task::{Id, JoinSet};

use super::carrier;
use crate::hub::Hub;

/// A receiver.
type Key = (TaskId, String);

/// What waits and what is under way.
#[derive(Debug, Default)]
pub(super) struct Desk {
    hosts: HashMap<String, Host>,
    /// Waiting or under way.
    taken: HashSet<Key>,
    /// Rung for while under way: to be looked at again.
    again: HashSet<Key>,
    under_way: JoinSet<carrier::Outcome>,
    errands: HashMap<Id, (String, Key)>,
}

#[derive(Debug, Default)]
struct Host {
    waiting: VecDeque<PushConfigRow>,
    under_way: usize,
    is_failing: bool,
}

impl Host {
    const fn room(&self) -> usize {
        let most = if self.is_failing { 1 } else { limits::PUSHES_PER_HOST_AT_ONCE };
        most.saturating_sub(self.under_way)
    }
}

impl Desk {
    /// Takes a receiver that may have something to hear.
    pub(super) fn take(&mut self, config: PushConfigRow) {
        let key = (config.task_id.clone(), config.config_id.clone());
        if !self.taken.insert(key.clone()) {
            self.again.insert(key);
            return;
        }
        let host = reqwest::Url::parse(&config.url).map(|url| url.origin().ascii_serialization());
        // What cannot be read was refused when it came; here it only needs a place.
        self.hosts.entry(host.unwrap_or_default()).or_default().waiting.push_back(config);
    }

    /// Starts whatever there is room for.
    pub(super) fn start(&mut self, hub: &Arc<Hub>) {
        for (name, host) in &mut self.hosts {
            for _ in 0..host.room() {
                if self.under_way.len() >= limits::PUSHES_AT_ONCE {
                    return;
                }
                let Some(config) = host.waiting.pop_front() else { break };
                let key = (config.task_id.clone(), config.config_id.clone());
                let hub = hub.clone();
                let handle = self.under_way.spawn(async move { carrier::carry(&hub, config).await });
                self.errands.insert(handle.id(), (name.clone(), key));
                host.under_way += 1;
            }
        }
    }

    /// Waits until one that is under way is done; for ever if none is.
    pub(super) async fn one_done(&mut self, hub: &Hub) {
        let (id, outcome) = match self.under_way.join_next_with_id().await {
            None => return std::future::pending().await,
            Some(Ok((id, outcome))) => (id, outcome),
            Some(Err(error)) => {
                tracing::error!(worker = "push", %error, "telling a receiver panicked and is tried again");
                (error.id(), carrier::Outcome::Failed)
            }
        };
        let Some((name, key)) = self.errands.remove(&id) else { return };
        self.taken.remove(&key);
        if self.again.remove(&key) {
            hub.bells.pushes.watch(&key.0);
        }
        if let Some(host) = self.hosts.get_mut(&name) {
            host.under_way -= 1;
            host.is_failing = outcome == carrier::Outcome::Failed;
            if host.under_way == 0 && host.waiting.is_empty() {
                self.hosts.remove(&name);
            }
        }
    }
}
