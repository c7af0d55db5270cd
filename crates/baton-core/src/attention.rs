//! Which tasks somebody should look at, and why. A hint for people: nothing is decided by it.

use std::fmt;

use crate::limits::{
    ACKED_STUCK_AFTER_SECONDS, DELIVERED_STUCK_AFTER_SECONDS, EXPIRING_WITHIN_SECONDS, FAILED_SHOWN_SECONDS,
};
use crate::{Presence, Status, UnixMillis};

/// What is looked at of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedTask {
    /// Its status.
    pub status: Status,
    /// When it was last delivered.
    pub delivered_at: UnixMillis,
    /// When it reached its status.
    pub changed_at: UnixMillis,
    /// When its time is over.
    pub expires_at: UnixMillis,
    /// Which delivery it is.
    pub attempt: u32,
    /// How many it may have.
    pub max_attempts: u32,
    /// Whether somebody works on it under a lease.
    pub is_leased: bool,
    /// When its assignee was last seen.
    pub assignee: Presence,
}

/// Why somebody should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionReason {
    /// Its agent asked and waits for the answer, for so long.
    WaitingInput(Age),
    /// Nobody took it up since it was delivered.
    NotTakenUp(Age),
    /// Its agent saw it and did not begin.
    NotBegun(Age),
    /// It is in work without a lease, and its agent went silent.
    Abandoned,
    /// It is not delivered again if this fails.
    LastAttempt(u32),
    /// It failed.
    Failed(Age),
    /// Its time was over before it was done.
    Expired(Age),
    /// Its time is over soon, in so long, and nobody works on it under a lease.
    Expiring(Age),
}

/// Where a concern is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Somebody has to answer.
    WaitingInput,
    /// It does not continue.
    Stuck,
    /// It ended badly, recently.
    Failing,
    /// It is about to end badly.
    Expiring,
}

/// A time in seconds, rounded for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age(pub i64);

impl AttentionReason {
    /// Where it is listed.
    #[must_use]
    pub const fn group(self) -> Group {
        match self {
            Self::WaitingInput(_) => Group::WaitingInput,
            Self::NotTakenUp(_) | Self::NotBegun(_) | Self::Abandoned | Self::LastAttempt(_) => Group::Stuck,
            Self::Failed(_) | Self::Expired(_) => Group::Failing,
            Self::Expiring(_) => Group::Expiring,
        }
    }
}

/// What there is to say of a task: at most one of each group, the gravest first within it.
#[must_use]
pub fn concerns(task: &WatchedTask, now: UnixMillis) -> Vec<AttentionReason> {
    let for_how_long = |since: UnixMillis| Age((now.get() - since.get()) / 1000);
    let is_older = |since: UnixMillis, seconds: u32| now > since.plus_seconds(seconds);
    let mut concerns = Vec::new();
    match task.status {
        Status::WaitingInput => concerns.push(AttentionReason::WaitingInput(for_how_long(task.changed_at))),
        status if status.is_failure() => {
            let ago = for_how_long(task.changed_at);
            let is_recent = !is_older(task.changed_at, FAILED_SHOWN_SECONDS);
            let ended = if status == Status::Expired {
                AttentionReason::Expired(ago)
            } else {
                AttentionReason::Failed(ago)
            };
            concerns.extend(is_recent.then_some(ended));
            return concerns;
        }
        _ if task.status.is_terminal() => return concerns,
        Status::Delivered if is_older(task.delivered_at, DELIVERED_STUCK_AFTER_SECONDS) => {
            concerns.push(AttentionReason::NotTakenUp(for_how_long(task.delivered_at)));
        }
        Status::Acked if is_older(task.changed_at, ACKED_STUCK_AFTER_SECONDS) => {
            concerns.push(AttentionReason::NotBegun(for_how_long(task.changed_at)));
        }
        Status::Running if !task.is_leased && task.assignee.has_abandoned_work(now) => {
            concerns.push(AttentionReason::Abandoned);
        }
        _ => {
            let is_last = task.max_attempts > 1 && task.attempt >= task.max_attempts;
            concerns.extend(is_last.then_some(AttentionReason::LastAttempt(task.max_attempts)));
        }
    }
    let is_worked_on = task.status == Status::Running && task.is_leased;
    if !is_worked_on && task.expires_at <= now.plus_seconds(EXPIRING_WITHIN_SECONDS) {
        concerns.push(AttentionReason::Expiring(Age((task.expires_at.get() - now.get()) / 1000)));
    }
    concerns
}

