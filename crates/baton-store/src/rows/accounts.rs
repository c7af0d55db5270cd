//! Users, networks, members, invites, tokens, aliases, and the log of who changed them.

use baton_core::{
    Alias, NetworkId, NetworkRole, SystemRole, TokenId, TokenScope, UnixMillis, UserId, Username,
};

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes, texts_bytes};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRow {
    /// The person.
    pub user_id: UserId,
    /// The name they act under.
    pub username: Username,
    /// The name they are shown by.
    pub display_name: Option<String>,
    /// Where they are reached.
    pub email: Option<String>,
    /// What they are on the hub.
    pub role: SystemRole,
    /// Argon2id, in its own text form; empty for somebody who signs in elsewhere.
    pub password_hash: String,
    /// Whether the password was generated and is to be changed.
    pub must_change_password: bool,
    /// Since when.
    pub created_at: UnixMillis,
}

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkRow {
    /// The network.
    pub network_id: NetworkId,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub owner_id: UserId,
    /// What it is for.
    pub description: Option<String>,
    /// Since when.
    pub created_at: UnixMillis,
    /// When it was last changed.
    pub updated_at: UnixMillis,
    /// Whether its agents' cards are for everybody.
    pub public_cards: bool,
}

/// A network somebody is a member of, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembershipRow {
    /// The network.
    pub network: NetworkRow,
    /// As what.
    pub role: NetworkRole,
}

/// A member of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRow {
    /// The person.
    pub user_id: UserId,
    /// Their name.
    pub username: Username,
    /// The name they are shown by.
    pub display_name: Option<String>,
    /// As what.
    pub role: NetworkRole,
    /// Since when.
    pub joined_at: UnixMillis,
    /// The user who did it.
    pub invited_by: Option<String>,
}

/// An invitation, known by the hash of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InviteRow {
    /// SHA-256 of the code.
    pub code_hash: [u8; 32],
    /// Into this network.
    pub network_id: NetworkId,
    /// As what.
    pub role: NetworkRole,
    /// How often it may be used.
    pub max_uses: u32,
    /// How often it was.
    pub uses: u32,
    /// Until when.
    pub expires_at: Option<UnixMillis>,
    /// The user who did it.
    pub created_by: UserId,
    /// When.
    pub created_at: UnixMillis,
}

impl InviteRow {
    /// The beginning of the hash, by which it is named.
    #[must_use]
    pub fn hash_begins(&self) -> [u8; 8] {
        std::array::from_fn(|at| self.code_hash[at])
    }
}

/// A token, known by its hash; without a network it is a user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// The token.
    pub token_id: TokenId,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// Whose it is.
    pub user_id: UserId,
    /// The network a node token opens.
    pub network_id: Option<NetworkId>,
    /// The alias a node token speaks as.
    pub alias: Option<Alias>,
    /// What it is called in lists.
    pub name: String,
    /// How far a node token reaches.
    pub scope: TokenScope,
    /// Whether it has reported a status, which settles its alias.
    pub has_reported: bool,
    /// Since when.
    pub created_at: UnixMillis,
    /// When it was last used, within a few seconds.
    pub last_used_at: Option<UnixMillis>,
    /// When it ends by itself; none if it lasts until it is revoked.
    pub expires_at: Option<UnixMillis>,
    /// The OAuth client that a grant is for; none if it is not a grant.
    pub client_id: Option<String>,
}

/// A node token in a network's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTokenRow {
    /// Its place in the order of tokens.
    pub seq: i64,
    /// The token.
    pub token: TokenRow,
    /// Whose it is, by name.
    pub owner: Username,
}

/// What the token of a signed-in browser is called; no other user token has this name.
pub const BROWSER_TOKEN_NAME: &str = "browser";

impl TokenRow {
    /// Whether a browser has it, as its cookie.
    #[must_use]
    pub fn is_of_browser(&self) -> bool {
        self.network_id.is_none() && self.name == BROWSER_TOKEN_NAME
    }
}

