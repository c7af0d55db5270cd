//! What a check of an export found, and which checks it was. Counts, never judgements: a handoff is visible or it
//! is not, and only the hub's own events count as observed by the hub.

use crate::bundle::Checked;
use crate::note::{Checkpoint, VerifierKey};

/// An export whose bytes agree.
#[derive(Debug, Clone)]
pub struct Report {
    /// The bundle.
    pub bundle: Checked,
    /// The checkpoint its events were found under.
    pub checkpoint: Checkpoint,
    /// The key the checkpoint is signed with.
    pub key: VerifierKey,
    /// Where that key came from.
    pub key_from: KeyFrom,
    /// Which part of the log the events are.
    pub span: Span,
    /// Events the hub recorded of what it did itself.
    pub hub: Tally,
    /// Events others handed in.
    pub reported: Tally,
    /// Events that say neither.
    pub unmarked: u64,
    /// Who handed events in, at most [`REPORTERS_NAMED`](super::REPORTERS_NAMED), in order of appearance.
    pub reporters: Vec<Reporter>,
    /// Reported events by reporters beyond those named, or by nobody named.
    pub reported_by_others: u64,
}

/// Where the key came from that the checkpoint was opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFrom {
    /// Given by the user who checks.
    Caller,
    /// It came along with the export: agreement with it shows consistency, not who signed.
    SideFile,
}

/// Events and what was visible on them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub events: u64,
    /// On how many a handoff was visible.
    pub handoffs_visible: u64,
}

/// Somebody who handed packets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reporter {
    /// As the events name them.
    pub name: String,
    /// How many.
    pub events: u64,
}

/// Which part of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first event's index.
    pub first: u64,
    /// The last one's.
    pub last: u64,
    /// How many there are from first to last.
    pub events: u64,
}

impl Span {
    /// Whether every event from first to last is there.
    #[must_use]
    pub fn is_gapless(&self) -> bool {
        self.last - self.first == self.events - 1
    }
}

/// The checks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The bundle's bytes agree with each other.
    Bundle,
    /// The checkpoint is signed.
    Signature,
    /// By the key the caller gave.
    KnownKey,
    /// Each event is in the log.
    Inclusion,
    /// The adapter makes the same event of each packet.
    Rerun,
    /// No event of the log up to the checkpoint is left out.
    Completeness,
}

impl Check {
    /// All checks.
    pub const ALL: [Self; 6] =
        [Self::Bundle, Self::Signature, Self::KnownKey, Self::Inclusion, Self::Rerun, Self::Completeness];

    /// The check's name in machine-readable reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Signature => "signature",
            Self::KnownKey => "known_key",
            Self::Inclusion => "inclusion",
            Self::Rerun => "rerun",
            Self::Completeness => "completeness",
        }
    }
}

impl Report {
    /// Whether this check was made, and so passed.
    #[must_use]
    pub fn made(&self, check: Check) -> bool {
        match check {
            Check::Bundle | Check::Signature | Check::Inclusion | Check::Rerun => true,
            Check::KnownKey => self.key_from == KeyFrom::Caller,
            Check::Completeness => self.span.events == self.checkpoint.size,
        }
    }
}
