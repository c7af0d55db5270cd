//! `baton evidence export`, `log`, `audit` and `baton adapt --send`, as a user runs them against a real hub.

mod audit;
mod export;
mod independent;
mod log;
mod matching;
mod rewrite;
mod rewritten;
mod send;
mod verifiers;
pub(crate) mod workbench;
