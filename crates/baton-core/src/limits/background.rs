//! What is kept and for how long, and how often the background workers run.

use std::time::Duration;

// What is kept, and for how long.

/// How long deliveries other than tasks are kept.
pub const DELIVERY_KEPT_SECONDS: u32 = 7 * 86_400;
/// How many open deliveries other than tasks are kept per recipient.
pub const DELIVERY_KEPT_COUNT: usize = 1_000;
/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_KEPT_SECONDS: u32 = 86_400;
/// The shortest time ended tasks can be kept: keys and pushes that name them are done with by then (ours).
pub const KEEP_TASKS_MIN_SECONDS: u32 = 86_400;
/// The longest time ended tasks can be kept, short of forever (ours).
pub const KEEP_TASKS_MAX_SECONDS: u32 = 3_650 * 86_400;
/// A wall clock that moves against elapsed time by more than this at once has jumped (ours).
pub const CLOCK_JUMP_MIN_MILLIS: i64 = 60_000;
/// Clock jumps that are remembered one by one; the oldest beyond that are merged into one (ours).
pub const CLOCK_JUMPS_MAX_COUNT: usize = 8;
/// Ended tasks looked up and removed at once (ours).
pub const LEAVING_TASKS_MAX_COUNT: usize = 200;
/// Longest one write may continue removing tasks; callers' writes wait for it (ours).
pub const LEAVING_WRITE_MAX_MILLIS: u32 = 3;
/// Longest tasks are removed before others have their turn (ours).
pub const LEAVING_ROUND_MAX_SECONDS: u32 = 20;
/// How often it is noted how far a feed has come, where tasks leave; its frames go by these notes (ours).
pub const FEED_MARKED_EVERY_SECONDS: u32 = 3_600;
/// How many numbered events of a network a stream can resume over (ours).
pub const FEED_KEPT_COUNT: usize = 100_000;

// The background workers.

/// Bytes of a backup moved at once (ours).
pub const BACKUP_CHUNK_BYTES: usize = 256 * 1024;
/// Longest manifest of a backup that is read (ours).
pub const BACKUP_MANIFEST_MAX_BYTES: u64 = 64 * 1024;
/// Rows of a deleted network removed by one statement (ours).
pub const REMOVAL_ROWS_COUNT: usize = 50;
/// Frames of one feed forgotten in one write (ours).
pub const FRAMES_FORGOTTEN_COUNT: usize = 2_000;
/// Rows that a sweep looks at or removes at once (ours).
pub const SWEEP_ROWS_COUNT: usize = 200;
/// How often that is repeated before others have their turn (ours).
pub const SWEEP_REPEATS_MAX_COUNT: usize = 50;
/// The same for rows that are no longer kept: a round every half minute must keep up with thousands a second (ours).
pub const RETENTION_REPEATS_MAX_COUNT: usize = 1_500;
/// How often the last calls and connections of agents are written (ours).
pub const PRESENCE_EVERY: Duration = Duration::from_secs(2);
/// How often lapsed leases, overdue and due tasks and deleted networks are looked for (ours).
pub const SWEEP_EVERY: Duration = Duration::from_millis(500);
/// How often logs that grew are signed: a checkpoint follows a change within a second (ours).
pub const SEAL_EVERY: Duration = Duration::from_millis(400);
/// How soon signed entries are checked again for bundling (ours).
pub const BUNDLING_EVERY: Duration = Duration::from_secs(1);
/// How often what is no longer kept is removed (ours).
pub const RETENTION_EVERY: Duration = Duration::from_secs(30);
/// Half of the first pause before a background worker that panicked is restarted (ours).
pub const BACKGROUND_RESTART_PAUSE: Duration = Duration::from_millis(500);
/// How often ended tasks that are no longer kept are removed (ours).
pub const OLD_TASKS_EVERY: Duration = Duration::from_secs(5);
/// The longest pause of a background worker after failures (ours).
pub const BACKGROUND_PAUSE_MAX: Duration = Duration::from_secs(30);
/// How long a thread for blocking work that is not used is kept (ours).
pub const THREAD_IDLE_KEPT: Duration = Duration::from_secs(1);
