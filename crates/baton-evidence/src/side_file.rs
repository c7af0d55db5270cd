//! The side file of a bundle, `<bundle>.proof.json`: the checkpoint, the public key, and for each event its index
//! in the log, its inclusion proof and the raw packet it was made from. Written and read as a stream.
//!
//! Exactly this form, with any white space between tokens:
//! `{"checkpoint":note,"key":vkey,"events":[{"index":n,"proof":[base64],"packet":base64}]}`. The three members
//! stand in this order, so that a reader knows the root before the first proof and keeps nothing. A member that
//! is not known is refused: two readers must not disagree on what a file says because one of them skipped a part.

mod reader;
mod tokens;
mod writer;

pub use reader::{Entry, ReadError, SideFileReader};
pub use writer::{EntryError, SideFileWriter};

/// Every number a side file is held to.
pub mod limits {
    /// Bytes of the file.
    pub const FILE_BYTES: u64 = 4 << 30;
    /// Bytes of a raw packet.
    pub const PACKET_BYTES: usize = 1 << 20;
    /// Hashes in an inclusion proof: a tree of 2^64 leaves has no more.
    pub const PROOF_HASHES: usize = 64;
    /// Bytes of an entry as it stands in the file: a packet in base64, a proof, and room for white space.
    pub const ENTRY_BYTES: usize = PACKET_BYTES / 3 * 4 + (16 << 10);
    /// Bytes of the checkpoint's note or of the key as they stand in the file, escapes and all.
    pub const TEXT_BYTES: usize = 2 * crate::note::NOTE_BYTES;
}
