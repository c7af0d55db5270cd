//! Which alias a token may speak as: aliases and usernames are one name space per network, an alias belongs to the user
//! whose token first held it, one live session has an alias, and a token keeps the alias of its first report.
//! The form of an alias is in `alias.rs`, what names look like in `look_alike.rs`.

use crate::alias::Alias;
use crate::refusal::Refusal;

/// What the network knows about the alias a token wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AliasFacts {
    /// A member has it as username.
    pub is_member_username: bool,
    /// Some token, session or task has it or ever had it.
    pub was_ever_used: bool,
    /// Another token's session has it and is not offline.
    pub is_live_elsewhere: bool,
    /// It belongs to another user.
    pub is_owned_by_another: bool,
    /// Another alias or a member's username looks like it.
    pub has_look_alike: bool,
}

impl AliasFacts {
    /// Refuses an alias that would be new and could be mistaken for another name.
    fn refuse_look_alike(self) -> Result<(), Refusal> {
        if !self.was_ever_used && self.has_look_alike { Err(Refusal::AliasLooksLikeAnother) } else { Ok(()) }
    }
}

/// Refuses to mint a token for an alias that is a member's username, another user's, or the look-alike of a name.
pub fn mint_alias(facts: AliasFacts) -> Result<(), Refusal> {
    if facts.is_member_username {
        return Err(Refusal::AliasInUse);
    }
    if facts.is_owned_by_another {
        return Err(Refusal::AliasOwnedByAnother);
    }
    facts.refuse_look_alike()
}

/// Refuses a report under an alias the token may not take.
pub fn bind_alias(
    bound: Option<&Alias>,
    has_reported: bool,
    asked: &Alias,
    facts: AliasFacts,
) -> Result<(), Refusal> {
    if bound == Some(asked) {
        return if facts.is_live_elsewhere { Err(Refusal::AliasInUse) } else { Ok(()) };
    }
    if has_reported {
        return Err(Refusal::PermissionDenied);
    }
    if facts.is_owned_by_another {
        return Err(Refusal::AliasOwnedByAnother);
    }
    if facts.was_ever_used || facts.is_member_username {
        return Err(Refusal::AliasInUse);
    }
    facts.refuse_look_alike()
}
