//! Calls about agents and their workers.

use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::{WireTime, agents, workers};

/// An agent at a glance.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Agent {
    pub(crate) alias: String,
    pub(crate) status: String,
    pub(crate) works_on: Vec<WorksOn>,
    pub(crate) leases: usize,
    pub(crate) queue: i64,
    pub(crate) day: Day,
    pub(crate) progress: Option<i64>,
    pub(crate) last_seen_at: Option<WireTime>,
    pub(crate) workers: Vec<IgnoredAny>,
    pub(crate) session: Option<Reported>,
}

/// A task that an agent works on.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct WorksOn {
    pub(crate) task_id: String,
    pub(crate) content: String,
}

/// How an agent did in the last day.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Day {
    pub(crate) ended: i64,
    pub(crate) replied: i64,
    pub(crate) p50_seconds: Option<f64>,
}

/// What an agent's session says of its work.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Reported {
    pub(crate) task: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Agents {
    pub(crate) agents: Vec<Agent>,
}

impl Client {
    pub(crate) async fn agents(&self, args: &agents::QueryArgs) -> Result<HubResponse<Agents>, Error> {
        self.get_pages(&["api", "agents"], args, "agents").await
    }

    /// Registers a worker, or reports that it still runs; repeating it changes nothing.
    pub(crate) async fn put_worker(
        &self,
        worker_id: &str,
        args: &workers::Report,
    ) -> Result<HubResponse<Value>, Error> {
        let path = ["api", "workers", worker_id];
        Call::new(self, Method::PUT, &path).body(args).repeat(Repeat::Always).run().await
    }

    /// Removes a worker that has stopped.
    pub(crate) async fn remove_worker(&self, worker_id: &str) -> Result<HubResponse<Value>, Error> {
        let path = ["api", "workers", worker_id];
        Call::new(self, Method::DELETE, &path).repeat(Repeat::Always).run().await
    }
}
