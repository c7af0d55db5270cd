//! The PostgreSQL engine.

use std::time::Duration;

/// Connections of a hub that write (ours).
pub const POSTGRES_LANES_COUNT: usize = 4;
/// Longest wait for a connection to a host, unless `connect_timeout` says otherwise (ours).
pub const POSTGRES_CONNECT_MAX: Duration = Duration::from_secs(2);
/// How long a hub that starts waits for a server that is starting up or recovering (ours).
pub const POSTGRES_STARTED_WITHIN: Duration = Duration::from_secs(60);
/// Hosts that a connection string may list (ours).
pub const POSTGRES_HOSTS_MAX_COUNT: usize = 16;
/// Longest wait for the lock of a network (ours).
pub const POSTGRES_LOCK_MAX_MILLIS: u32 = 5_000;
/// Longest statement of a write (ours).
pub const POSTGRES_STATEMENT_MAX_MILLIS: u32 = 10_000;
/// Longest wait of a migration for what another hub holds (ours).
pub const POSTGRES_MIGRATION_LOCK_MAX_MILLIS: u32 = 30_000;
/// How long it is tried to find out whether a COMMIT took place that was not answered (ours).
pub const POSTGRES_COMMIT_RESOLVED_WITHIN: Duration = Duration::from_secs(20);
/// Time between two tries to connect meanwhile (ours).
pub const POSTGRES_RECONNECTED_EVERY: Duration = Duration::from_millis(200);
/// Statements that a connection keeps prepared (ours).
pub const POSTGRES_STATEMENTS_MAX_COUNT: usize = 512;
/// How often use cases are run to find out what to load for them before the networks are locked (ours).
pub const EXPLORING_ROUNDS_COUNT: u32 = 8;
/// How often a write is stopped because it needs more locks before its caller gets `busy` (ours).
pub const WRITE_STOPS_MAX_COUNT: u32 = 32;
/// How long the row of a connection that writes is kept after its last batch (ours).
pub const POSTGRES_LANE_KEPT_SECONDS: u32 = 86_400;
/// Places or event ids that are fetched at once when a batch has used up those it began with (ours).
pub const POSTGRES_NUMBERS_COUNT: u32 = 16;
/// How often a read is run whose connection is cut (ours).
pub const POSTGRES_READ_TRIES_COUNT: u32 = 3;
/// Rows of a walk over a table that are in memory at a time (ours).
pub const POSTGRES_WALK_ROWS_COUNT: u32 = 128;
/// How long a reading of the server's clock is followed before a newer one replaces it in any case (ours).
pub const POSTGRES_CLOCK_KEPT: Duration = Duration::from_secs(10);
/// Time between two announcements of a hub's commits to other hubs (ours).
pub const POSTGRES_NOTIFIED_EVERY: Duration = Duration::from_millis(3);
/// Longest announcement (PostgreSQL: a payload of `NOTIFY` is shorter than 8,000 bytes).
pub const POSTGRES_NOTE_MAX_BYTES: usize = 7_900;
/// Networks of which a hub knows what it has heard (ours).
pub const POSTGRES_NETWORKS_HEARD_MAX_COUNT: usize = 65_536;
/// Looks for lost announcements after which a network that is quiet is forgotten (ours).
pub const POSTGRES_NETWORKS_HEARD_LOOKS_COUNT: u32 = 60;
/// Time between two heartbeats of a hub, with each of which it looks for lost announcements (ours).
pub const HUB_HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
/// How old the heartbeat of a hub may be that counts as alive (ours).
pub const HUB_ALIVE_FOR: Duration = Duration::from_secs(10);
/// How far a look for changed networks goes back before the last one (ours).
pub const HUB_LOOKS_BACK: Duration = Duration::from_secs(5);
/// How long the row of a hub that was killed is kept (ours).
pub const HUB_ROW_KEPT_SECONDS: u32 = 86_400;
/// Hubs of a database that are listed (ours).
pub const HUBS_LISTED_MAX_COUNT: u32 = 1_000;
/// If no hub has reached the database for so long, every lease gets its whole time again (ours).
pub const HUBS_SILENT_MAX: Duration = Duration::from_secs(5);
/// How long a hub has work that only one may do, unless it renews that (ours).
pub const WORK_LEASE_SECONDS: u32 = 60;
/// Tokens that a hub learns at once to have been seen by others (ours).
pub const SEEN_TOKENS_MAX_COUNT: u32 = 20_000;
/// How far a look for agents that other hubs have seen goes back (ours).
pub const SEEN_LOOKED_BACK_MILLIS: u32 = 10_000;
/// Time between two looks for tasks with push receivers, and for logs to seal, that another hub may have left (ours).
pub const LEFT_WORK_EVERY: Duration = Duration::from_secs(10);
/// Time between two counts of tasks and leases that other hubs change too (ours).
pub const TASKS_RECOUNTED_EVERY: Duration = Duration::from_secs(5);
/// Longest wait for an answer on a connection that writes, after which the connection is closed: the server or its machine
/// may have been stopped. Longer than its longest waits for locks together (ours).
pub const POSTGRES_ANSWER_MAX: Duration = Duration::from_secs(15);
/// How much longer than a read may run its answer is waited for (ours).
pub const POSTGRES_LATE_MAX: Duration = Duration::from_secs(3);
/// After a silence this long a connection is asked whether its server is still the primary. Less than the time in
/// which Patroni promotes another, 20 seconds or more (ours).
pub const POSTGRES_SILENT_MAX: Duration = Duration::from_secs(8);
