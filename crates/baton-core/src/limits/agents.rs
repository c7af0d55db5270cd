//! Agents and their workers, as the hub keeps and shows them.

/// Workers of one agent that are kept: those seen last (ours).
pub const WORKERS_PER_ALIAS_MAX_COUNT: usize = 256;
/// Longest id of a worker (ours).
pub const WORKER_ID_MAX_CHARS: usize = 64;
/// Largest skills of a worker, as JSON text (ours).
pub const WORKER_SKILLS_MAX_BYTES: usize = 64 * 1024;
/// Most tasks at the same time that a worker can name (ours).
pub const WORKER_CONCURRENCY_MAX_COUNT: i64 = 100_000;
/// How often a worker reports that it still runs (ours).
pub const WORKER_SEEN_EVERY_SECONDS: u32 = 30;
/// A worker that was not seen for this long counts as gone: three of those times (ours).
pub const WORKER_SILENT_AFTER_SECONDS: u32 = 90;
/// A worker that was not seen for this long is removed (ours).
pub const WORKER_KEPT_SECONDS: u32 = 3_600;
/// Default page of agents (ours).
pub const AGENT_PAGE_DEFAULT: usize = 100;
/// Largest page of agents (ours).
pub const AGENT_PAGE_MAX: usize = 200;
/// Longest name of a hub's provider in its agents' cards (ours).
pub const CARD_PROVIDER_MAX_CHARS: usize = 200;
/// Longest address that a hub's settings put into cards (ours).
pub const CARD_URL_MAX_BYTES: usize = 2048;
/// Agents on one page of the hub's catalog (ours).
pub const CATALOG_PAGE_COUNT: usize = 100;
/// Networks with public cards that are looked at for one page of the catalog; the page then ends early (ours).
pub const CATALOG_NETWORKS_COUNT: usize = 100;
/// Networks and aliases examined for one page of the catalog; the page then ends early (ours).
pub const CATALOG_EXAMINED_COUNT: usize = 2_000;
/// Such pages that are examined for the hub's only public agent; past them the hub's root has no card (ours).
pub const CATALOG_ROOT_PAGES_COUNT: usize = 10;
/// Aliases examined for one page of agents; the page then ends early (ours).
pub const AGENT_EXAMINED_COUNT: usize = 20_000;
/// Tasks shown that an agent works on (ours).
pub const AGENT_TASKS_SHOWN_COUNT: usize = 10;
/// Running tasks of a network that are examined for what its agents work on, the newest (ours).
pub const AGENT_TASKS_EXAMINED_COUNT: usize = 2_000;
/// Workers shown of an agent: those seen last (ours).
pub const AGENT_WORKERS_SHOWN_COUNT: usize = 20;
/// How long an agent is shown after it was seen, and how far back its figures go (ours).
pub const AGENT_SHOWN_SECONDS: u32 = 86_400;
