//! The edge rules of the wire contract, each by a test that is named after it.

mod actors;
mod bad_input;
mod ends;
mod expiry;
mod idempotency;
mod leases;
mod names;
mod questions;
mod roles;
mod runs;
mod scopes;
mod streams;
