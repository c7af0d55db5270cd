//! Names as callers give them: normalised, parsed, and found among the agents and people of a network.

use baton_core::{Alias, NetworkId, Principal, Username};
use baton_store::Snapshot;
use unicode_normalization::UnicodeNormalization;

use super::Error;

/// An alias, in NFC.
pub(crate) fn alias(text: &str) -> Result<Alias, Error> {
    Alias::parse(&text.nfc().collect::<String>()).map_err(Error::of_argument)
}

/// Whoever has this name in a network: a member by username, else an agent. One name space, so never both.
pub(crate) fn principal(rows: &dyn Snapshot, network: &NetworkId, name: &str) -> Result<Principal, Error> {
    if let Ok(username) = Username::parse(name)
        && rows.has_member_named(network, name)?
    {
        return Ok(Principal::User(username));
    }
    Ok(Principal::Node(alias(name)?))
}
