//! What the hub acknowledged, kept outside of it; and what was asked and never answered.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::call::Outcome;
use super::senders::Order;

/// Shared by all who take part.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Book>);

#[derive(Debug, Default)]
pub(super) struct Book {
    /// Every send that was tried, by its number.
    pub(super) sends: Vec<Send>,
    /// Ends that somebody gave a task, or tried to.
    pub(super) ends: HashMap<String, Vec<End>>,
    pub(super) claims: HashMap<String, Vec<Claim>>,
    /// When a task may have been given to somebody else.
    pub(super) moves: HashMap<String, Vec<(Instant, Instant)>>,
    /// Retries: the new task's id, or nothing if the answer was lost.
    pub(super) retries: HashMap<String, Vec<Option<String>>>,
    /// Tasks the hub acknowledged, by network.
    pub(super) known: Vec<Vec<String>>,
    /// Tasks that can be retried, by network.
    pub(super) retryable: Vec<Vec<String>>,
    /// Rows of ended tasks as they were first seen.
    pub(super) seen: HashMap<String, Value>,
    /// Signed checkpoints as they were given out, by network.
    pub(super) checkpoints: Vec<BTreeSet<String>>,
    /// How often the commands of worker processes were run, by task.
    pub(super) runs: HashMap<String, usize>,
    /// Numbered frames as streams sent them, by network and by whom they are for; none for a whole network.
    pub(super) streams: HashMap<(usize, Option<&'static str>), BTreeMap<i64, String>>,
    /// The longest time from a failover's beginning to the next answer.
    pub(super) longest_outage: Option<Duration>,
    pub(super) anonymous_kib: u64,
    counts: BTreeMap<&'static str, [u64; 5]>,
    faults: BTreeMap<&'static str, u64>,
    findings: Vec<String>,
    /// Ids of the tasks that findings are about.
    pub(super) suspects: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Send {
    pub(super) order: Order,
    pub(super) state: Sent,
}

/// What is known of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent {
    /// Never reached the hub, or was refused: it must not be there.
    Not,
    /// An answer was lost: it may be there, once.
    Perhaps,
    Acknowledged(String),
}

#[derive(Debug)]
pub(super) struct End {
    pub(super) status: &'static str,
    pub(super) result: String,
    pub(super) is_acknowledged: bool,
    /// The lease it was given under, and when it was asked for.
    pub(super) lease: Option<(String, Instant)>,
}

#[derive(Debug)]
pub(super) struct Claim {
    pub(super) lease_id: String,
    pub(super) asked: Instant,
    /// When it was asked for, or last extended: the hub's time runs from no earlier.
    pub(super) held_from: Instant,
    pub(super) answered: Instant,
    pub(super) lease_seconds: u64,
}

impl Ledger {
    pub(super) fn of(networks: usize) -> Self {
        let book = Book {
            known: vec![Vec::new(); networks],
            retryable: vec![Vec::new(); networks],
            checkpoints: vec![BTreeSet::new(); networks],
            ..Book::default()
        };
        Self(Mutex::new(book))
    }

    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tasks the hubs have acknowledged.
    pub(super) fn acknowledged(&self) -> usize {
        self.book().known.iter().map(Vec::len).sum()
    }

    /// Something that must never be.
    pub(super) fn finding(&self, what: String) {
        self.book().find(what);
    }

    /// Something that must never be of a task.
    pub(super) fn finding_of(&self, task_id: &str, what: &str) {
        let mut book = self.book();
        book.suspects.insert(task_id.to_owned());
        book.find(format!("{task_id}: {what}"));
    }

    /// One more call of this kind.
    pub(super) fn count(&self, kind: &'static str, outcome: &Outcome) {
        let mut book = self.book();
        book.counts.entry(kind).or_default()[outcome.column()] += 1;
        if let Outcome::Absurd(what) = outcome {
            book.find(format!("{kind} was answered {what}"));
        }
    }

    pub(super) fn fault(&self, kind: &'static str) {
        *self.book().faults.entry(kind).or_default() += 1;
    }
}

impl Book {
    fn find(&mut self, what: String) {
        println!("FOUND: {what}");
        self.findings.push(what);
    }

    pub(super) fn findings(&self) -> &[String] {
        &self.findings
    }

    /// An end that was asked for.
    pub(super) fn ended(&mut self, task_id: &str, end: End) {
        self.ends.entry(task_id.to_owned()).or_default().push(end);
    }

    pub(super) fn acknowledged_end(&self, task_id: &str) -> Option<&End> {
        self.ends.get(task_id)?.iter().find(|end| end.is_acknowledged)
    }

    /// The tables for people.
    pub(super) fn summary(&self, seed: u64) -> String {
        let mut text = format!(
            "{:<20}{:>10}{:>10}{:>12}{:>11}{:>8}\n",
            "operation", "done", "refused", "unavailable", "unreached", "lost"
        );
        for (kind, [done, refused, unavailable, unreached, lost]) in &self.counts {
            text += &format!("{kind:<20}{done:>10}{refused:>10}{unavailable:>12}{unreached:>11}{lost:>8}\n");
        }
        text += "\nfault\n";
        for (kind, count) in &self.faults {
            text += &format!("{kind:<40}{count:>6}\n");
        }
        if let Some(outage) = self.longest_outage {
            text += &format!(
                "\nlongest time from a failover's beginning to the next answer {:.1} s\n",
                outage.as_secs_f64()
            );
        }
        let frames: usize = self.streams.values().map(BTreeMap::len).sum();
        text += &format!("\nframes read from streams {frames}\n");
        text += &format!(
            "\nseed {seed} · most anonymous memory of the hub {} MiB · checkpoints seen {} · lost or wrong {}\n",
            self.anonymous_kib >> 10,
            self.checkpoints.iter().map(BTreeSet::len).sum::<usize>(),
            self.findings.len()
        );
        text
    }
}
