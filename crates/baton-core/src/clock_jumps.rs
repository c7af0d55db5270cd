//! Jumps of the wall clock, measured against elapsed time. A clock that is set ahead must not expire what has time
//! left: a deadline set before a jump is reached when its time has elapsed, one set after it when the clock says so.
//! Setting the clock back undoes the jump. Nothing here reads a clock.

use crate::limits::{CLOCK_JUMP_MIN_MILLIS, CLOCK_JUMPS_MAX_COUNT};
use crate::time::{MonotonicMillis, UnixMillis};

/// The wall clock moved by more than the time that passed explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMove {
    /// Ahead by this much.
    Ahead {
        /// Beyond the time that passed.
        millis: i64,
    },
    /// Back by this much.
    Back {
        /// Against the time that passed.
        millis: i64,
    },
}

/// Compares the two clocks whenever somebody reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockWatch {
    wall: UnixMillis,
    elapsed: MonotonicMillis,
    jumps: ClockJumps,
}

/// How the wall clock was put ahead since the hub started, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockJumps(Vec<Jump>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jump {
    /// What the clock would have shown without the jump, at the time it was noticed.
    from: UnixMillis,
    /// What it showed instead.
    to: UnixMillis,
    /// How much longer deadlines from before the jump are held back.
    millis: i64,
}

impl ClockWatch {
    /// Both clocks as they stand at the start.
    pub fn new(wall: UnixMillis, elapsed: MonotonicMillis) -> Self {
        Self { wall, elapsed, jumps: ClockJumps::default() }
    }

    /// Both clocks as they stand now. Small corrections are followed; a larger one is a jump.
    pub fn observe(&mut self, wall: UnixMillis, elapsed: MonotonicMillis) -> Option<ClockMove> {
        let expected = self.wall.plus_millis(elapsed.millis_since(self.elapsed));
        (self.wall, self.elapsed) = (wall, elapsed);
        let millis = wall.get().saturating_sub(expected.get());
        if millis > CLOCK_JUMP_MIN_MILLIS {
            self.jumps.add(Jump { from: expected, to: wall, millis });
            return Some(ClockMove::Ahead { millis });
        }
        if millis < -CLOCK_JUMP_MIN_MILLIS {
            self.jumps.take_back(millis.saturating_neg());
            return Some(ClockMove::Back { millis: millis.saturating_neg() });
        }
        None
    }

    /// The jumps seen so far.
    pub fn jumps(&self) -> &ClockJumps {
        &self.jumps
    }
}

impl ClockJumps {
    /// What the clock would show for something that was set at `set_at`, had it not jumped since.
    pub fn now_since(&self, set_at: UnixMillis, now: UnixMillis) -> UnixMillis {
        let ahead = self.0.iter().filter(|jump| set_at <= jump.from).map(|jump| jump.millis);
        now.plus_millis(ahead.fold(0, i64::saturating_sub))
    }

    /// What the clock would show had it never jumped.
    pub fn now_without(&self, now: UnixMillis) -> UnixMillis {
        self.now_since(UnixMillis::new(i64::MIN), now)
    }

    /// The ranges of deadlines that may be due by now: each later than its first time, up to its second. What is held
    /// back after a jump lies between two ranges, so that no sweep reads it again and again.
    pub fn due_ranges(&self, now: UnixMillis) -> Vec<(UnixMillis, UnixMillis)> {
        let mut after = UnixMillis::new(i64::MIN);
        let mut ranges = Vec::with_capacity(self.0.len() + 1);
        for jump in &self.0 {
            ranges.push((after, self.now_since(jump.from, now)));
            after = jump.to;
        }
        ranges.push((after, now));
        ranges.retain(|(after, until)| after < until);
        ranges
    }

    fn add(&mut self, jump: Jump) {
        self.0.push(jump);
        if self.0.len() > CLOCK_JUMPS_MAX_COUNT {
            // What was set between the two is held back for longer than it needs, never for less.
            let oldest = self.0.remove(0);
            if let Some(next) = self.0.first_mut() {
                next.millis = next.millis.saturating_add(oldest.millis);
            }
        }
    }

    /// The newest jumps are taken back first.
    fn take_back(&mut self, mut millis: i64) {
        while let Some(newest) = self.0.last_mut() {
            if newest.millis > millis {
                newest.millis -= millis;
                newest.to = newest.to.plus_millis(-millis);
                return;
            }
            millis -= newest.millis;
            self.0.pop();
        }
    }
}
