//! Keeping a lease: extended at a third of its time, sooner when the command has printed something to show, at once
//! when a notice came. While the hub is away the command goes on; whether the lease still holds is for the hub to say.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::outage::is_final;
use super::process::Printed;
use super::running::{InHand, Notice};
use crate::client::{Client, Error};
use crate::service::extend_lease;

/// New output is shown no sooner than this after the last.
const SHOW_EVERY: Duration = Duration::from_secs(2);

/// Why a lease is no longer ours.
#[derive(Debug, Clone)]
pub(super) enum Lost {
    Cancelled,
    Reassigned,
    /// What the hub said when it was asked.
    Refused(Error),
}

/// A lease that is kept as long as this lives.
#[derive(Debug)]
pub(super) struct Kept {
    lost: watch::Receiver<Option<Lost>>,
    keeping: AbortHandle,
}

/// What keeps it.
pub(super) struct Keeper {
    pub(super) client: Client,
    pub(super) lease_id: String,
    pub(super) lease_seconds: u32,
    pub(super) printed: Arc<Printed>,
    pub(super) in_hand: InHand,
}

impl Kept {
    /// Waits until the lease is lost; for ever, if it never is.
    pub(super) async fn lost(&self) -> Lost {
        let mut lost = self.lost.clone();
        let why = lost.wait_for(Option::is_some).await.ok().and_then(|lost| lost.clone());
        match why {
            Some(why) => why,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.keeping.abort();
    }
}

impl Keeper {
    /// Keeps the lease in a task of its own.
    pub(super) fn start(self) -> Kept {
        let (tell, lost) = watch::channel(None);
        let keeping = tokio::spawn(async move {
            let why = self.keep().await;
            tell.send_replace(Some(why));
        });
        Kept { lost, keeping: keeping.abort_handle() }
    }

    async fn keep(&self) -> Lost {
        let third = Duration::from_secs(self.lease_seconds.into()) / 3;
        let mut extended_at = Instant::now();
        loop {
            let is_noticed = tokio::select! {
                () = sleep(third.min(SHOW_EVERY)) => false,
                () = self.in_hand.heard() => true,
            };
            let output = self.printed.take_news();
            if !is_noticed && output.is_none() && extended_at.elapsed() < third {
                continue;
            }
            let has_news = output.is_some();
            match self.extend(output).await {
                Ok(()) => extended_at = Instant::now(),
                Err(error) if is_final(&error) => return self.why(error),
                // The claims, or the answer, say that the hub is away; the next round asks again.
                Err(_) if has_news => self.printed.put_back(),
                Err(_) => {}
            }
        }
    }

    async fn extend(&self, output: Option<String>) -> Result<(), Error> {
        let args =
            extend_lease::PathArgs { lease_seconds: Some(self.lease_seconds.into()), progress: None, output };
        self.client.extend_lease(&self.lease_id, &args).await.map(|_| ())
    }

    fn why(&self, error: Error) -> Lost {
        match self.in_hand.latest() {
            Some(Notice::Cancelled) => Lost::Cancelled,
            Some(Notice::Reassigned) => Lost::Reassigned,
            Some(Notice::Gap) | None => Lost::Refused(error),
        }
    }
}