/// One change of users, tokens, members or networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its place in the order of changes.
    pub id: i64,
    /// When.
    pub at: UnixMillis,
    /// Who.
    pub actor: String,
    /// What, as a word such as `token.revoked`.
    pub action: String,
    /// Where.
    pub network_id: Option<NetworkId>,
    /// The object of the action.
    pub subject: String,
    /// More, never a secret.
    pub detail: String,
}

impl Weight for UserRow {
    fn weight(&self) -> usize {
        let labels = [&self.display_name, &self.email].map(Option::as_deref);
        ROW_BYTES + text_bytes(self.username.as_str()) + texts_bytes(labels)
    }
}

impl Weight for MembershipRow {
    fn weight(&self) -> usize {
        ROW_BYTES + text_bytes(&self.network.name) + texts_bytes([self.network.description.as_deref()])
    }
}

impl Weight for MemberRow {
    fn weight(&self) -> usize {
        let labels = [&self.display_name, &self.invited_by].map(Option::as_deref);
        ROW_BYTES + text_bytes(self.username.as_str()) + texts_bytes(labels)
    }
}

impl Weight for (InviteRow, Username) {
    fn weight(&self) -> usize {
        ROW_BYTES + text_bytes(self.1.as_str())
    }
}

impl Weight for TokenRow {
    fn weight(&self) -> usize {
        ROW_BYTES
            + text_bytes(&self.name)
            + texts_bytes([self.alias.as_ref().map(Alias::as_str), self.client_id.as_deref()])
    }
}

impl Weight for NodeTokenRow {
    fn weight(&self) -> usize {
        self.token.weight() + text_bytes(self.owner.as_str())
    }
}

impl Weight for AuditRow {
    fn weight(&self) -> usize {
        ROW_BYTES + text_bytes(&self.actor) + text_bytes(&self.subject) + text_bytes(&self.detail)
    }
}

/// A row with its place in the order.
impl<T: Weight> Weight for (i64, T) {
    fn weight(&self) -> usize {
        self.1.weight()
    }
}

/// A place among the members of a network: since when, and who.
pub type MemberPosition = (i64, String);

/// A place among the invitations of a network: since when, and the first 8 bytes of the hash.
pub type InvitePosition = (i64, [u8; 8]);

