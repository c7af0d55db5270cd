//! Remote tasks whose cancel was not taken, and when each is tried again: later each time, and a few at once. In memory
//! only; after a restart all are due.

use baton_core::{MessageId, limits};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::Instant;

const MAX: Duration = Duration::from_secs(limits::REMOTE_CANCEL_RETRY_MAX_SECONDS as u64);

/// Those that wait.
#[derive(Debug, Default)]
pub(super) struct DeferredCancels(HashMap<MessageId, Wait>);

#[derive(Debug)]
struct Wait {
    after: Duration,
    until: Instant,
}

impl DeferredCancels {
    /// Which of these are to be tried now, those never tried first. Who is not among these is forgotten.
    pub(super) fn due(&mut self, strays: Vec<MessageId>, now: Instant) -> Vec<MessageId> {
        let known: HashSet<_> = strays.iter().collect();
        self.0.retain(|stray, _| known.contains(stray));
        let mut due = strays;
        due.retain(|stray| self.0.get(stray).is_none_or(|wait| wait.until <= now));
        due.sort_by_key(|stray| self.0.get(stray).map(|wait| wait.until));
        due.truncate(limits::REMOTE_CANCELS_AT_ONCE);
        due
    }

    /// One was tried without success.
    pub(super) fn failed(&mut self, stray: MessageId, now: Instant) {
        let after =
            self.0.get(&stray).map_or(limits::REMOTE_CANCEL_RETRY_FIRST, |wait| (wait.after * 2).min(MAX));
        self.0.insert(stray, Wait { after, until: now + after });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    fn errand(n: u8) -> MessageId {
        MessageId::new(UnixMillis::new(1), [n; 10])
    }

    #[tokio::test]
    async fn who_fails_waits_longer_each_time_and_lets_others_go_first() {
        let (mut deferred, began) = (DeferredCancels::default(), Instant::now());
        let all: Vec<_> = (0..6).map(errand).collect();
        let first = deferred.due(all.clone(), began);
        assert_eq!(first, all[..4], "a few at once");
        first.into_iter().for_each(|stray| deferred.failed(stray, began));
        assert_eq!(deferred.due(all.clone(), began), all[4..], "the others are not behind them");
        deferred.failed(errand(0), began);
        let later = deferred.due(all.clone(), began + limits::REMOTE_CANCEL_RETRY_FIRST);
        assert_eq!(later, [errand(4), errand(5), errand(1), errand(2)]);
        for _ in 0..20 {
            deferred.failed(errand(0), began);
        }
        assert!(deferred.due(vec![errand(0)], began + MAX).contains(&errand(0)), "but not forever");
        deferred.due(Vec::new(), began);
        assert!(deferred.0.is_empty(), "who is over is forgotten");
    }
}
