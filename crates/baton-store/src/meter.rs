//! What the store counts of itself while it works, in atomics that anybody may read at any time: how much waits, how
//! large and how slow commits are, and how many tasks and leases there are without a look into the tables. Whoever
//! publishes the figures gives them names.

use baton_core::{Counted, Histogram, Status};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many statuses there are.
pub(crate) const STATUSES: usize = Status::ALL.len();
/// Where a new task comes from.
const NOWHERE: usize = STATUSES;

/// Writes in a commit.
const BATCH_SIZES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// From a disk that forgets to one that is about to fail.
const COMMIT_MICROS: [u64; 13] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// The figures of a store.
#[derive(Debug)]
pub struct Meter {
    began: Instant,
    writes_waiting: AtomicU64,
    reads_waiting: AtomicU64,
    batches: Histogram<9>,
    commits: Histogram<13>,
    failed_commits: AtomicU64,
    /// Whether the last commit failed.
    is_failing: AtomicBool,
    /// When the last commit was done, in milliseconds since `began`.
    committed_at: AtomicU64,
    tasks: [AtomicI64; STATUSES],
    leases: AtomicI64,
    moves: [[AtomicU64; STATUSES]; STATUSES + 1],
    round_trips: AtomicU64,
    missed_loads: AtomicU64,
    server: ServerMeter,
    /// Of an engine with a write-ahead log of its own.
    wal_written_bytes: Option<fn() -> u64>,
}

/// How connections to a database server fare.
#[derive(Debug, Default)]
struct ServerMeter {
    connections: AtomicI64,
    connects: AtomicU64,
    retries: AtomicU64,
    resolved: [AtomicU64; 3],
}

/// What became of a COMMIT whose answer never came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// It was found to have taken place.
    Committed,
    /// It was found not to have.
    NotCommitted,
    /// Nobody could tell.
    Unknown,
}

impl Resolved {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Committed, Self::NotCommitted, Self::Unknown];

    /// Its name in figures.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::NotCommitted => "not_committed",
            Self::Unknown => "unknown",
        }
    }
}

/// What a batch changes in what there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) tasks: [i64; STATUSES],
    pub(crate) leases: i64,
}

impl Tally {
    pub(crate) fn add_tasks(&mut self, status: Status, change: i64) {
        self.tasks[status as usize] += change;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.tasks.iter_mut().zip(other.tasks).for_each(|(sum, change)| *sum += change);
        self.leases += other.leases;
    }
}

impl Meter {
    /// Of a store that has this much.
    pub(crate) fn new(there: &Tally) -> Self {
        let meter = Self {
            began: Instant::now(),
            writes_waiting: AtomicU64::new(0),
            reads_waiting: AtomicU64::new(0),
            batches: Histogram::new(BATCH_SIZES),
            commits: Histogram::new(COMMIT_MICROS),
            failed_commits: AtomicU64::new(0),
            is_failing: AtomicBool::new(false),
            committed_at: AtomicU64::new(0),
            tasks: [const { AtomicI64::new(0) }; STATUSES],
            leases: AtomicI64::new(0),
            moves: [const { [const { AtomicU64::new(0) }; STATUSES] }; STATUSES + 1],
            round_trips: AtomicU64::new(0),
            missed_loads: AtomicU64::new(0),
            server: ServerMeter::default(),
            wal_written_bytes: None,
        };
        meter.apply(there);
        meter
    }

    /// The same for an engine that counts what it writes to its write-ahead log.
    pub(crate) fn with_wal(self, written_bytes: fn() -> u64) -> Self {
        Self { wal_written_bytes: Some(written_bytes), ..self }
    }

