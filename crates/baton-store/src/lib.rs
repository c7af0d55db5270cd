//! The only SQL in the house. A [`Store`] runs closures: reads against a snapshot, writes in one transaction that is
//! committed for all that wait (group commit). What a closure sees are rows by noun,
//! the traits of `rows/`, so that the same use case runs on every engine. No HTTP, no packets, no rules.

mod batch;
mod clock;
pub mod copy;
mod entry_bundle;
pub mod error;
mod fair_queue;
mod hint;
pub mod job;
mod meter;
mod parked;
mod peers;
mod postgres;
mod refused;
pub mod rows;
mod share;
mod sql;
mod sqlite;
pub mod store;
mod tenant;
mod waiting;
mod zlib_column;

pub use clock::{Clock, ClockReading};
pub use copy::{Backup, CopyProgress, Copying};
pub use entry_bundle::{Entries, Entry, EntryBundle};
pub use error::Error;
pub use hint::{Bell, ChangedTask, Changes, CommittedBy, GrownLog, Hint, Moved, Ring};
pub use meter::{Meter, Resolved};
pub use parked::{Inbox, Parked, Ticket};
pub use peers::{Asked, HubRow, Peers, SeenRow, Work};
pub use postgres::{
    ConnectionSettings, Filled, HubFacts, PasswordSources, PostgresOptions, PostgresStore, SettingsError,
    copy_postgres, fill_postgres, inspect_postgres, list_hubs,
};
pub use rows::{Snapshot, Transaction};
pub use share::Share;
#[cfg(debug_assertions)]
pub use sqlite::Statements;
pub use sqlite::{
    CopyFacts, SqliteOptions, SqliteStore, artifacts_of_copy, copy_closed, glance, inspect, look_at_copy,
    schema,
};
pub use store::{AccessEpoch, Health, Lane, Store, WriteCheck};
pub use tenant::{Claim, Tenant, WhenEmpty};
