//! Why an export is refused: a class, a code, a place, and a sentence, as a bundle's refusals have. Sentences quote
//! nothing from the files but numbers.

use std::fmt;

use crate::log::ProofError;
use crate::note::{KeyError, NoteError};
use crate::refusal::codes;
use crate::side_file::{ReadError, limits};

/// What kind of rule was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The side file's form.
    SideFile,
    /// The checkpoint and its key.
    Note,
    /// An event's place in the log.
    Proof,
    /// An event and the packet it was made from.
    Rerun,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SideFile => "side_file",
            Self::Note => "note",
            Self::Proof => "proof",
            Self::Rerun => "rerun",
        })
    }
}

codes! {
    /// The side file is not of its form.
    Form = SideFile / "form";
    /// The side file ends before its form does.
    Truncated = SideFile / "truncated";
    /// The side file or a part of it is longer than allowed.
    TooLong = SideFile / "too_long";
    /// The checkpoint is not a signed note, or its text is not a checkpoint.
    NoteForm = Note / "form";
    /// The checkpoint has no signature, or one that does not fit its text.
    Signature = Note / "signature";
    /// The checkpoint is not signed by the key, or the key is none.
    Key = Note / "key";
    /// The checkpoint's origin names no network's log.
    Origin = Note / "origin";
    /// An event is not in the log at its index, as far as its proof shows.
    Inclusion = Proof / "inclusion";
    /// An index that is not larger than the one before.
    IndexOrder = Proof / "index_order";
    /// An event without an entry in the side file.
    Missing = Proof / "missing";
    /// An entry in the side file without an event.
    Extra = Proof / "extra";
    /// The adapter makes no event of the packet.
    RerunPacket = Rerun / "packet";
    /// The adapter makes an event of another type.
    RerunType = Rerun / "type";
    /// The adapter names another source.
    RerunSource = Rerun / "source";
    /// The adapter names another subject.
    RerunSubject = Rerun / "subject";
    /// The adapter reads another time.
    RerunTime = Rerun / "time";
    /// The adapter says something else.
    RerunData = Rerun / "data";
}

/// Where in the export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The side file before its entries.
    Head,
    /// The checkpoint.
    Checkpoint,
    /// The key.
    Key,
    /// The bundle's event with this number, from 1, and its entry.
    Event(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => f.write_str("the side file's beginning"),
            Self::Checkpoint => f.write_str("the checkpoint"),
            Self::Key => f.write_str("the key"),
            Self::Event(number) => write!(f, "event {number}"),
        }
    }
}

/// One refusal.
pub type Refusal = crate::refusal::Refusal<Code, Place>;

impl Refusal {
    pub(super) fn of_note(error: NoteError) -> Self {
        let code = match error {
            NoteError::TooLong => Code::TooLong,
            NoteError::Malformed | NoteError::NotACheckpoint => Code::NoteForm,
            NoteError::Unsigned | NoteError::Signature => Code::Signature,
            NoteError::OtherKey => Code::Key,
            NoteError::Origin => Code::Origin,
        };
        Self::new(code, Place::Checkpoint, error.to_string())
    }

    pub(super) fn of_key(error: KeyError) -> Self {
        Self::new(Code::Key, Place::Key, error.to_string())
    }

    pub(super) fn of_proof(error: ProofError, place: Place, index: u64) -> Self {
        Self::new(Code::Inclusion, place, format!("log index {index}: {error}"))
    }

    /// A refusal, or the file's own error if there is nothing to refuse.
    pub(super) fn of_side_file(error: ReadError, place: Place) -> Result<Self, std::io::Error> {
        Ok(match error {
            ReadError::Form => Self::new(Code::Form, place, error.to_string()),
            ReadError::Truncated => Self::new(Code::Truncated, place, error.to_string()),
            ReadError::TooLong => {
                let (entry, packet) = (limits::ENTRY_BYTES, limits::PACKET_BYTES);
                let message = format!("{error} (an entry {entry} bytes, a packet {packet})");
                Self::new(Code::TooLong, place, message)
            }
            ReadError::Io(error) => return Err(error),
        })
    }
}

/// What part of an event a re-run of the adapter may find different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// There is no event to compare: the packet is not one.
    Packet,
    /// `type`.
    Type,
    /// `source`.
    Source,
    /// `subject`.
    Subject,
    /// `time`.
    Time,
    /// `data`.
    Data,
}

/// A recorded event and what the adapter makes of its packet do not agree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Difference {
    /// In what.
    pub part: Part,
    /// In a sentence; nothing is quoted from event or packet.
    pub message: String,
}

impl Difference {
    /// A difference in this part.
    pub fn new(part: Part, message: impl Into<String>) -> Self {
        Self { part, message: message.into() }
    }

    /// A difference that the part's name says all about.
    #[must_use]
    pub fn of(part: Part) -> Self {
        let word = Code::from(part).word();
        Self::new(part, format!("the adapter makes an event with another {word} of this packet"))
    }
}

impl From<Part> for Code {
    fn from(part: Part) -> Self {
        match part {
            Part::Packet => Self::RerunPacket,
            Part::Type => Self::RerunType,
            Part::Source => Self::RerunSource,
            Part::Subject => Self::RerunSubject,
            Part::Time => Self::RerunTime,
            Part::Data => Self::RerunData,
        }
    }
}
