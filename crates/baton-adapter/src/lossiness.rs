//! What an event does not carry of its packet: counted, named, graded.

use serde::Serialize;
use std::borrow::Cow;

use crate::attachment::AttachmentRef;

/// The report that goes with every event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lossiness<'a> {
    /// The grade of the count.
    pub lossiness_level: Level,
    /// Top-level keys without a place in the event, and substitutions.
    pub unmapped_fields_count: u64,
    /// Where the packet itself is kept.
    pub raw_payload_ref: AttachmentRef<'a>,
    /// One line for each substitution, in the order they were made.
    pub notes: Vec<&'static str>,
}

/// How much was lost: nothing, one or two things, more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// 0.
    None,
    /// 1 or 2.
    Low,
    /// 3 and more.
    High,
}

/// Something lenient mode puts in place of what is missing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Substitution {
    Agent,
    EventType,
    Task,
    Artifact,
    Message,
}

impl Substitution {
    const fn note(self) -> &'static str {
        match self {
            Self::Agent => "missing agent.id -> substituted unknown-agent",
            Self::EventType => "unsupported event_type -> emitted generic A2A message event",
            Self::Task => "missing task.id -> substituted unknown-task",
            Self::Artifact => "missing artifact.id -> substituted unknown-artifact",
            Self::Message => "missing message.id -> substituted unknown-message",
        }
    }

    const fn stand_in(self) -> &'static str {
        match self {
            Self::Agent => "unknown-agent",
            Self::EventType => "assay.adapter.a2a.message",
            Self::Task => "unknown-task",
            Self::Artifact => "unknown-artifact",
            Self::Message => "unknown-message",
        }
    }
}

/// What is lost, while it is being counted.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    count: u64,
    notes: Vec<&'static str>,
}

impl Losses {
    pub(crate) fn new(unmapped_keys: u64) -> Self {
        Self { count: unmapped_keys, notes: Vec::new() }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn note(&mut self, substitution: Substitution) {
        self.count += 1;
        self.notes.push(substitution.note());
    }

    /// The id the packet gave, or the stand-in, noted.
    pub(crate) fn substitute<'a>(
        &mut self,
        id: Option<Cow<'a, str>>,
        substitution: Substitution,
    ) -> Cow<'a, str> {
        id.unwrap_or_else(|| {
            self.note(substitution);
            Cow::Borrowed(substitution.stand_in())
        })
    }

    /// The report: the final count, graded.
    pub(crate) fn report(self, raw_payload_ref: AttachmentRef<'_>) -> Lossiness<'_> {
        let lossiness_level = match self.count {
            0 => Level::None,
            1 | 2 => Level::Low,
            _ => Level::High,
        };
        Lossiness { lossiness_level, unmapped_fields_count: self.count, raw_payload_ref, notes: self.notes }
    }
}
