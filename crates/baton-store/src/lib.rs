//! The only SQL in the house. A [`Store`] runs closures: reads against a snapshot, writes inside a savepoint of
//! one transaction that is committed for all that wait (group commit). What a closure sees are rows by noun,
//! the traits of `rows/`, so that the same use case runs on every engine. No HTTP, no packets, no rules.

pub mod copy;
pub mod error;
pub mod job;
mod meter;
pub mod rows;
mod sqlite;
pub mod store;

pub use copy::{CopyJob, CopyProgress, Copying};
pub use error::Error;
pub use meter::Meter;
pub use rows::{Snapshot, Transaction};
#[cfg(debug_assertions)]
pub use sqlite::Statements;
pub use sqlite::{Bell, CopyFacts, SqliteOptions, SqliteStore, copy_closed, inspect, look_at_copy, schema};
pub use store::{ChangedTask, Committed, GrownLog, Ring, Store};
