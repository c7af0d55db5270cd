//! The hub's description of its API against the hub itself: every kind of success fits its schema, and schemathesis
//! finds no answer that is not described.

mod answers;
mod fuzzed;
mod seen;
