//! `baton work`, `baton mcp`, `baton init` and `baton demo`: the real binary against a real hub.

mod answers;
pub(crate) mod bridge;
mod claims;
pub(crate) mod conversation;
mod crashes;
mod demo;
mod ends;
mod handles;
mod inbox_wait;
mod init;
mod outputs;
mod planner;
mod stops;
pub(crate) mod worker;
