//! Invitations into a network: a code that makes whoever has it a member.

pub(crate) mod create;
pub(crate) mod delete;
mod id;
pub(crate) mod join;
pub(crate) mod list;
