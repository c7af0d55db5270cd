//! Accounts: users and their sessions and tokens, networks and who is in them, and how much each may have. One file per
//! noun; each has its verbs as functions, with their arguments and answers.

pub(crate) mod aliases;
pub(crate) mod audit_log;
pub(crate) mod invitations;
pub(crate) mod invites;
pub(crate) mod members;
pub(crate) mod networks;
pub(crate) mod passwords;
pub(crate) mod quotas;
pub(crate) mod registration;
pub(crate) mod remotes;
pub(crate) mod removal;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod users;
