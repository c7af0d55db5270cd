//! The two clocks: the wall, which people and expiry see, and monotonic time, which leases run on. Every read of the wall
//! clock here also compares the two, so that a jump is seen before anything is decided by it. Where several hubs share a
//! database, its server's clock is both.

use baton_core::{ClockJumps, ClockMove, ClockWatch, MonotonicMillis, UnixMillis};
use baton_store::ClockReading;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Reads both clocks.
#[derive(Clone)]
pub struct Clock {
    start: Instant,
    source: Source,
    #[cfg(test)]
    put_ahead: Arc<std::sync::atomic::AtomicI64>,
}

#[derive(Clone)]
enum Source {
    /// This machine's.
    Own(Arc<Mutex<ClockWatch>>),
    /// That of the store's engine.
    Engine(Arc<dyn baton_store::Clock>),
}

impl Clock {
    /// Monotonic time begins now.
    pub fn start() -> Self {
        let watch = ClockWatch::new(wall(), MonotonicMillis::new(0));
        Self::with(Source::Own(Arc::new(Mutex::new(watch))))
    }

    /// The clock of an engine that several hubs share.
    pub fn of_engine(clock: Arc<dyn baton_store::Clock>) -> Self {
        Self::with(Source::Engine(clock))
    }

    fn with(source: Source) -> Self {
        Self {
            start: Instant::now(),
            source,
            #[cfg(test)]
            put_ahead: Arc::default(),
        }
    }

    /// Lets the wall clock jump.
    #[cfg(test)]
    pub fn put_ahead(&self, millis: i64) {
        self.put_ahead.fetch_add(millis, std::sync::atomic::Ordering::SeqCst);
    }

    /// The wall clock; a clock set before 1970 reads as 1970.
    pub fn now(&self) -> UnixMillis {
        self.observe().0
    }

    /// What the wall clock would show had it not been put ahead since the start: for what is removed when it is old.
    pub fn now_without_jumps(&self) -> UnixMillis {
        let (now, jumps) = self.observe();
        jumps.now_without(now)
    }

    /// The wall clock, and how it was put ahead since the start.
    pub fn observe(&self) -> (UnixMillis, ClockJumps) {
        let ClockReading { now, clock_jumps, .. } = self.read();
        (now, clock_jumps)
    }

    /// Both clocks at once.
    pub fn read(&self) -> ClockReading {
        match &self.source {
            Source::Own(watch) => self.read_own(watch),
            Source::Engine(clock) => clock.read(),
        }
    }

    fn read_own(&self, watch: &Mutex<ClockWatch>) -> ClockReading {
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock: a time read before another's would look like a step back.
        let now = wall();
        #[cfg(test)]
        let now = now.plus_millis(self.put_ahead.load(std::sync::atomic::Ordering::SeqCst));
        let monotonic = self.since_start();
        let moved = watch.observe(now, monotonic);
        let clock_jumps = watch.jumps().clone();
        drop(watch);
        match moved {
            Some(ClockMove::Ahead { millis }) => tracing::warn!(
                seconds = millis / 1_000,
                "the clock jumped ahead, or the machine slept: what is waiting expires by the time that has passed; a \
                 restart of the hub counts by the new time"
            ),
            Some(ClockMove::Back { millis }) => {
                tracing::warn!(seconds = millis / 1_000, "the clock jumped back");
            }
            None => {}
        }
        ClockReading { now, monotonic, clock_jumps }
    }

    /// The clock leases run on.
    pub fn monotonic(&self) -> MonotonicMillis {
        match &self.source {
            Source::Own(_) => self.since_start(),
            Source::Engine(clock) => clock.read().monotonic,
        }
    }

    fn since_start(&self) -> MonotonicMillis {
        MonotonicMillis::new(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    /// How long the hub has been running.
    pub fn uptime_seconds(&self) -> u64 {
        self.start.elapsed().as_secs()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock").field("start", &self.start).finish_non_exhaustive()
    }
}

/// The store's batches have their times from it.
impl baton_store::Clock for Clock {
    fn read(&self) -> ClockReading {
        Self::read(self)
    }
}

fn wall() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
