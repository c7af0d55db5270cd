//! Who owns which alias of a network, and which names look alike.

use baton_core::{Alias, NameSkeletons, NetworkId, UnixMillis, UserId, Username};

use super::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes};
use crate::error::Error;

/// An alias in a network's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasRow {
    /// The alias.
    pub alias: Alias,
    /// The user it belongs to, by id and name; none if no token ever held it.
    pub owner: Option<(UserId, Username)>,
    /// When one of its tokens was last used, within a few seconds.
    pub last_used_at: Option<UnixMillis>,
}

impl Weight for AliasRow {
    fn weight(&self) -> usize {
        let owner = self.owner.as_ref().map_or(0, |(_, name)| text_bytes(name.as_str()));
        ROW_BYTES + text_bytes(self.alias.as_str()) + owner
    }
}

/// What a worker last reported about an alias.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AliasProfile {
    /// What the agent is.
    pub description: Option<String>,
    /// What it can do, a JSON array.
    pub skills: Option<String>,
}

/// Reads of aliases and of what names look like.
pub trait AliasReads {
    /// The user an alias belongs to.
    fn alias_owner(&self, network: &NetworkId, alias: &Alias) -> Result<Option<UserId>, Error>;
    /// What a worker last reported about an alias.
    fn alias_profile(&self, network: &NetworkId, alias: &Alias) -> Result<AliasProfile, Error>;
    /// A page of a network's aliases in their order, after one of them or from the first on.
    fn aliases(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        bounds: PageBounds,
    ) -> Result<Page<AliasRow, Alias>, Error>;
    /// Whether another alias that the network ever had has the same skeleton.
    fn has_alias_like(
        &self,
        network: &NetworkId,
        alias: &Alias,
        looks: &NameSkeletons,
    ) -> Result<bool, Error>;
    /// Whether an alias that an unrevoked token or a session has looks like this username.
    fn has_live_alias_like(&self, network: &NetworkId, looks: &NameSkeletons) -> Result<bool, Error>;
    /// Whether the username of a member looks like this.
    fn has_member_like(&self, network: &NetworkId, looks: &NameSkeletons) -> Result<bool, Error>;
    /// Whether the username of any user looks like this.
    fn has_user_like(&self, looks: &NameSkeletons) -> Result<bool, Error>;
}

/// Writes of aliases.
pub trait AliasWrites {
    /// Gives an alias to a user.
    fn hand_over_alias(&mut self, network: &NetworkId, alias: &Alias, owner: &UserId) -> Result<(), Error>;
    /// Keeps what a worker says of an alias.
    fn set_alias_profile(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        profile: &AliasProfile,
    ) -> Result<(), Error>;
    /// Revokes the tokens of an alias that belong to other users than this one, and returns how many. The hub's own
    /// tokens, with which it works for remote agents, stay.
    fn revoke_alias_tokens_of_others(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        owner: &UserId,
        at: UnixMillis,
    ) -> Result<usize, Error>;
}
