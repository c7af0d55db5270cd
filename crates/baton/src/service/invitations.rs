//! Invitations by user: an admin asks a user to join, and the user accepts or declines. Until then the user is no
//! member. Invite codes, which anybody may use who has one, are in `invites.rs`.

pub(crate) mod accept;
pub(crate) mod create;
pub(crate) mod decline;
pub(crate) mod list;
