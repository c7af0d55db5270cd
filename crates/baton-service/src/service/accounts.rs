//! Accounts: users and their sessions and tokens, networks and who is in them, and how much each may have. One file per
//! noun; each has its verbs as functions, with their arguments and answers.

pub mod aliases;
pub mod audit_log;
pub mod invitations;
pub mod invites;
pub mod members;
pub mod networks;
pub mod passwords;
pub mod quotas;
pub mod registration;
pub mod remotes;
pub mod removal;
pub mod sessions;
pub mod tokens;
pub mod users;
