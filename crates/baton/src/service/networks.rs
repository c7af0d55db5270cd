//! Networks: one's own list, and each by its id. One that does not exist and one of others answer alike.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod removal;
pub(crate) mod rename;
pub(crate) mod show;
