//! Which alias a token may speak as: aliases and usernames are one name space per network, one live session
//! has an alias, and a token keeps the alias of its first report. The form of an alias is in `alias.rs`.

use crate::alias::Alias;
use crate::refusal::Refusal;

/// What the network knows about the alias a token wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasFacts {
    /// A member has it as username.
    pub is_member_username: bool,
    /// Some token, session or task has it or ever had it.
    pub was_ever_used: bool,
    /// Another token's session has it and is not offline.
    pub is_live_elsewhere: bool,
}

/// Refuses to mint a token with an alias that is a member's username.
pub fn mint_alias(facts: AliasFacts) -> Result<(), Refusal> {
    if facts.is_member_username { Err(Refusal::AliasInUse) } else { Ok(()) }
}

/// Refuses a report under an alias the token may not take.
pub fn bind_alias(
    bound: Option<&Alias>,
    has_reported: bool,
    asked: &Alias,
    facts: AliasFacts,
) -> Result<(), Refusal> {
    let is_own = bound == Some(asked);
    if !is_own && has_reported {
        return Err(Refusal::PermissionDenied);
    }
    let is_taken =
        if is_own { facts.is_live_elsewhere } else { facts.was_ever_used || facts.is_member_username };
    if is_taken { Err(Refusal::AliasInUse) } else { Ok(()) }
}