    pub(crate) fn write_waits(&self) {
        self.writes_waiting.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn write_taken(&self) {
        self.writes_waiting.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn read_waits(&self) {
        self.reads_waiting.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read_taken(&self) {
        self.reads_waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// A commit has taken so long; only the commit itself, which is when the disk is waited for.
    pub(crate) fn disk_waited(&self, took: Duration) {
        self.commits.note(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// A batch is committed.
    pub(crate) fn committed(&self, writes: usize, tally: &Tally) {
        self.batches.note(writes as u64);
        self.apply(tally);
    }

    /// Rows are on the disk.
    pub(crate) fn disk_took(&self) {
        self.is_failing.store(false, Ordering::Relaxed);
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.committed_at.store(now, Ordering::Relaxed);
    }

    /// A batch is not.
    pub(crate) fn failed(&self) {
        self.failed_commits.fetch_add(1, Ordering::Relaxed);
        self.is_failing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn moved(&self, from: Option<Status>, to: Status) {
        let from = from.map_or(NOWHERE, |from| from as usize);
        self.moves[from][to as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// A server was asked, and answered.
    pub(crate) fn round_trip(&self) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// A use case of a batch asked for a row that was not loaded with the batch.
    pub(crate) fn missed_load(&self) {
        self.missed_loads.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection to the server is there.
    pub(crate) fn connected(&self) {
        self.server.connections.fetch_add(1, Ordering::Relaxed);
        self.server.connects.fetch_add(1, Ordering::Relaxed);
    }

    /// It is gone.
    pub(crate) fn disconnected(&self) {
        self.server.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// A transaction is run again: others got in its way, or its connection was cut.
    pub(crate) fn retried(&self) {
        self.server.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// A COMMIT whose answer never came was looked up.
    pub(crate) fn resolved(&self, as_what: Resolved) {
        self.server.resolved[as_what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// What there is was counted again: other hubs change it too.
    pub(crate) fn recounted(&self, there: &Tally) {
        for (count, now) in self.tasks.iter().zip(there.tasks) {
            count.store(now, Ordering::Relaxed);
        }
        self.leases.store(there.leases, Ordering::Relaxed);
    }

    fn apply(&self, tally: &Tally) {
        for (count, change) in self.tasks.iter().zip(tally.tasks).filter(|(_, change)| *change != 0) {
            count.fetch_add(change, Ordering::Relaxed);
        }
        if tally.leases != 0 {
            self.leases.fetch_add(tally.leases, Ordering::Relaxed);
        }
    }

    /// Writes that wait for the writer.
    pub fn writes_waiting(&self) -> u64 {
        self.writes_waiting.load(Ordering::Relaxed)
    }

    /// Reads that wait for a reader.
    pub fn reads_waiting(&self) -> u64 {
        self.reads_waiting.load(Ordering::Relaxed)
    }

    /// Writes in each commit.
    pub fn batches(&self) -> Counted {
        self.batches.read()
    }

    /// Microseconds each commit took to be on the disk.
    pub fn commits(&self) -> Counted {
        self.commits.read()
    }

    /// Batches that were not committed.
    pub fn failed_commits(&self) -> u64 {
        self.failed_commits.load(Ordering::Relaxed)
    }

    /// How long ago rows were last committed; none if the last commit failed, or there was none yet.
    pub fn since_commit(&self) -> Option<Duration> {
        let at = self.committed_at.load(Ordering::Relaxed);
        let is_known = at > 0 && !self.is_failing.load(Ordering::Relaxed);
        is_known.then(|| self.began.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    /// Bytes this process has written to write-ahead logs; none for an engine without one of its own.
    pub fn wal_written_bytes(&self) -> Option<u64> {
        self.wal_written_bytes.map(|read| read())
    }

    /// How often the database's server was asked and waited for; 0 for one without a server.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    /// Rows that a batch had to load while its networks were locked.
    pub fn missed_loads(&self) -> u64 {
        self.missed_loads.load(Ordering::Relaxed)
    }

    /// Connections to the database's server that are open; none for an engine without a server.
    pub fn connections(&self) -> Option<i64> {
        let connects = self.server.connects.load(Ordering::Relaxed);
        (connects > 0).then(|| self.server.connections.load(Ordering::Relaxed))
    }

    /// Connections that were made.
    pub fn connects(&self) -> u64 {
        self.server.connects.load(Ordering::Relaxed)
    }

    /// Transactions that were run again.
    pub fn retries(&self) -> u64 {
        self.server.retries.load(Ordering::Relaxed)
    }

    /// COMMITs whose answer never came, by what became of them.
    pub fn resolved_commits(&self, as_what: Resolved) -> u64 {
        self.server.resolved[as_what as usize].load(Ordering::Relaxed)
    }

    /// Tasks that have a status.
    pub fn tasks(&self, status: Status) -> i64 {
        self.tasks[status as usize].load(Ordering::Relaxed)
    }

    /// Leases that are held.
    pub fn leases(&self) -> i64 {
        self.leases.load(Ordering::Relaxed)
    }

    /// How often tasks came from one status, or from nowhere, to another; what never happened is left out.
    pub fn moves(&self) -> impl Iterator<Item = (Option<Status>, Status, u64)> {
        let from = Status::ALL.iter().copied().map(Some).chain([None]);
        let pairs = from.zip(&self.moves).flat_map(|(from, row)| {
            Status::ALL.iter().zip(row).map(move |(to, count)| (from, *to, count.load(Ordering::Relaxed)))
        });
        pairs.filter(|(_, _, count)| *count > 0)
    }
}
