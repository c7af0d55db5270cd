//! Whether the hub can do its work, asked of the database by one at a time. Anybody may ask: however many do, there is
//! one read and one write in progress for all of them, and what it found holds for a moment.

use baton_core::limits;
use baton_store::Health;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::Hub;
use crate::error::Error;

/// Why a hub is not ready.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotReady {
    #[error("{0}")]
    Refused(String),
    #[error(
        "the database is damaged; stop the hub, run `baton hub check`, and restore a backup with `baton hub restore`"
    )]
    Damaged,
    #[error("the database does not answer in time")]
    Silent,
}

/// What was found last; held while somebody checks.
#[derive(Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<Finding>>>);

#[derive(Debug)]
struct Finding {
    at: Instant,
    found: Result<(), NotReady>,
}

/// Whether the database can be read and written.
pub async fn look(hub: &Arc<Hub>) -> Result<(), NotReady> {
    if hub.store.health() == Health::Damaged {
        return Err(NotReady::Damaged);
    }
    let looking = async {
        let mut last = hub.readiness.0.clone().lock_owned().await;
        if let Some(finding) = last.as_ref().filter(|finding| finding.holds(hub)) {
            return finding.found.clone();
        }
        // A task of its own: it continues when the asker leaves, and so there are never two.
        let hub = hub.clone();
        let looked = tokio::spawn(async move {
            let found = try_storage(&hub).await.map_err(|error| match error {
                Error::Store(baton_store::Error::Damaged(_)) => NotReady::Damaged,
                error => NotReady::Refused(error.to_string()),
            });
            log_change(last.as_ref(), &found);
            *last = Some(Finding { at: Instant::now(), found: found.clone() });
            found
        });
        looked.await.unwrap_or(Err(NotReady::Silent))
    };
    timeout(limits::READINESS_WAIT_MAX, looking).await.unwrap_or(Err(NotReady::Silent))
}

impl Finding {
    /// A refusal or damage since then counts at once.
    fn holds(&self, hub: &Hub) -> bool {
        self.at.elapsed() < limits::READINESS_KEPT
            && (self.found.is_err() || hub.store.health() == Health::Well)
    }
}

/// Said when it changes, not whenever it is asked.
fn log_change(last: Option<&Finding>, found: &Result<(), NotReady>) {
    let was_ready = last.is_none_or(|last| last.found.is_ok());
    match found {
        Err(trouble) if was_ready => tracing::warn!(%trouble, "not ready"),
        Ok(()) if !was_ready => tracing::info!("ready again"),
        _ => {}
    }
}

/// Reads; and writes, unless a commit of just now says that the disk takes changes: also where one was refused recently, or
/// a hub that nobody sends to any more because it is not ready would never be ready again.
async fn try_storage(hub: &Hub) -> Result<(), Error> {
    hub.store.read(|rows| rows.has_users().map_err(Error::from)).await?;
    let is_written = hub.store.meter().since_commit().is_some_and(|since| since < limits::READY_AFTER_COMMIT);
    if is_written && hub.store.health() == Health::Well {
        return Ok(());
    }
    hub.store.check_writes().await?;
    if hub.store.health() == Health::RefusesWrites {
        let why = "the disk refused a change a moment ago".into();
        return Err(baton_store::Error::Unavailable(why).into());
    }
    Ok(())
}
