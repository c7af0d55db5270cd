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
    /// Logs have grown; told right after the commit.
    pub(super) fn grown(&self, grown: &[GrownLog]) {
        if grown.is_empty() {
            return;
        }
        let (mut logs, now) = (self.logs.lock().unwrap_or_else(PoisonError::into_inner), Instant::now());
        for log in grown {
            let fresh = Ahead { sealed: log.size - log.gained, size: log.size, since: now };
            logs.entry(log.network_id.clone()).and_modify(|ahead| ahead.size = log.size).or_insert(fresh);
        }
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

    fn grown(network: u8, size: u64, gained: u64) -> GrownLog {
        GrownLog { network_id: NetworkId::from_random([network; 6]), size, gained }
    }

    #[test]
    fn what_was_written_counts_until_a_seal_covers_it() {
        let unsealed = Unsealed::default();
        let network = NetworkId::from_random([1; 6]);
        unsealed.grown(&[grown(1, 10, 3), grown(2, 1, 1)]);
        unsealed.grown(&[grown(1, 12, 2)]);
        assert_eq!(unsealed.read().events, 6);
        unsealed.sealed(&network, 10, Instant::now());
        assert_eq!(unsealed.read().events, 3);
        unsealed.sealed(&network, 12, Instant::now());
        assert_eq!(unsealed.read().events, 1);
        unsealed.sealed(&NetworkId::from_random([2; 6]), 0, Instant::now());
        assert_eq!(unsealed.read(), Lag { events: 0, oldest: Duration::ZERO });
    }
}
