//! A watch over a running hub: the most memory and the largest write-ahead log seen, and whether it is still there.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use tokio::task::JoinHandle;

use crate::memory::Memory;
use crate::server::hub::Hub;

const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOG: &str = "hub.db-wal";

/// The most of everything.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Peak {
    /// Memory of the hub's own, no file's: `RssAnon`.
    pub(crate) own_mib: f64,
    pub(crate) wal_mib: f64,
    /// The hub ended while it was watched.
    pub(crate) is_gone: bool,
}

/// Looks at a hub again and again until it is dropped or asked.
pub(crate) struct Watch {
    stop: tokio::sync::oneshot::Sender<()>,
    peak: JoinHandle<Peak>,
}

impl Watch {
    pub(crate) fn begin(hub: &Hub, folder: &Path) -> Self {
        let (pid, log) = (hub.pid(), folder.join(LOG));
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let peak = tokio::spawn(async move {
            let mut peak = Peak::default();
            let mut pulse = tokio::time::interval(LOOK_EVERY);
            loop {
                tokio::select! {
                    _ = &mut stopped => return peak,
                    _ = pulse.tick() => {}
                }
                // A process that has ended has a status without memory until it is waited for.
                let Ok(memory) = Memory::of(pid) else { return Peak { is_gone: true, ..peak } };
                peak.own_mib = peak.own_mib.max(memory.own_mib);
                let wal_mib = log.metadata().map_or(0.0, |file| file.len() as f64 / 1_048_576.0);
                peak.wal_mib = peak.wal_mib.max(wal_mib);
            }
        });
        Self { stop, peak }
    }

    pub(crate) async fn finish(self) -> Peak {
        // It has ended by itself where the hub is gone.
        let _ = self.stop.send(());
        self.peak.await.unwrap_or_default()
    }
}
