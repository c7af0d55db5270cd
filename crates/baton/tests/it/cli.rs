//! The commands of people and scripts, as they are run: the real binary against a real hub.

mod account;
pub(crate) mod cli_user;
mod completion;
mod networks;
mod send;
mod shell;
mod streams;
mod tasks;
pub(crate) mod terminal;
mod tokens;
mod trouble;
mod waits;
