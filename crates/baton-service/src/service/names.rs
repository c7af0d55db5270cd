//! Names as callers give them: normalised, parsed, found among the agents and users of a network, and compared with
//! them where a new one is made.

use baton_core::{Alias, AliasFacts, Caller, NameSkeletons, NetworkId, Principal, Refusal, UserId, Username};
use baton_store::Snapshot;
use unicode_normalization::UnicodeNormalization;

use super::Error;

/// An alias, in NFC.
pub fn alias(text: &str) -> Result<Alias, Error> {
    Alias::parse(&text.nfc().collect::<String>()).map_err(Error::of_argument)
}

/// A name that an agent or a user could have, in NFC; nothing is looked up.
pub(crate) fn form(text: &str) -> Result<String, Error> {
    let name: String = text.nfc().collect();
    if Username::parse(&name).is_err() {
        Alias::parse(&name).map_err(Error::of_argument)?;
    }
    Ok(name)
}

/// The name a call gives, or else the caller's own.
pub fn given_or_own(caller: &Caller, given: Option<String>) -> Result<String, Error> {
    match given {
        Some(name) => Ok(name),
        None => Ok(caller.principal()?.name().to_owned()),
    }
}

/// The user or agent with this name in a network: a member by username, else an agent. One name space, so never both.
pub fn principal(rows: &dyn Snapshot, network: &NetworkId, name: &str) -> Result<Principal, Error> {
    if let Ok(username) = Username::parse(name)
        && rows.has_member_named(network, name)?
    {
        return Ok(Principal::User(username));
    }
    Ok(Principal::Node(alias(name)?))
}

/// What the network knows about an alias that a user wants for a token.
pub(super) fn alias_facts(
    rows: &dyn Snapshot,
    network: &NetworkId,
    alias: &Alias,
    user: &UserId,
) -> Result<AliasFacts, Error> {
    let looks = NameSkeletons::of(alias.as_str());
    Ok(AliasFacts {
        is_member_username: rows.has_member_named(network, alias.as_str())?,
        was_ever_used: rows.alias_was_used(network, alias)?,
        is_live_elsewhere: false,
        is_owned_by_another: rows.alias_owner(network, alias)?.is_some_and(|owner| owner != *user),
        has_look_alike: rows.has_alias_like(network, alias, &looks)?
            || rows.has_member_like(network, &looks)?,
    })
}

/// Checks the form of an alias that is about to be created. One that exists keeps working as it is.
pub(super) fn check_form(field: &'static str, alias: &Alias, facts: AliasFacts) -> Result<(), Error> {
    if facts.was_ever_used {
        return Ok(());
    }
    match Alias::parse_new(alias.as_str()) {
        Ok(_) => Ok(()),
        Err(Refusal::InvalidInput { rule, .. }) => Err(Error::argument(field, rule)),
        Err(other) => Err(other.into()),
    }
}

/// Aliases and usernames are one name space: nobody becomes a member whose username is, or looks like, an agent's alias.
pub(super) fn refuse_alias(
    rows: &dyn Snapshot,
    network: &NetworkId,
    username: &Username,
) -> Result<(), Error> {
    if rows.has_live_alias_like(network, &NameSkeletons::of(username.as_str()))? {
        return Err(Refusal::UsernameIsAlias.into());
    }
    Ok(())
}
