//! What a check found, in words and as JSON: what was looked at, what differs, what was not looked at.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

use super::findings::{Difference, Findings, Name};
use crate::cli::plain;

/// How much was looked at.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) networks: u64,
    pub(super) tasks: u64,
    pub(super) events: u64,
    /// Events that happened before there was a log.
    pub(super) events_before_log: u64,
    pub(super) logs: u64,
    pub(super) log_events: u64,
    /// Of those: not under a checkpoint yet.
    pub(super) unsealed: u64,
    /// Of those: handed in by somebody.
    pub(super) reported: u64,
    /// Of those: changes of tasks that have left by retention.
    pub(super) left: u64,
    pub(super) checkpoints: u64,
    pub(super) artifacts: u64,
}

/// Everything a check has to say.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) counts: Counts,
    pub(super) findings: Findings,
    /// Why evidence.key was not read.
    pub(super) unread_key: Option<String>,
    /// Why the bytes of artifacts were not looked at, if there are any.
    pub(super) unread_artifacts: Option<Unread>,
}

/// Why the bytes of artifacts were not looked at.
#[derive(Debug)]
pub(super) enum Unread {
    /// They lie in this bucket.
    InBucket(String),
    /// No hub was started on this database since it notes where they lie.
    PlaceNotKnown,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of artifacts: ")?;
        match self {
            Self::InBucket(bucket) => write!(f, "they are in {}", plain::exact(bucket)),
            Self::PlaceNotKnown => f.write_str("where they are is not recorded yet; start the hub once"),
        }
    }
}

/// What no look at one folder can show, and what this one does not look at.
const NOT_CHECKED: [&str; 3] = [
    "whether the whole folder was put back to an earlier state (`baton evidence audit` compares with what was seen before)",
    "whether what was reported from outside is so",
    "messages, completions, sessions, the feed, accounts",
];

impl Report {
    pub(super) fn agrees(&self) -> bool {
        self.findings.told.is_empty()
    }

    pub(super) fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Json<'a> {
            ok: bool,
            #[serde(flatten)]
            counts: &'a Counts,
            differences_count: u64,
            differences_by_name: &'a BTreeMap<Name, u64>,
            differences: &'a [Difference],
            not_checked: Vec<String>,
        }
        let json = Json {
            ok: self.agrees(),
            counts: &self.counts,
            differences_count: self.findings.count(),
            differences_by_name: &self.findings.by_name,
            differences: &self.findings.told,
            not_checked: self.not_checked(),
        };
        // Numbers, flags and texts: it always can be written.
        serde_json::to_string(&json).unwrap_or_default() + "\n"
    }

    fn not_checked(&self) -> Vec<String> {
        let key = self.unread_key.as_ref().map(|why| format!("evidence.key, which cannot be read: {why}"));
        let artifacts = self.unread_artifacts.as_ref().map(ToString::to_string);
        key.into_iter().chain(artifacts).chain(NOT_CHECKED.map(str::to_owned)).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { networks, tasks, events, logs, log_events, checkpoints, .. } = self.counts;
        let Findings { told, by_name } = &self.findings;
        for difference in told {
            writeln!(f, "{difference}")?;
        }
        let count = self.findings.count();
        if count > told.len() as u64 {
            let names: Vec<String> = by_name.iter().map(|(name, count)| format!("{count} {name}")).collect();
            writeln!(f, "and {} more; in all {}", count - told.len() as u64, names.join(", "))?;
        }
        match count {
            0 => f.write_str("agree")?,
            1 => f.write_str("1 difference")?,
            _ => write!(f, "{count} differences")?,
        }
        writeln!(
            f,
            ": {networks} networks, {tasks} tasks, {events} events, {log_events} log events in {logs} logs, \
             {checkpoints} checkpoints"
        )?;
        for (number, what) in [
            (
                self.counts.unsealed,
                "log events are not under a checkpoint yet; a running hub signs within a second",
            ),
            (
                self.counts.events_before_log,
                "events happened before there was a log; nothing is recorded of them there",
            ),
            (
                self.counts.left,
                "log events are of tasks that have left by retention; their history is no longer there to compare with",
            ),
            (
                self.counts.reported,
                "log events were reported from outside; recorded is only that they were handed in",
            ),
        ] {
            if number > 0 {
                writeln!(f, "  {number} {what}")?;
            }
        }
        for what in self.not_checked() {
            writeln!(f, "not checked: {what}")?;
        }
        Ok(())
    }
}
