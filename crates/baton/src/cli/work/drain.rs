//! How a worker is asked to stop: the first signal lets running commands finish, the second ends them.

use std::io;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Working,
    Draining,
    Ending,
}

/// The stop signal, for everything that must know of it.
#[derive(Debug, Clone)]
pub(super) struct Drain(watch::Receiver<Stage>);

impl Drain {
    /// Listens to SIGTERM and SIGINT from here on.
    pub(super) fn on_signals() -> io::Result<Self> {
        let (tell, told) = watch::channel(Stage::Working);
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            for stage in [Stage::Draining, Stage::Ending] {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                tell.send_replace(stage);
            }
            // The last stage holds for good, and so does this end of it.
            tell.closed().await;
        });
        Ok(Self(told))
    }

    /// No new tasks from here on.
    pub(super) async fn begun(&self) {
        self.reached(Stage::Draining).await;
    }

    /// Whether it has begun.
    pub(super) fn has_begun(&self) -> bool {
        *self.0.borrow() >= Stage::Draining
    }

    /// Running commands are to be ended.
    pub(super) async fn is_ending(&self) {
        self.reached(Stage::Ending).await;
    }

    async fn reached(&self, stage: Stage) {
        let mut told = self.0.clone();
        if told.wait_for(|now| *now >= stage).await.is_err() {
            // Nobody is left to notify of a stop.
            std::future::pending::<()>().await;
        }
    }
}
