//! Which looks of system admins into networks of others were recorded a short while ago. A page that reads every
//! second would otherwise write every second. In memory and bounded; what is forgotten is recorded again.

use baton_core::{MonotonicMillis, NetworkId, UserId, limits};
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

const KEPT_MILLIS: i64 = limits::AUDITED_READ_KEPT_SECONDS as i64 * 1_000;

/// Whose look, into which network, at what.
pub(super) type AdminRead = (UserId, NetworkId, &'static str);

/// The looks that were recorded.
#[derive(Debug, Default)]
pub struct AuditedReads {
    noted: Mutex<Remembered>,
}

#[derive(Debug, Default)]
struct Remembered {
    looks: HashSet<AdminRead>,
    /// The oldest first.
    times: VecDeque<(MonotonicMillis, AdminRead)>,
}

impl AuditedReads {
    /// Whether a look was recorded recently.
    pub fn has(&self, look: &AdminRead, now: MonotonicMillis) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.forget(now, limits::AUDITED_READS_MAX_COUNT);
        noted.looks.contains(look)
    }

    /// Remembers a look; called once it is recorded.
    pub fn note(&self, look: AdminRead, now: MonotonicMillis) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.forget(now, limits::AUDITED_READS_MAX_COUNT - 1);
        if noted.looks.insert(look.clone()) {
            noted.times.push_back((now, look));
        }
    }
}

impl Remembered {
    /// Leaves at most so many, and none that is too old.
    fn forget(&mut self, now: MonotonicMillis, most: usize) {
        let is_old = |at: MonotonicMillis| now.millis_since(at) >= KEPT_MILLIS;
        while self.times.len() > most || self.times.front().is_some_and(|(at, _)| is_old(*at)) {
            let Some((_, look)) = self.times.pop_front() else { break };
            self.looks.remove(&look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(n: usize, what: &'static str) -> AdminRead {
        let mut random = [0; 6];
        random[..4].copy_from_slice(&(n as u32).to_be_bytes());
        (UserId::from_random([1; 6]), NetworkId::from_random(random), what)
    }

    fn at(seconds: i64) -> MonotonicMillis {
        MonotonicMillis::new(seconds * 1_000)
    }

    #[test]
    fn a_look_is_remembered_for_a_quarter_of_an_hour_and_others_are_not_it() {
        let reads = AuditedReads::default();
        assert!(!reads.has(&look(1, "tasks"), at(0)));
        reads.note(look(1, "tasks"), at(0));
        assert!(reads.has(&look(1, "tasks"), at(899)));
        assert!(!reads.has(&look(1, "overview"), at(899)) && !reads.has(&look(2, "tasks"), at(899)));
        assert!(!reads.has(&look(1, "tasks"), at(900)));
        reads.note(look(1, "tasks"), at(901));
        reads.note(look(1, "tasks"), at(902));
        assert!(reads.has(&look(1, "tasks"), at(1_800)));
        assert!(!reads.has(&look(1, "tasks"), at(1_801)), "from the first of two that came at once");
    }

    #[test]
    fn looks_without_end_do_not_fill_the_memory_and_the_oldest_is_forgotten() {
        let reads = AuditedReads::default();
        for n in 0..=limits::AUDITED_READS_MAX_COUNT {
            reads.note(look(n, "tasks"), at(1));
        }
        let noted = reads.noted.lock().unwrap();
        assert_eq!(
            (noted.looks.len(), noted.times.len()),
            (limits::AUDITED_READS_MAX_COUNT, limits::AUDITED_READS_MAX_COUNT)
        );
        drop(noted);
        assert!(!reads.has(&look(0, "tasks"), at(1)) && reads.has(&look(1, "tasks"), at(1)));
    }
}
