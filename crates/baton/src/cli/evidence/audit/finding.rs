//! What an audit finds that does not agree: each names what differs.

use baton_evidence::log::{Hash, ProofError};
use baton_evidence::note::NoteError;

/// Something that cannot be if the log only ever grew, under one key.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum Finding {
    #[error("the key changed: the hub now shows {now}, {before} is the one {}", if *.is_given { "you gave" } else { "this machine remembers" })]
    KeyChanged { before: String, now: String, is_given: bool },
    #[error("the key you gave is not the one this machine remembers, {remembered}")]
    OtherKeyRemembered { remembered: String },
    #[error("the checkpoint is not signed by the key: {0}")]
    Signature(NoteError),
    #[error("the checkpoint is of another log: {origin:?}")]
    OtherLog { origin: String },
    #[error("event {index} is not what its place in the log asks for: {what}{}", more(*.others))]
    Event { index: u64, what: String, others: u64 },
    #[error("events are missing: {signed} are signed for, the hub shows {shown}")]
    Missing { signed: u64, shown: u64 },
    #[error("the events shown are not those signed for: they make the root {shown}, signed is {signed}")]
    OtherRoot { shown: Hash, signed: Hash },
    #[error("history was truncated: this machine saw {before} events signed for, now it is {now}{}", differs(.first))]
    Truncated { before: u64, now: u64, first: Option<u64> },
    #[error("history was rewritten: the first {size} events are not those this machine saw signed for{}", differs(.first))]
    Rewritten { size: u64, first: Option<u64> },
    #[error(
        "history was forked: two checkpoints are signed for {size} events, with the roots {before} and {now}"
    )]
    Forked { size: u64, before: Hash, now: Hash },
    #[error("the hub's consistency proof from {from} to {to} events does not hold: {error}")]
    Proof { from: u64, to: u64, error: ProofError },
}

impl Finding {
    /// One word for programs.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::KeyChanged { .. } | Self::OtherKeyRemembered { .. } => "key_changed",
            Self::Signature(_) => "signature",
            Self::OtherLog { .. } => "other_log",
            Self::Event { .. } => "event",
            Self::Missing { .. } => "missing_events",
            Self::OtherRoot { .. } => "other_root",
            Self::Truncated { .. } => "truncated",
            Self::Rewritten { .. } => "rewritten",
            Self::Forked { .. } => "forked",
            Self::Proof { .. } => "consistency_proof",
        }
    }

    /// The first event that is meant, if one can be named.
    pub(super) fn index(&self) -> Option<u64> {
        match self {
            Self::Event { index, .. } => Some(*index),
            Self::Missing { shown, .. } => Some(*shown),
            Self::Truncated { first, now, .. } => first.or(Some(*now)),
            Self::Rewritten { first, .. } => *first,
            _ => None,
        }
    }
}

fn more(others: u64) -> String {
    if others == 0 { String::new() } else { format!(" (and {others} more such events)") }
}

fn differs(first: &Option<u64>) -> String {
    first.map_or_else(String::new, |index| format!("; the first that differs is event {index}"))
}
