//! The roles: of a user in a network, of a user on the hub, and of a node token.
//! What each of them may do is in `action.rs` and `access.rs`.

use crate::wire::wire_words;

wire_words!(
    /// What a user is in a network; the greater role may do more.
    NetworkRole {
        /// Reads.
        Viewer = "viewer",
        /// Reads and works.
        Member = "member",
        /// Also looks after members.
        Admin = "admin",
        /// Also looks after the network itself; there is one, and the role is never given.
        Owner = "owner",
    }
);

wire_words!(
    /// What a user is on the hub.
    SystemRole {
        /// Somebody with no more than their networks give.
        User = "user",
        /// Somebody who may look after any network's tasks.
        Admin = "admin",
    }
);

wire_words!(
    /// How far a node token reaches.
    TokenScope {
        /// To the tasks its alias sent or was given.
        Node = "node",
        /// To every task of its network.
        Coordinator = "coordinator",
    }
);

impl NetworkRole {
    /// Whether somebody of this role may give, take away or invite into `role`: only what lies below.
    pub fn may_grant(self, role: Self) -> bool {
        role < self
    }

    /// What somebody is after joining by an invite: it never changes what a member already is.
    pub fn after_join(current: Option<Self>, invited_as: Self) -> Self {
        current.unwrap_or(invited_as)
    }
}
