//! Logs whose tail is long enough for another entry bundle. Known from what is sealed: after a start every log is looked
//! at, so what an earlier run left is found too. A log that was found damaged is left alone until the next start.

use baton_core::{NetworkId, limits};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The networks of such logs.
#[derive(Debug, Default)]
pub struct LongTails(Mutex<Tails>);

#[derive(Debug, Default)]
struct Tails {
    waiting: BTreeSet<NetworkId>,
    damaged: BTreeSet<NetworkId>,
}

impl LongTails {
    /// Notes a log if it has enough entries that are signed and in no entry bundle.
    pub fn look(&self, network: &NetworkId, bundled: u64, signed: u64) {
        if signed.saturating_sub(bundled) >= limits::ENTRY_BUNDLE_COUNT as u64 {
            self.note([network.clone()]);
        }
    }

    /// Notes logs that are to be looked at again.
    pub fn note(&self, networks: impl IntoIterator<Item = NetworkId>) {
        let Tails { waiting, damaged } = &mut *self.tails();
        waiting.extend(networks.into_iter().filter(|network| !damaged.contains(network)));
    }

    /// Notes a log no more: its entries are not what was signed, and stay that way.
    pub fn leave_alone(&self, network: &NetworkId) {
        let mut tails = self.tails();
        tails.waiting.remove(network);
        tails.damaged.insert(network.clone());
    }

    /// The logs noted since this was last asked.
    pub fn take(&self) -> BTreeSet<NetworkId> {
        std::mem::take(&mut self.tails().waiting)
    }

    fn tails(&self) -> MutexGuard<'_, Tails> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
