//! How far the evidence is ahead of its checkpoints: the events of each log that were written and are not sealed yet,
//! and since when the oldest of them waits. Known from commits and seals alone; what an earlier run left unsealed
//! is counted with the log's next event.

use baton_core::NetworkId;
use baton_store::GrownLog;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The logs that are ahead.
#[derive(Debug, Default)]
pub struct Unsealed {
    logs: Mutex<HashMap<NetworkId, Ahead>>,
}

/// One log that is.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    sealed: u64,
    size: u64,
    since: Instant,
}

/// How far all of them are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    pub events: u64,
    pub oldest: Duration,
}

impl Unsealed {
    /// A log has grown; called right after the commit.
    pub(super) fn grown(&self, network: &NetworkId, log: GrownLog) {
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Ahead { sealed: log.size - log.gained, size: log.size, since: Instant::now() };
        logs.entry(network.clone()).and_modify(|ahead| ahead.size = log.size).or_insert(fresh);
    }

    /// A log was sealed up to this size by who began to look at this time; a log that is gone up to 0.
    pub fn sealed(&self, network: &NetworkId, size: u64, looked: Instant) {
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        match logs.get_mut(network) {
            // What came meanwhile came after the look.
            Some(ahead) if size > 0 && ahead.size > size => {
                (ahead.sealed, ahead.since) = (size, ahead.since.max(looked));
            }
            _ => drop(logs.remove(network)),
        }
    }

    /// How it stands.
    pub fn read(&self) -> Lag {
        let logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        Lag {
            events: logs.values().map(|ahead| ahead.size - ahead.sealed).sum(),
            oldest: logs.values().map(|ahead| ahead.since.elapsed()).max().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(n: u8) -> NetworkId {
        NetworkId::from_random([n; 6])
    }

    #[test]
    fn what_was_written_counts_until_a_seal_covers_it() {
        let unsealed = Unsealed::default();
        unsealed.grown(&network(1), GrownLog { size: 10, gained: 3 });
        unsealed.grown(&network(2), GrownLog { size: 1, gained: 1 });
        unsealed.grown(&network(1), GrownLog { size: 12, gained: 2 });
        assert_eq!(unsealed.read().events, 6);
        unsealed.sealed(&network(1), 10, Instant::now());
        assert_eq!(unsealed.read().events, 3);
        unsealed.sealed(&network(1), 12, Instant::now());
        assert_eq!(unsealed.read().events, 1);
        unsealed.sealed(&network(2), 0, Instant::now());
        assert_eq!(unsealed.read(), Lag { events: 0, oldest: Duration::ZERO });
    }
}
