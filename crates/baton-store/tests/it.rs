//! The contract every engine must pass (`contract/`), and what only SQLite promises (`sqlite`).
//!
//! Every engine has one line in `engines!` in `engine.rs` and runs the same suite.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, unreachable_pub)]

mod it {
    mod contract {
        mod accounts;
        mod agents;
        mod artifacts;
        mod attempts;
        mod commits;
        mod consent;
        mod counts;
        mod edges;
        mod entry_bundles;
        mod every_method;
        mod evidence;
        mod figures;
        mod inboxes;
        mod invites;
        mod jobs;
        mod leases;
        mod lookups;
        mod oauth;
        mod pages;
        mod parked;
        mod pushes;
        mod quotas;
        mod remotes;
        mod removals;
        mod retention;
        mod sessions;
        mod shares;
        mod tasks;
        mod times;
        mod tokens;
        mod trees;
        mod workers;
        mod working_set;
    }
    mod conflicts;
    mod engine;
    mod fixtures;
    mod postgres;
    mod sqlite;
    mod statuses;
}
