//! Who is calling, as the token says and as nothing in a body can change.
//! Finding the token is the door's work; what the caller may do is in `access.rs`.

use crate::alias::Alias;
use crate::ids::{NetworkId, TokenId, UserId};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::role::{SystemRole, TokenScope};
use crate::username::Username;

/// The caller, identified by its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A user with a user token.
    User(UserCaller),
    /// An agent with a node token.
    Node(NodeCaller),
}

/// A user with a user token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCaller {
    /// Whose token it is.
    pub user_id: UserId,
    /// The name the user acts under.
    pub username: Username,
    /// What the user is on the hub.
    pub system_role: SystemRole,
    /// The token; none when the hub asks on the user's behalf what they may see.
    pub token_id: Option<TokenId>,
}

/// An agent with a node token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCaller {
    /// The token.
    pub token_id: TokenId,
    /// The person who minted it and whose membership it depends on.
    pub user_id: UserId,
    /// The one network it opens.
    pub network_id: NetworkId,
    /// The name the agent acts under; none until its first report when it was minted without one.
    pub alias: Option<Alias>,
    /// How far it reaches.
    pub scope: TokenScope,
}

impl Caller {
    /// The name this caller acts under.
    pub fn principal(&self) -> Result<Principal, Refusal> {
        match self {
            Self::User(user) => Ok(Principal::User(user.username.clone())),
            Self::Node(node) => node.alias.clone().map(Principal::Node).ok_or(Refusal::TokenHasNoAlias),
        }
    }

    /// The token itself.
    pub const fn token_id(&self) -> Option<&TokenId> {
        match self {
            Self::User(user) => user.token_id.as_ref(),
            Self::Node(node) => Some(&node.token_id),
        }
    }

    /// The person behind the token.
    pub const fn user_id(&self) -> &UserId {
        match self {
            Self::User(user) => &user.user_id,
            Self::Node(node) => &node.user_id,
        }
    }
}
