//! The use cases, one per file. Each takes the hub, the caller and typed arguments, and gives an answer that
//! every door prints alike, or an [`Error`]. What may be done is decided in `baton-core`, inside the transaction.

mod error;
mod wire_time;

pub(crate) use error::Error;
pub(crate) use wire_time::{WireTime, parse_since};
