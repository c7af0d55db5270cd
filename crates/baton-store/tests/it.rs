//! The contract every engine must pass (`contract/`), and what only SQLite promises (`sqlite`).
//!
//! A second engine adds one line to `engines!` in `engine.rs` and runs the same suite.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, unreachable_pub)]

mod it {
    mod contract {
        mod commits;
        mod consent;
        mod counts;
        mod edges;
        mod entry_bundles;
        mod evidence;
        mod figures;
        mod inboxes;
        mod leases;
        mod parked;
        mod pushes;
        mod remotes;
        mod retention;
        mod shares;
        mod tasks;
    }
    mod copies;
    mod engine;
    mod fixtures;
    mod sqlite;
}
