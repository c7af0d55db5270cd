//! The use cases, one per file. Each takes the hub, the caller and typed arguments, and gives an answer that
//! every door prints alike, or an [`Error`]. What may be done is decided in `baton-core`, inside the transaction.

pub(crate) mod audit;
pub(crate) mod audit_log;
mod done;
mod error;
pub(crate) mod first_admin;
pub(crate) mod invites;
mod join_guard;
mod labels;
pub(crate) mod login;
mod login_guard;
pub(crate) mod logout;
pub(crate) mod members;
mod minute_window;
mod network_view;
pub(crate) mod networks;
mod new_user;
pub(crate) mod node_token;
pub(crate) mod password;
mod password_hash;
mod permit;
pub(crate) mod profile;
pub(crate) mod register;
pub(crate) mod reset_user;
mod secret;
pub(crate) mod tokens;
mod user_view;
pub(crate) mod users;
mod wire_time;

pub(crate) use error::Error;
pub(crate) use join_guard::JoinGuard;
pub(crate) use login_guard::LoginGuard;
pub(crate) use password_hash::Passwords;
pub(crate) use secret::Revealed;
pub(crate) use wire_time::{WireTime, parse_since};
