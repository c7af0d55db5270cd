//! Keeping a lease: extended at a third of its time, at once when a notice came. Beside that, what the command prints is
//! shown as the task's output. While the hub is away the command continues; whether the lease still holds is for the hub to say.

use baton_core::limits;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::process::Printed;
use super::running::{ActiveTask, Notice};
use crate::client::{Client, Error};
use crate::service::{extend_lease, report_progress};

/// New output is shown no sooner than this after the last: as often as the hub writes it.
const SHOW_EVERY: Duration = Duration::from_millis(limits::PROGRESS_EVERY_MILLIS);

/// Why a lease is no longer ours.
#[derive(Debug, Clone)]
pub(super) enum LeaseLost {
    Cancelled,
    Reassigned,
    /// The hub's answer.
    Refused(Error),
}

/// A lease that is kept as long as this lives.
#[derive(Debug)]
pub(super) struct HeldLease {
    lost: watch::Receiver<Option<LeaseLost>>,
    keeping: AbortHandle,
}

/// What keeps it.
pub(super) struct LeaseRenewer {
    pub(super) client: Client,
    pub(super) task_id: String,
    pub(super) lease_id: String,
    pub(super) lease_seconds: u32,
    pub(super) printed: Arc<Printed>,
    pub(super) in_hand: ActiveTask,
}

impl HeldLease {
    /// Waits until the lease is lost; forever, if it never is.
    pub(super) async fn lost(&self) -> LeaseLost {
        let mut lost = self.lost.clone();
        let why = lost.wait_for(Option::is_some).await.ok().and_then(|lost| lost.clone());
        match why {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

/// Shows what the command printed since the last time. What the hub cannot have seen is shown the next time.
pub(super) async fn show(client: &Client, task_id: &str, lease_id: &str, printed: &Printed) {
    let Some(news) = printed.take_news() else { return };
    let args = report_progress::Args {
        lease_id: lease_id.to_owned(),
        output: Some(news.text.clone()),
        ..report_progress::Args::default()
    };
    match client.report_progress(task_id, &args).await {
        Ok(_) => {}
        Err(error) if error.is_final() => tracing::debug!(%error, "output is not shown"),
        Err(_) => printed.put_back(&news),
    }
}

impl LeaseRenewer {
    /// Keeps the lease in a task of its own.
    pub(super) fn start(self) -> HeldLease {
        let (tell, lost) = watch::channel(None);
        let keeping = tokio::spawn(async move {
            let why = self.keep().await;
            tell.send_replace(Some(why));
        });
        HeldLease { lost, keeping: keeping.abort_handle() }
    }

    async fn keep(&self) -> LeaseLost {
        let third = Duration::from_secs(self.lease_seconds.into()) / 3;
        let mut extended_at = Instant::now();
        loop {
            let is_noticed = tokio::select! {
                () = sleep(third.min(SHOW_EVERY)) => false,
                () = self.in_hand.notified() => true,
            };
            if is_noticed || extended_at.elapsed() >= third {
                match self.extend().await {
                    Ok(()) => extended_at = Instant::now(),
                    Err(error) if error.is_final() => return self.why(error),
                    // The claims, or the answer, say that the hub is away; the next round asks again.
                    Err(_) => {}
                }
            }
            // A lease that is lost is found out by its extension.
            show(&self.client, &self.task_id, &self.lease_id, &self.printed).await;
        }
    }

    async fn extend(&self) -> Result<(), Error> {
        let args = extend_lease::PathArgs {
            lease_seconds: Some(self.lease_seconds.into()),
            ..extend_lease::PathArgs::default()
        };
        self.client.extend_lease(&self.lease_id, &args).await.map(|_| ())
    }

    fn why(&self, error: Error) -> LeaseLost {
        match self.in_hand.latest() {
            Some(Notice::Cancelled) => LeaseLost::Cancelled,
            Some(Notice::Reassigned) => LeaseLost::Reassigned,
            Some(Notice::Gap) | None => LeaseLost::Refused(error),
        }
    }
}
