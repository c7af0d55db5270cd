//! What an audit says, for people and for programs.

use baton_evidence::note::{Checkpoint, VerifierKey};
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

use super::finding::Finding;
use super::memory::Seen;
use super::walk::Walked;
use crate::cli::evidence::findings::{GUARDRAIL, WITNESS};
use crate::cli::plain;

/// Where the key that was believed comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyFrom {
    Caller,
    Memory,
    /// Seen for the first time, and believed for want of another.
    FirstUse,
}

/// An audit that was carried out, whatever it found.
pub(super) struct Report {
    pub(super) hub: String,
    pub(super) network: String,
    pub(super) key: VerifierKey,
    pub(super) key_from: KeyFrom,
    /// What the hub shows; none if it is signed by nobody known.
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) walked: Option<Walked>,
    pub(super) seen: Option<Seen>,
    pub(super) findings: Vec<Finding>,
    /// Where the last checkpoint that agreed is kept.
    pub(super) kept: PathBuf,
    /// Where the one that does not agree is.
    pub(super) conflict: Option<PathBuf>,
}

impl Report {
    pub(super) fn agrees(&self) -> bool {
        self.findings.is_empty()
    }

    /// One JSON object and a line feed.
    pub(super) fn to_json(&self) -> String {
        let log = |checkpoint: &Checkpoint| json!({"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root});
        let finding = |finding: &Finding| -> Value {
            json!({"code": finding.code(), "message": finding.to_string(), "index": finding.index()})
        };
        let tally = |walked: &Walked| {
            json!({
                "observed_by_hub": {"events": walked.hub.events, "handoffs_visible": walked.hub.handoffs_visible},
                "reported": {"events": walked.reported.events, "handoffs_visible": walked.reported.handoffs_visible},
                "not_signed_yet": walked.size.saturating_sub(walked.tree.size()),
            })
        };
        let said = json!({
            "ok": self.agrees(),
            "hub": self.hub,
            "network_id": self.network,
            "key": self.key.to_string(),
            "key_from": match self.key_from {
                KeyFrom::Caller => "caller",
                KeyFrom::Memory => "remembered",
                KeyFrom::FirstUse => "first_use",
            },
            "checkpoint": self.checkpoint.as_ref().map(log),
            "last_seen": self.seen.as_ref().map(|seen| log(&seen.checkpoint)),
            "events": self.walked.as_ref().map(tally),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "remembered_in": self.kept.display().to_string(),
            "conflict_in": self.conflict.as_ref().map(|path| path.display().to_string()),
        });
        plain::json(&format!("{said}\n"))
    }

    fn agreement(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(checkpoint), Some(walked)) = (&self.checkpoint, &self.walked) else { return Ok(()) };
        writeln!(
            f,
            "in agreement: {} events of {}, root {}",
            checkpoint.size, checkpoint.origin, checkpoint.root
        )?;
        writeln!(f, "hub: {}", self.hub)?;
        writeln!(f, "key: {} ({})", plain::exact(&self.key.to_string()), self.key_words())?;
        match &self.seen {
            Some(seen) => writeln!(
                f,
                "since the last audit: from {} to {} events, the first {} unchanged",
                seen.checkpoint.size, checkpoint.size, seen.checkpoint.size
            )?,
            None => writeln!(
                f,
                "first audit of this log on this machine: there is nothing earlier to compare with"
            )?,
        }
        writeln!(
            f,
            "observed by the hub: {} events, a handoff visible on {}",
            walked.hub.events, walked.hub.handoffs_visible
        )?;
        let reported = walked.reported;
        writeln!(
            f,
            "reported to the hub, not observed by it: {} events, a handoff visible on {}",
            reported.events, reported.handoffs_visible
        )?;
        match walked.size.saturating_sub(checkpoint.size) {
            0 => {}
            newer => writeln!(f, "not signed for yet, and not looked at: {newer} newer events")?,
        }
        writeln!(f, "remembered in: {}", self.kept.display())?;
        writeln!(f, "\n{WITNESS}\n{GUARDRAIL}")
    }

    fn disagreement(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "*** THE EVIDENCE DOES NOT AGREE ***")?;
        writeln!(f, "network {} on {}", self.network, self.hub)?;
        for finding in &self.findings {
            writeln!(f, "  - {}", plain::exact(&finding.to_string()))?;
        }
        match &self.seen {
            Some(seen) => writeln!(
                f,
                "seen before: {} events, root {}; not forgotten, it is kept in {}",
                seen.checkpoint.size,
                seen.checkpoint.root,
                self.kept.display()
            )?,
            None => writeln!(f, "nothing is remembered of this audit: there was none before it that agreed")?,
        }
        if let Some(checkpoint) = &self.checkpoint {
            writeln!(f, "shown now: {} events, root {}", checkpoint.size, checkpoint.root)?;
        }
        if let Some(conflict) = &self.conflict {
            writeln!(
                f,
                "the first checkpoint that did not agree is kept in {}; both files together are the proof, copy them",
                conflict.display()
            )?;
        }
        writeln!(
            f,
            "It shows that the record does not hold together, not who did it nor why: ask the operator of the hub."
        )
    }

    fn key_words(&self) -> &'static str {
        match self.key_from {
            KeyFrom::Caller => "the one you gave",
            KeyFrom::Memory => "the one this machine remembers",
            KeyFrom::FirstUse => {
                "taken on first use, nothing else vouches for it: compare it with what the hub's operator tells you"
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.agrees() { self.agreement(f) } else { self.disagreement(f) }
    }
}
