//! Shutdown: announced once, seen by everything that waits. Code that keeps a caller waiting (a stream,
//! a claim, a worker's pause) waits for this too and ends early.

use tokio::sync::watch;

/// Whether the hub is stopping.
#[derive(Debug, Clone)]
pub struct Shutdown {
    draining: watch::Sender<bool>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self { draining: watch::channel(false).0 }
    }
}

impl Shutdown {
    /// From now on no new work is taken; what is in flight ends.
    pub fn begin(&self) {
        self.draining.send_replace(true);
    }

    /// Whether the hub is stopping.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Waits until the hub is stopping; at once if it already is.
    pub async fn wait(&self) {
        // The sender lives in `self`: an error cannot be.
        let _ = self.draining.subscribe().wait_for(|draining| *draining).await;
    }
}
