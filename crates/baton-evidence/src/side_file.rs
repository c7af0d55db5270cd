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
pub use crate::limits::side_file as limits;
