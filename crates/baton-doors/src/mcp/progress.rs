//! Progress of a task as MCP reports it: `notifications/progress` to a caller that waits for the task and gave a token. Each
//! value is greater than the one before it, as MCP asks, so where the percentage has not grown it is a hundredth more.

use baton_store::rows::ProgressRow;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;

const STEP: f64 = 0.01;
const TOTAL: f64 = 100.0;

/// What notifies one caller.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    told: watch::Receiver<Option<ProgressRow>>,
    last: f64,
}

impl Teller {
    pub(super) fn new(
        peer: Peer<RoleServer>,
        token: ProgressToken,
        told: watch::Receiver<Option<ProgressRow>>,
    ) -> Self {
        Self { peer, token, told, last: 0.0 }
    }

    /// Sends what is reported, until the call it belongs to is over and drops this.
    pub(super) async fn tell(&mut self) {
        while self.told.changed().await.is_ok() {
            let Some(progress) = self.told.borrow_and_update().clone() else { continue };
            let param = self.next(progress);
            if let Err(error) = self.peer.notify_progress(param).await {
                tracing::debug!(%error, "progress could not be sent");
            }
        }
        // Nothing more is sent; the answer ends the call.
        std::future::pending::<()>().await;
    }

    fn next(&mut self, progress: ProgressRow) -> ProgressNotificationParam {
        let percent = progress.percent.map(f64::from);
        self.last = match percent {
            Some(percent) if percent > self.last => percent,
            _ => self.last + STEP,
        };
        let mut param = ProgressNotificationParam::new(self.token.clone(), self.last);
        param.total = percent.map(|_| TOTAL);
        param.message = progress.message;
        param
    }
}
