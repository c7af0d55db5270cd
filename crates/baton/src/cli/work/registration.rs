//! The worker's row at the hub: registered at the start, renewed while it runs, removed at the end. Each worker has an id
//! of its own, so that several of one agent are all listed, and one that was killed is not in the way of the next.

use baton_core::{hex, limits};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

use super::agent::{Agent, Ended};
use crate::random::id_bytes;
use crate::service::workers::Report;

const EVERY: Duration = Duration::from_secs(limits::WORKER_SEEN_EVERY_SECONDS as u64);

/// Keeps the worker registered until it ends. Work continues without.
pub(super) async fn keep(agent: Arc<Agent>, ended: Ended) {
    let worker_id = hex::encode(&id_bytes::<8>());
    let report = agent.settings.report();
    let mut is_refusal_told = false;
    loop {
        let pause = match agent.client.put_worker(&worker_id, &report).await {
            Ok(_) => EVERY,
            Err(error) if error.is_final() => {
                if !is_refusal_told {
                    tracing::info!("this worker is not listed by `baton status`: {error}");
                    is_refusal_told = true;
                }
                EVERY
            }
            // The claims say that the hub is away.
            Err(_) => limits::WORKER_SEEN_RETRY_AFTER,
        };
        if timeout(pause, ended.clone()).await.is_ok() {
            break;
        }
    }
    if let Err(error) = agent.client.remove_worker(&worker_id).await {
        tracing::debug!("the hub finds out by the silence that this worker has stopped: {error}");
    }
}

impl super::agent::Settings {
    /// What the worker reports of itself.
    fn report(&self) -> Report {
        Report {
            hostname: Some(label(&rustix::system::uname().nodename().to_string_lossy())),
            project_dir: std::env::current_dir().ok().map(|folder| label(&folder.display().to_string())),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            concurrency: i64::try_from(self.concurrency).ok(),
            description: self.description.clone(),
            skills: (!self.skills.is_empty()).then(|| self.skills.clone()),
        }
    }
}

/// As much of a text as a label may have: a path may be longer.
fn label(text: &str) -> String {
    text.chars().take(limits::LABEL_MAX_CHARS).collect()
}
