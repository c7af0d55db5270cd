//! What Baton records and how anyone can check it again: canonical JSON, the evidence event, the bundle
//! with its offline verifier, and the log with its signed checkpoints. Nothing here knows a task's rules, SQL, a socket or the clock.
//!
//! About a handoff this crate says *visible*, *observed*, *recorded*. "Verify" is used for hashes only.

pub mod bundle;
pub mod canonical;
pub mod digest;
pub mod event;
pub mod event_line;
pub mod export;
pub mod limits;
pub mod lines;
pub mod log;
pub mod note;
pub mod refusal;
pub mod side_file;
pub mod text;
pub mod time;
pub mod whole_file;
