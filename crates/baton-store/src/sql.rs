//! Rows by noun over SQL that both engines speak: one text of each statement, one way from columns to types, and the rows of
//! a batch in memory (`work.rs`, `known.rs`, `write_set.rs`). What an engine does in its own way, it does in `sqlite/` or
//! `postgres/`: connections, transactions, and the writing of a batch.

pub(crate) mod accounts;
pub(crate) mod agents;
pub(crate) mod aliases;
pub(crate) mod artifacts;
pub(crate) mod attempts;
pub(crate) mod changed;
pub(crate) mod columns;
pub(crate) mod counts;
pub(crate) mod deliveries;
pub(crate) mod edges;
pub(crate) mod ends;
pub(crate) mod entry_bundles;
pub(crate) mod evidence;
pub(crate) mod figures;
pub(crate) mod history;
pub(crate) mod inbox_line;
pub(crate) mod invitations;
pub(crate) mod keys;
pub(crate) mod known;
pub(crate) mod merge;
pub(crate) mod oauth;
pub(crate) mod pushes;
pub(crate) mod query;
pub(crate) mod quotas;
pub(crate) mod remotes;
pub(crate) mod removals;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod task_row;
pub(crate) mod tasks;
pub(crate) mod trees;
pub(crate) mod work;
pub(crate) mod workers;
pub(crate) mod working_task;
pub(crate) mod write_set;
