//! One's own tokens: what there is, and ending one.

pub(crate) mod list;
pub(crate) mod of_network;
pub(crate) mod revoke;