impl fmt::Display for AttentionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitingInput(age) => write!(f, "its agent asked {age} ago and waits for an answer"),
            Self::NotTakenUp(age) => write!(f, "delivered {age} ago and not taken up"),
            Self::NotBegun(age) => write!(f, "acknowledged {age} ago and not begun"),
            Self::Abandoned => f.write_str("in work without a lease, and its agent is silent"),
            Self::LastAttempt(attempts) => write!(f, "on the last of its {attempts} attempts"),
            Self::Failed(age) => write!(f, "failed {age} ago"),
            Self::Expired(age) => write!(f, "expired {age} ago"),
            Self::Expiring(Age(left)) if *left <= 0 => f.write_str("its time is over"),
            Self::Expiring(left) => write!(f, "expires in {left}"),
        }
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.max(0);
        match seconds {
            0..60 => write!(f, "{seconds} s"),
            60..3_600 => write!(f, "{} min", seconds / 60),
            3_600..172_800 => write!(f, "{} h", seconds / 3_600),
            _ => write!(f, "{} days", seconds / 86_400),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);
    const SILENT: Presence = Presence::NONE;
    const HERE: Presence = Presence { is_connected: true, ..Presence::NONE };

    fn ago(seconds: i64) -> UnixMillis {
        NOW.plus_millis(-1000 * seconds)
    }

    /// A task that was delivered and changed so long ago and has an hour left.
    fn task(status: Status, delivered: i64, changed: i64) -> WatchedTask {
        WatchedTask {
            status,
            delivered_at: ago(delivered),
            changed_at: ago(changed),
            expires_at: NOW.plus_seconds(3_600),
            attempt: 1,
            max_attempts: 3,
            is_leased: false,
            assignee: HERE,
        }
    }

    #[test]
    fn every_kind_of_task_is_of_concern_as_the_table_says() {
        use Status::*;
        let leased = |task: WatchedTask| WatchedTask { is_leased: true, ..task };
        let silent = |task: WatchedTask| WatchedTask { assignee: SILENT, ..task };
        let last = |task: WatchedTask| WatchedTask { attempt: 3, ..task };
        let only = |task: WatchedTask| WatchedTask { attempt: 1, max_attempts: 1, ..task };
        let ending = |left: i64, task: WatchedTask| WatchedTask { expires_at: ago(-left), ..task };
        let table: [(WatchedTask, &[&str]); 26] = [
            (task(Delivered, 300, 300), &[]),
            (task(Delivered, 301, 301), &["delivered 5 min ago and not taken up"]),
            (task(Delivered, 20, 9_000), &[]), // delivered again
            (last(task(Delivered, 20, 20)), &["on the last of its 3 attempts"]),
            (last(task(Delivered, 720, 20)), &["delivered 12 min ago and not taken up"]),
            (only(task(Delivered, 20, 20)), &[]),
            (task(Acked, 9_000, 1_800), &[]),
            (task(Acked, 9_000, 1_801), &["acknowledged 30 min ago and not begun"]),
            (task(Running, 9_000, 9_000), &[]),
            (silent(task(Running, 9_000, 9_000)), &["in work without a lease, and its agent is silent"]),
            (leased(silent(task(Running, 9_000, 9_000))), &[]),
            (leased(last(task(Running, 9_000, 9_000))), &["on the last of its 3 attempts"]),
            (task(WaitingInput, 9_000, 7_300), &["its agent asked 2 h ago and waits for an answer"]),
            (task(WaitingInput, 9_000, 5), &["its agent asked 5 s ago and waits for an answer"]),
            (ending(301, task(Delivered, 20, 20)), &[]),
            (ending(300, task(Delivered, 20, 20)), &["expires in 5 min"]),
            (ending(-1, task(Acked, 20, 20)), &["its time is over"]),
            (ending(60, leased(task(Running, 20, 20))), &[]),
            (ending(60, task(Running, 20, 20)), &["expires in 1 min"]),
            (
                ending(60, task(Delivered, 400, 400)),
                &["delivered 6 min ago and not taken up", "expires in 1 min"],
            ),
            (task(Failed, 9_000, 3_600), &["failed 1 h ago"]),
            (task(Failed, 9_000, 3_601), &[]),
            (ending(-9, task(Expired, 9_000, 9)), &["expired 9 s ago"]),
            (task(Expired, 9_000, 3_601), &[]),
            (task(Replied, 9, 9), &[]),
            (ending(-9, last(task(Cancelled, 9, 9))), &[]),
        ];
        for (task, expected) in table {
            let said: Vec<String> = concerns(&task, NOW).iter().map(ToString::to_string).collect();
            assert_eq!(said, expected, "{task:?}");
        }
    }

    #[test]
    fn a_task_is_listed_at_most_once_in_each_group() {
        for status in Status::ALL {
            for (attempt, is_leased, assignee) in [(1, false, SILENT), (3, false, SILENT), (3, true, HERE)] {
                let task = WatchedTask {
                    attempt,
                    is_leased,
                    assignee,
                    expires_at: NOW,
                    ..task(*status, 9_000, 3_000)
                };
                let groups: Vec<Group> =
                    concerns(&task, NOW).into_iter().map(AttentionReason::group).collect();
                let different: std::collections::HashSet<_> = groups.iter().collect();
                assert_eq!(different.len(), groups.len(), "{task:?}");
            }
        }
    }
}
