//! `notifications/progress` to a caller that gave a token: what is reported of the task it waits for, and while nothing is
//! reported, a sign now and then that the call still waits. Each value is greater than the one before it, as MCP asks, so where
//! the percentage has not grown it is a hundredth more.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::service::task_wait::WaitProgress;

const STEP: f64 = 0.01;
const TOTAL: f64 = 100.0;
const STILL_WAITING: &str = "waiting";

/// What notifies one caller.
pub(super) struct Notifier {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    reported: watch::Receiver<Option<WaitProgress>>,
    /// After so much silence it says that the call still waits.
    silence: Duration,
    last: f64,
}

impl Notifier {
    pub(super) fn new(
        peer: Peer<RoleServer>,
        token: ProgressToken,
        reported: watch::Receiver<Option<WaitProgress>>,
        silence: Duration,
    ) -> Self {
        Self { peer, token, reported, silence, last: 0.0 }
    }

    /// Sends what is reported, until the call it belongs to is over and drops this.
    pub(super) async fn notify(&mut self) {
        loop {
            let reported = self.next_report().await;
            let param = self.notification(reported);
            if let Err(error) = self.peer.notify_progress(param).await {
                tracing::debug!(%error, "progress could not be sent");
            }
        }
    }

    /// What is reported next; nothing, if the call has been silent for long.
    async fn next_report(&mut self) -> Option<WaitProgress> {
        tokio::select! {
            Ok(()) = self.reported.changed() => self.reported.borrow_and_update().clone(),
            () = sleep(self.silence) => None,
        }
    }

    fn notification(&mut self, reported: Option<WaitProgress>) -> ProgressNotificationParam {
        let percent = reported.as_ref().and_then(|reported| reported.percent).map(f64::from);
        self.last = match percent {
            Some(percent) if percent > self.last => percent,
            _ => self.last + STEP,
        };
        let mut param = ProgressNotificationParam::new(self.token.clone(), self.last);
        param.total = percent.map(|_| TOTAL);
        param.message = match reported {
            Some(reported) => reported.message,
            None => Some(STILL_WAITING.to_owned()),
        };
        param
    }
}
