//! The commands of people and scripts, as they are run: the real binary against a real hub.

mod account;
mod networks;
pub(crate) mod person;
mod send;
mod shell;
mod streams;
mod tasks;
mod terminal;
mod trouble;
mod waits;
