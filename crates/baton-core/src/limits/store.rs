//! The queue of writes and reads, and the SQLite engine.

use std::time::Duration;

// Writes and reads.

/// Longest check of the database for damage before the hub starts; the rest is checked in the background (ours).
pub const CHECK_AT_START_MAX_MILLIS: u32 = 2_000;
/// Longest check of one table in the background; it keeps the write-ahead log from being folded meanwhile (ours).
pub const CHECK_TABLE_MAX_SECONDS: u32 = 5;
/// Rows of a larger table that the background check reads at once (ours).
pub const CHECK_STEP_ROWS_MAX_COUNT: usize = 2_000;
/// Longest time between two background checks (ours).
pub const CHECK_EVERY_MAX_SECONDS: u32 = 365 * 86_400;
/// Writes that may wait for the writer (ours).
pub const WRITES_WAITING_MAX_COUNT: usize = 16_384;
/// Writes of one account that may wait; further ones get `busy` (ours).
pub const WRITES_WAITING_PER_SHARE_MAX_COUNT: usize = 4_096;
/// A batch accepts no more writes once it has run for this long (ours).
pub const WRITE_BATCH_MAX_MICROS: u64 = 3_000;
/// Writes in one commit (ours).
pub const WRITE_BATCH_MAX_COUNT: usize = 256;
/// Texts of open tasks that the writer keeps in memory, together (ours).
pub const WRITER_TASKS_KNOWN_MAX_BYTES: usize = 32 << 20;
/// Rows of networks, recipients, members, sessions and tokens that the writer holds in memory before it starts over (ours).
pub const WRITER_ROWS_KNOWN_COUNT: usize = 200_000;
/// Tasks at the head of an inbox that the writer keeps in memory (ours).
pub const INBOX_LINE_KNOWN_COUNT: usize = 64;
/// Places and event ids that are reserved at once (ours).
pub const NUMBERS_RESERVED_COUNT: i64 = 1_024;
/// Frames of one recipient that are followed from the newest back; further ones are found along the whole feed (ours).
pub const FEED_CHAIN_MAX_COUNT: usize = 1_000;
/// How often a write that conflicts with other transactions is run before its caller gets `busy` (ours).
pub const WRITE_CONFLICT_TRIES: u32 = 8;
/// Reads that may wait in one lane (ours).
pub const READS_WAITING_MAX_COUNT: usize = 16_384;
/// Quick reads of one account that may wait (ours).
pub const QUICK_READS_WAITING_PER_SHARE_MAX_COUNT: usize = 4_096;
/// Slow reads of one account that may wait (ours).
pub const SLOW_READS_WAITING_PER_SHARE_MAX_COUNT: usize = 256;
/// A quick read that takes longer is restarted in the slow lane (ours).
pub const QUICK_READ_MAX_MILLIS: u64 = 20;
/// A slow read that takes longer is stopped: `read_took_too_long` (ours).
pub const SLOW_READ_MAX_MILLIS: u64 = 10_000;

// The SQLite engine.

/// A database that was too large to be checked at the start is checked in the background this soon after (ours).
pub const CHECK_REST_AFTER: Duration = Duration::from_secs(10);
/// Rows past the bound that are removed with one write (ours). There is one at most, unless the bound was lowered.
pub const ATTEMPTS_REMOVED_AT_ONCE_COUNT: i64 = 100;
/// How often a database that changes hands during a check is checked again (ours).
pub const CHECK_LOOKS_MAX_COUNT: usize = 5;
/// SQLite's steps between two looks at the time, in a check (ours).
pub const CHECK_STEPS_COUNT: i32 = 100;
/// The checker rests this many times as long as it worked, so that it takes at most a fifth of one core (ours).
pub const CHECK_REST_FACTOR: u32 = 4;
/// The shortest such rest (ours).
pub const CHECK_REST_MIN: Duration = Duration::from_millis(20);
/// So many writes in two batches mean that many call at once: before the next one the writer yields its core (ours).
pub const WRITE_YIELD_COUNT: usize = 8;
/// How often the write-ahead log is folded into the database (ours).
pub const WAL_FOLDED_EVERY: Duration = Duration::from_millis(150);
/// How often a log past its bound is folded again before the writer folds the rest (ours). Each pass has only what
/// was written during the one before.
pub const WAL_FURTHER_PASSES_COUNT: usize = 2;
/// Longest that folding waits for a database that is locked (ours).
pub const WAL_FOLD_LOCKED_MAX: Duration = Duration::from_secs(1);
/// Longest any other connection waits for a database that is locked (ours).
pub const DATABASE_LOCKED_MAX: Duration = Duration::from_secs(5);
/// Statements each connection keeps prepared (ours).
pub const STATEMENTS_PREPARED_COUNT: usize = 128;
/// Memory for the writer's pages, at most: the edges of all indexes of many networks stay in it (ours). SQLite walks
/// all of it at the end of most commits (its page cache is truncated after a b-tree was balanced), so more is not
/// better.
pub const WRITER_CACHE_KIB: i64 = 8 << 10;
/// The same for each connection that reads (ours). The file is not mapped: a disk that fails under a mapping ends the
/// process, and a file that grows makes its mappings again.
pub const READER_CACHE_KIB: i64 = 8 << 10;
/// Room for the index of a WAL of 512 MiB, eight times what it is let grow to (ours).
pub const WAL_INDEX_BYTES: u64 = 1 << 20;
/// A step of a copy has as many pages as take about this long, so that no write waits much longer for one (ours).
pub const COPY_STEP_TIME: Duration = Duration::from_millis(4);
/// Pages of the first step of a copy (ours).
pub const COPY_STEP_FIRST_PAGES: i32 = 64;
/// Fewest pages of a step (ours).
pub const COPY_STEP_MIN_PAGES: i32 = 8;
/// Most pages of a step (ours).
pub const COPY_STEP_MAX_PAGES: i32 = 1_024;
/// Steps of a copy in a row that may find the database locked (ours).
pub const COPY_LOCKED_MAX_COUNT: usize = 1_000;
/// Steps of a statement between two looks at the clock: some tens of microseconds (ours).
pub const READ_STEPS_COUNT: i32 = 2_000;
/// A walk examines at least so many rows however many lists there are, so that every page makes progress (ours).
pub const LIST_EXAMINED_MIN_COUNT: usize = 64;
/// The most rows read ahead of one list (ours).
pub const LIST_AHEAD_MAX_COUNT: usize = 512;
/// Bytes that readiness writes: as much as a task brings, since on a full disk less may fit where nothing else does
/// (ours).
pub const WRITE_PROBE_BYTES: i64 = 128 << 10;
/// Threads of the slow lane (ours). One: two searches at once would leave writes and quick reads of a small machine
/// no core.
pub const SLOW_READ_THREADS: usize = 1;
/// The `nice` value of the slow lane, so that it yields where cores are scarce (ours).
pub const SLOW_READ_NICENESS: i32 = 10;
/// A disk that refused a change takes changes again once it has refused none for this long (ours).
pub const DISK_QUIET: Duration = Duration::from_secs(2);
/// Names read at once when their skeletons are recomputed, so that memory does not grow with the number of names
/// (ours).
pub const SKELETONS_READ_COUNT: i64 = 1_000;
/// Time between two lines about an upgrade that is running (ours).
pub const UPGRADE_REPORTED_EVERY: Duration = Duration::from_secs(5);
/// Wait before another try after the store could not be read or written (ours).
pub const STORE_RETRY_AFTER: Duration = Duration::from_secs(1);
