//! The running workers of agents. An alias may have several, each with its own row.

use baton_core::{Alias, NetworkId, TokenId, UnixMillis};

use crate::error::Error;

/// A worker, as it last described itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// Its network.
    pub network_id: NetworkId,
    /// The agent it works as.
    pub alias: Alias,
    /// The id it chose for itself.
    pub worker_id: String,
    /// The token it calls with.
    pub token_id: TokenId,
    /// The host.
    pub hostname: Option<String>,
    /// Where it works.
    pub project_dir: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Tasks to run at the same time.
    pub concurrency: Option<i64>,
    /// What it says the agent is.
    pub description: Option<String>,
    /// What it says the agent can do, a JSON array.
    pub skills: Option<String>,
    /// When it was first seen.
    pub started_at: UnixMillis,
    /// When it was last seen.
    pub last_seen_at: UnixMillis,
}

/// A worker without the texts that describe its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSummaryRow {
    /// The id it chose for itself.
    pub worker_id: String,
    /// The host.
    pub hostname: Option<String>,
    /// Where it works.
    pub project_dir: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Tasks to run at the same time.
    pub concurrency: Option<i64>,
    /// When it was first seen.
    pub started_at: UnixMillis,
    /// When it was last seen.
    pub last_seen_at: UnixMillis,
}

/// Reads of workers.
pub trait WorkerReads {
    /// One worker.
    fn worker(&self, network: &NetworkId, alias: &Alias, worker_id: &str)
    -> Result<Option<WorkerRow>, Error>;
    /// An agent's workers, those seen last first; at most so many.
    fn workers(
        &self,
        network: &NetworkId,
        alias: &Alias,
        limit: usize,
    ) -> Result<Vec<WorkerSummaryRow>, Error>;
}

/// Writes of workers.
pub trait WorkerWrites {
    /// Writes a worker, new or old. An agent keeps at most so many, those seen last.
    fn put_worker(&mut self, worker: &WorkerRow, most: usize) -> Result<(), Error>;
    /// Removes a worker; false if there was none.
    fn remove_worker(&mut self, network: &NetworkId, alias: &Alias, worker_id: &str) -> Result<bool, Error>;
    /// Removes workers that were last seen before this; so many at once.
    fn forget_workers(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error>;
}
