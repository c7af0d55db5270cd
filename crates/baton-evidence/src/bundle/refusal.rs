//! Why a bundle is refused: a class, a code, a place, and a sentence. Sentences quote nothing from the bundle
//! but numbers: what it holds may be made to harm the terminal or log it ends up in.

use std::fmt;

use crate::refusal::codes;

/// What kind of rule was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The format's rules.
    Contract,
    /// Bytes that are not the bytes they were.
    Integrity,
    /// More than a reader takes on.
    Limits,
    /// An attempt to reach outside.
    Security,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contract => "contract",
            Self::Integrity => "integrity",
            Self::Limits => "limits",
            Self::Security => "security",
        })
    }
}

codes! {
    /// Not gzip, cut short, its checksum differs, or bytes follow it.
    Gzip = Integrity / "gzip";
    /// Not a tar of plain files, or bytes follow its end.
    Tar = Integrity / "tar";
    /// A member's size differs from the manifest's.
    FileSize = Integrity / "file_size";
    /// The SHA-256 of `events.ndjson` differs from the manifest's.
    FileHash = Integrity / "file_hash";
    /// An event's content hash differs from its content.
    EventHash = Integrity / "event_hash";
    /// The run root differs from the events'.
    RunRoot = Integrity / "run_root";
    /// A member is not there.
    MissingFile = Contract / "missing_file";
    /// A member that has no place in a bundle.
    UnexpectedFile = Contract / "unexpected_file";
    /// A member that stands twice.
    RepeatedFile = Contract / "repeated_file";
    /// Members out of order.
    FileOrder = Contract / "file_order";
    /// Not one JSON text in UTF-8, a repeated name, or too many of them.
    InvalidJson = Contract / "invalid_json";
    /// A version of the format that is not known.
    SchemaVersion = Contract / "schema_version";
    /// An event, or the want of one, that breaks a rule of the stream.
    InvalidEvent = Contract / "invalid_event";
    /// An event of another run.
    RunId = Contract / "run_id";
    /// Sequence numbers that do not run from 0 without a gap, or another count than the manifest's.
    Sequence = Contract / "sequence";
    /// The manifest's bundle id is not the run root.
    BundleId = Contract / "bundle_id";
    /// More compressed bytes than allowed.
    PackedBytes = Limits / "packed_bytes";
    /// More decompressed bytes than allowed.
    UnpackedBytes = Limits / "unpacked_bytes";
    /// A member larger than allowed.
    FileBytes = Limits / "file_bytes";
    /// A member's name longer than allowed.
    NameBytes = Limits / "name_bytes";
    /// A line longer than allowed.
    LineBytes = Limits / "line_bytes";
    /// More events than allowed.
    Events = Limits / "events";
    /// JSON nested deeper than allowed.
    JsonDepth = Limits / "json_depth";
    /// A member's name that leads out of the folder it is unpacked in.
    Path = Security / "path";
}

/// Where in the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The bundle as a whole.
    Bundle,
    /// The archive's member with this number, from 1.
    Member(usize),
    /// `manifest.json`.
    Manifest,
    /// `events.ndjson` as a whole.
    Events,
    /// A line of `events.ndjson`, from 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundle => f.write_str("bundle"),
            Self::Member(number) => write!(f, "member {number}"),
            Self::Manifest => f.write_str("manifest.json"),
            Self::Events => f.write_str("events.ndjson"),
            Self::Line(number) => write!(f, "events.ndjson line {number}"),
        }
    }
}

/// One refusal.
pub type Refusal = crate::refusal::Refusal<Code, Place>;
