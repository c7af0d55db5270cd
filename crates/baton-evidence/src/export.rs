//! An export: a bundle and its side file, checked together. Each event is given the numbers it has in the log,
//! hashed as a leaf, and found under the root of the signed checkpoint; the adapter is run again on its packet.
//!
//! What is shown is agreement of bytes: with each other, with a log of one size, with a key. Without an outside
//! witness a log shows consistency, not honesty.

mod origin;
mod refusal;
mod report;
mod verifier;

pub use crate::limits::{REPORTER_CHARACTERS, REPORTERS_NAMED};
pub use origin::Origin;
pub use refusal::{Class, Code, Difference, Part, Place, Refusal};
pub use report::{Check, KeyFrom, Report, Reporter, Span, Tally};
pub use verifier::{ExportError, verify};
