//! The members of a network. One gives, changes and takes away only roles below one's own.

pub(crate) mod add;
pub(crate) mod change;
pub(crate) mod list;
pub(crate) mod remove;