/// Reads of accounts.
pub trait AccountReads {
    /// The secret that cursors are encrypted with.
    fn cursor_key(&self) -> Result<[u8; 32], Error>;
    /// How many users there are, counted only as far as one.
    fn has_users(&self) -> Result<bool, Error>;
    /// One user.
    fn user(&self, id: &UserId) -> Result<Option<UserRow>, Error>;
    /// One user by name.
    fn user_named(&self, username: &str) -> Result<Option<UserRow>, Error>;
    /// The user whom an OpenID Connect issuer knows by this subject.
    fn user_of_issuer(&self, issuer: &str, subject: &str) -> Result<Option<UserRow>, Error>;
    /// A page of all users, oldest first, after a place.
    fn users(&self, after: Option<i64>, bounds: PageBounds) -> Result<Page<UserRow>, Error>;
    /// One network.
    fn network(&self, id: &NetworkId) -> Result<Option<NetworkRow>, Error>;
    /// The key for the names of tokens in a network's history.
    fn token_key(&self, id: &NetworkId) -> Result<Option<Vec<u8>>, Error>;
    /// The network of this name that somebody owns.
    fn network_named(&self, owner: &UserId, name: &str) -> Result<Option<NetworkId>, Error>;
    /// A page of the networks somebody is a member of, oldest first, after a place.
    fn memberships(
        &self,
        user: &UserId,
        after: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<MembershipRow>, Error>;
    /// Every network a user is a member of, with the role there, by id.
    fn membership_roles(&self, user: &UserId) -> Result<Vec<(NetworkId, NetworkRole)>, Error>;
    /// At most so many networks a user is a member of, by id: asking for two shows whether there is exactly one.
    fn some_memberships(&self, user: &UserId, most: usize) -> Result<Vec<NetworkId>, Error>;
    /// The networks that show their cards to everybody, by id, from this one on; at most so many.
    fn public_networks(&self, from: Option<&NetworkId>, most: usize) -> Result<Vec<NetworkId>, Error>;
    /// What somebody is in a network.
    fn member_role(&self, network: &NetworkId, user: &UserId) -> Result<Option<NetworkRole>, Error>;
    /// A page of a network's members, oldest first, after a place.
    fn members(
        &self,
        network: &NetworkId,
        after: Option<&MemberPosition>,
        bounds: PageBounds,
    ) -> Result<Page<MemberRow, MemberPosition>, Error>;
    /// Whether a member of the network has this username.
    fn has_member_named(&self, network: &NetworkId, username: &str) -> Result<bool, Error>;
    /// An invitation.
    fn invite(&self, code_hash: &[u8; 32]) -> Result<Option<InviteRow>, Error>;
    /// A page of a network's invitations and who made them, newest first, after a place.
    fn invites(
        &self,
        network: &NetworkId,
        after: Option<InvitePosition>,
        bounds: PageBounds,
    ) -> Result<Page<(InviteRow, Username), InvitePosition>, Error>;
    /// The token of this hash, unless it was revoked.
    fn token_by_hash(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>, Error>;
    /// A token, unless it was revoked.
    fn token(&self, id: &TokenId) -> Result<Option<TokenRow>, Error>;
    /// A page of somebody's tokens that are not revoked, newest first, before a place.
    fn tokens(&self, user: &UserId, before: Option<i64>, bounds: PageBounds)
    -> Result<Page<TokenRow>, Error>;
    /// A page of a network's node tokens that are not revoked, newest first; all, or one user's; before a place.
    fn node_tokens(
        &self,
        network: &NetworkId,
        owner: Option<&UserId>,
        before: Option<i64>,
        bounds: PageBounds,
    ) -> Result<Page<NodeTokenRow>, Error>;
    /// Until when an agent counts as connected, by what its hub last wrote down; none if it never was.
    fn connected_until(&self, network: &NetworkId, alias: &Alias) -> Result<Option<UnixMillis>, Error>;
    /// A user's least recently used user token that is not revoked.
    fn oldest_login(&self, user: &UserId) -> Result<Option<TokenRow>, Error>;
    /// Tokens of browsers last used, or made, at these times or before and not revoked; at most so many. One that was
    /// never used counts as used when it was made.
    fn stale_browser_tokens(
        &self,
        used_before: UnixMillis,
        made_before: UnixMillis,
        limit: usize,
    ) -> Result<Vec<TokenRow>, Error>;
    /// Tokens whose time ended at this time or before and that are not revoked; at most so many.
    fn expired_tokens(&self, now: UnixMillis, limit: usize) -> Result<Vec<TokenRow>, Error>;
    /// Whether an unrevoked token or a session has this alias.
    fn alias_exists(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error>;
    /// Whether any token of the network ever had this alias, which every session and every task that was given to it does.
    fn alias_was_used(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error>;
    /// How many aliases with an unrevoked token or a session the network has.
    fn alias_count(&self, network: &NetworkId) -> Result<i64, Error>;
    /// How many sessions the network has.
    fn session_count(&self, network: &NetworkId) -> Result<i64, Error>;
    /// A page of changes, newest first, older than a place.
    fn audit_log(&self, before: Option<i64>, bounds: PageBounds) -> Result<Page<AuditRow>, Error>;
}

/// Writes of accounts. A write that changes users, tokens or members also calls `touch_access`.
pub trait AccountWrites {
    /// Inserts a user.
    fn insert_user(&mut self, user: &UserRow) -> Result<(), Error>;
    /// Changes how a user is shown; none leaves it as it is.
    fn change_profile(
        &mut self,
        user: &UserId,
        display_name: Option<&str>,
        email: Option<&str>,
    ) -> Result<(), Error>;
    /// Changes a password.
    fn change_password(&mut self, user: &UserId, hash: &str, must_change: bool) -> Result<(), Error>;
    /// Changes what a user is on the hub.
    fn change_system_role(&mut self, user: &UserId, role: SystemRole) -> Result<(), Error>;
    /// Notes who a user is at an OpenID Connect issuer.
    fn link_user(&mut self, user: &UserId, issuer: &str, subject: &str) -> Result<(), Error>;
    /// Inserts a network, with a new random key for the names of its tokens.
    fn insert_network(&mut self, network: &NetworkRow) -> Result<(), Error>;
    /// Gives a network another name.
    fn rename_network(&mut self, network: &NetworkId, name: &str, at: UnixMillis) -> Result<(), Error>;
    /// Says whether a network's cards are for everybody.
    fn publish_cards(&mut self, network: &NetworkId, is_public: bool, at: UnixMillis) -> Result<(), Error>;
    /// Adds a member, or changes their role; when they joined and who added them stays.
    fn put_member(
        &mut self,
        network: &NetworkId,
        user: &UserId,
        role: NetworkRole,
        invited_by: Option<&str>,
        at: UnixMillis,
    ) -> Result<(), Error>;
    /// Ends a membership.
    fn delete_member(&mut self, network: &NetworkId, user: &UserId) -> Result<(), Error>;
    /// Inserts an invitation.
    fn insert_invite(&mut self, invite: &InviteRow) -> Result<(), Error>;
    /// Uses an invitation once.
    fn use_invite(&mut self, code_hash: &[u8; 32]) -> Result<(), Error>;
    /// Withdraws the invitation whose hash begins like this; false if there was none.
    fn delete_invite(&mut self, network: &NetworkId, hash_begins: &[u8; 8]) -> Result<bool, Error>;
    /// Inserts a token, and remembers its alias.
    fn insert_token(&mut self, token: &TokenRow) -> Result<(), Error>;
    /// Settles the alias of a user's token, and remembers it.
    fn bind_token(
        &mut self,
        token: &TokenId,
        user: &UserId,
        network: &NetworkId,
        alias: &Alias,
    ) -> Result<(), Error>;
    /// Revokes a token; false if there was none to revoke.
    fn revoke_token(&mut self, token: &TokenId, at: UnixMillis) -> Result<bool, Error>;
    /// Lets a token expire at another time.
    fn renew_token(&mut self, token: &TokenId, expires_at: UnixMillis) -> Result<(), Error>;
    /// Removes a user token; unlike a node token's it leaves no alias to remember.
    fn delete_user_token(&mut self, token: &TokenId) -> Result<(), Error>;
    /// Revokes all user tokens of somebody and answers how many.
    fn revoke_user_tokens(&mut self, user: &UserId, at: UnixMillis) -> Result<usize, Error>;
    /// Revokes all node tokens of somebody for a network and answers how many. The hub's own, with which it works for
    /// remote agents, stay.
    fn revoke_node_tokens(
        &mut self,
        user: &UserId,
        network: &NetworkId,
        at: UnixMillis,
    ) -> Result<usize, Error>;
    /// Leaves the node tokens somebody has for a network no more than the scope `node`, and answers how many had more.
    fn narrow_node_tokens(&mut self, user: &UserId, network: &NetworkId) -> Result<usize, Error>;
    /// Notes when tokens were last used.
    fn use_tokens(&mut self, used: &[(TokenId, UnixMillis)]) -> Result<(), Error>;
    /// Writes until when the agents of these tokens count as connected.
    fn hold_connected(&mut self, held: &[(TokenId, UnixMillis)]) -> Result<(), Error>;
    /// Appends to the log of changes.
    fn audit(
        &mut self,
        at: UnixMillis,
        actor: &str,
        action: &str,
        network: Option<&NetworkId>,
        subject: &str,
        detail: &str,
    ) -> Result<(), Error>;
}
