//! The row an agent makes by reporting its status, and the completions it reports.

use baton_core::{Alias, NetworkId, TaskId, TokenId, UnixMillis};

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes, texts_bytes};
use crate::rows::tasks::Reach;

/// What an agent last reported.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// Its network.
    pub network_id: NetworkId,
    /// Its name there.
    pub alias: Alias,
    /// The token it reported with.
    pub token_id: TokenId,
    /// What it resumes by.
    pub resume_id: String,
    /// What it says it is doing.
    pub status: String,
    /// The machine or service.
    pub server: Option<String>,
    /// The host.
    pub hostname: Option<String>,
    /// The program.
    pub agent: Option<String>,
    /// Where it works.
    pub project_dir: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// What it works on.
    pub task: Option<String>,
    /// Its last report.
    pub output: Option<String>,
    /// How far it is.
    pub progress: Option<i64>,
    /// How well it went.
    pub score: Option<f64>,
    /// The node it runs on.
    pub node_id: Option<String>,
    /// Its own session.
    pub session_id: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// What it says of itself.
    pub description: Option<String>,
    /// What it says it can do, a JSON array.
    pub skills: Option<String>,
    /// When it first reported.
    pub registered_at: UnixMillis,
    /// When it last reported.
    pub updated_at: UnixMillis,
    /// When it last called.
    pub last_seen_at: UnixMillis,
}

/// A session without its texts: whether its agent is online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummaryRow {
    /// Its name.
    pub alias: Alias,
    /// What it says it is doing.
    pub status: String,
    /// The machine or service.
    pub server: Option<String>,
    /// When it last called.
    pub last_seen_at: UnixMillis,
    /// Whether it holds a lease.
    pub holds_lease: bool,
}

impl SessionRow {
    /// What it adds to an answer, in bytes of JSON.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        self.weight()
    }
}

impl Weight for SessionRow {
    fn weight(&self) -> usize {
        let labels =
            [&self.server, &self.hostname, &self.agent, &self.project_dir, &self.version, &self.task];
        let more = [&self.output, &self.node_id, &self.session_id, &self.model, &self.description];
        // Skills are JSON already.
        let skills = self.skills.as_ref().map_or(0, String::len);
        ROW_BYTES
            + text_bytes(&self.resume_id)
            + text_bytes(self.alias.as_str())
            + text_bytes(&self.status)
            + texts_bytes(labels.into_iter().chain(more).map(|text| text.as_deref()))
            + skills
    }
}

impl Weight for CompletionRow {
    fn weight(&self) -> usize {
        // Artifacts are JSON already.
        let artifacts = self.artifacts.as_ref().map_or(0, String::len);
        let texts = text_bytes(&self.session_name) + text_bytes(&self.task) + text_bytes(&self.result);
        ROW_BYTES + texts + artifacts
    }
}

/// A place among completions: the time, and the completion's own place.
pub type CompletionPosition = (i64, i64);

/// Which completions a list shows, newest first.
#[derive(Clone, Debug)]
pub struct CompletionFilter {
    /// In these networks, each as far as the caller reaches.
    pub networks: Vec<(NetworkId, Reach)>,
    /// Of this session.
    pub session: Option<String>,
    /// Reported at this time or later.
    pub since: UnixMillis,
    /// Older than this place.
    pub before: Option<CompletionPosition>,
    /// So many.
    pub page: PageBounds,
}

/// A reported completion.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionRow {
    /// Its place in the order of completions of all networks; never shown to callers.
    pub id: i64,
    /// Its number within the network, from 1.
    pub number: i64,
    /// Its network.
    pub network_id: NetworkId,
    /// Who reported it.
    pub session_name: String,
    /// The task's text.
    pub task: String,
    /// The result.
    pub result: String,
    /// A JSON array.
    pub artifacts: Option<String>,
    /// How well it went.
    pub score: Option<f64>,
    /// How long it took.
    pub duration_minutes: Option<f64>,
    /// When.
    pub completed_at: UnixMillis,
}

/// A completion to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewCompletion<'a> {
    /// Its network.
    pub network_id: &'a NetworkId,
    /// Who reports it.
    pub session_name: &'a str,
    /// The task.
    pub task_id: &'a TaskId,
    /// The task's text.
    pub task: &'a str,
    /// The result.
    pub result: &'a str,
    /// A JSON array.
    pub artifacts: Option<&'a str>,
    /// How well it went.
    pub score: Option<f64>,
    /// How long it took.
    pub duration_minutes: Option<f64>,
    /// When.
    pub at: UnixMillis,
}

/// Reads of sessions.
pub trait SessionReads {
    /// One session.
    fn session(&self, network: &NetworkId, alias: &Alias) -> Result<Option<SessionRow>, Error>;
    /// One session, without its texts.
    fn session_glance(&self, network: &NetworkId, alias: &Alias) -> Result<Option<SessionSummaryRow>, Error>;
    /// A network's sessions by alias, without their texts, after this one; at most so many.
    fn session_glances(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<SessionSummaryRow>, Error>;
    /// A page of completions.
    fn completions(
        &self,
        filter: &CompletionFilter,
    ) -> Result<Page<CompletionRow, CompletionPosition>, Error>;
    /// The artifacts reported with the completion that ended a task then, a JSON array.
    fn artifacts_of(
        &self,
        network: &NetworkId,
        task: &TaskId,
        completed_at: UnixMillis,
    ) -> Result<Option<String>, Error>;
}

/// Writes of sessions.
pub trait SessionWrites {
    /// Writes a session, new or old.
    fn put_session(&mut self, session: &SessionRow) -> Result<(), Error>;
    /// Notes when the sessions of these tokens were last seen.
    fn see_sessions(&mut self, seen: &[(TokenId, UnixMillis)]) -> Result<(), Error>;
    /// Writes a completion and returns its number within the network.
    fn insert_completion(&mut self, completion: NewCompletion<'_>) -> Result<i64, Error>;
}
