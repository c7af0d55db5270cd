//! Two kinds of time, so that they cannot be mixed: the wall clock, which may be set back and is what people
//! and expiry see, and monotonic time, which leases run on. Both are handed in; nothing here reads a clock.

/// Milliseconds of the wall clock since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(i64);

/// Milliseconds of a clock that only moves forward, from a beginning of the hub's choosing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonotonicMillis(i64);

impl UnixMillis {
    /// A point on the wall clock.
    pub const fn new(millis: i64) -> Self {
        Self(millis)
    }

    /// The milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// That many seconds later.
    pub const fn plus_seconds(self, seconds: u32) -> Self {
        self.plus_millis(seconds as i64 * 1_000)
    }

    /// That many milliseconds later.
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

impl MonotonicMillis {
    /// A point in monotonic time.
    pub const fn new(millis: i64) -> Self {
        Self(millis)
    }

    /// The milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// That many seconds later.
    pub const fn plus_seconds(self, seconds: u32) -> Self {
        Self(self.0.saturating_add(seconds as i64 * 1_000))
    }

    /// Milliseconds from `earlier` to here; negative when it lies ahead.
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}
