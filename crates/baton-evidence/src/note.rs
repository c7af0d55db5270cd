//! Checkpoints: a log's size and root as a C2SP signed note (c2sp.org/signed-note, c2sp.org/tlog-checkpoint), and
//! the Ed25519 keys that sign and open them. The note's own syntax is the `signed_note` crate's business.
//!
//! A signature shows which key spoke, not that it spoke the truth: without an outside witness a log shows
//! consistency, not honesty.

mod checkpoint;
mod key;

pub use crate::limits::NOTE_BYTES;
pub use checkpoint::{Checkpoint, NoteError, ORIGIN_PREFIX};
pub use key::{KeyError, SigningKey, VerifierKey};
