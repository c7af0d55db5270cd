//! Who acted or is addressed, always with its kind: a user and a node may never be taken for each other.
//! What a caller's token allows is in `caller.rs`.

use crate::alias::Alias;
use crate::refusal::Refusal;
use crate::username::Username;
use crate::wire::wire_words;

wire_words!(
    /// The kind a principal is stored with.
    PrincipalKind {
        /// A user.
        User = "user",
        /// An agent.
        Node = "node",
        /// The hub itself, which expires tasks and lapses leases.
        Hub = "hub",
    }
);

/// Somebody who sends, works or decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// A user, by username.
    User(Username),
    /// An agent, by alias.
    Node(Alias),
    /// The hub itself.
    Hub,
}

impl Principal {
    /// Puts a stored kind and name together again.
    pub fn from_parts(kind: PrincipalKind, name: &str) -> Result<Self, Refusal> {
        match kind {
            PrincipalKind::User => Username::parse(name).map(Self::User),
            PrincipalKind::Node => Alias::parse(name).map(Self::Node),
            PrincipalKind::Hub => Ok(Self::Hub),
        }
    }

    /// The kind to store.
    pub const fn kind(&self) -> PrincipalKind {
        match self {
            Self::User(_) => PrincipalKind::User,
            Self::Node(_) => PrincipalKind::Node,
            Self::Hub => PrincipalKind::Hub,
        }
    }

    /// The name to store and to show.
    pub fn name(&self) -> &str {
        match self {
            Self::User(username) => username.as_str(),
            Self::Node(alias) => alias.as_str(),
            Self::Hub => PrincipalKind::Hub.as_str(),
        }
    }
}
