//! OAuth: clients that registered, codes, and the secrets of grants. A grant itself is a node token ([`TokenRow`]): what ends
//! that ends its secrets. All secrets are kept as hashes.

use baton_core::{Alias, NetworkId, TokenId, UnixMillis, UserId};

use super::TokenRow;
use crate::error::Error;

/// A client that registered itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthClientRow {
    /// What it is known by.
    pub client_id: String,
    /// What it calls itself.
    pub name: String,
    /// Where a user may be sent back to.
    pub redirect_uris: Vec<String>,
    /// Since when.
    pub created_at: UnixMillis,
    /// When it last got a grant.
    pub used_at: Option<UnixMillis>,
}

/// An authorization code, and what a user allowed with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthCodeRow {
    /// SHA-256 of the code.
    pub hash: [u8; 32],
    /// The client it was issued to.
    pub client_id: String,
    /// What the client called itself then.
    pub client_name: String,
    /// Where it was sent.
    pub redirect_uri: String,
    /// PKCE's challenge, S256.
    pub challenge: String,
    /// Who allowed it.
    pub user_id: UserId,
    /// Where the client acts.
    pub network_id: NetworkId,
    /// As whom.
    pub alias: Alias,
    /// Until when it can be redeemed.
    pub expires_at: UnixMillis,
    /// The grant it was redeemed for.
    pub token_id: Option<TokenId>,
}

/// A grant, found by its refresh token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthGrantRow {
    /// The grant.
    pub token: TokenRow,
    /// SHA-256 of the part of its refresh token that rotates.
    pub secret: [u8; 32],
}

/// Reads of OAuth.
pub trait OauthReads {
    /// A client that registered itself.
    fn oauth_client(&self, client_id: &str) -> Result<Option<OauthClientRow>, Error>;
    /// How many clients there are, and how many of them never had a grant; counted only as far as this.
    fn oauth_client_counts(&self, limit: usize) -> Result<(usize, usize), Error>;
    /// The code of this hash.
    fn oauth_code(&self, hash: &[u8; 32]) -> Result<Option<OauthCodeRow>, Error>;
    /// The grant whose refresh tokens have this first part, unless it was revoked.
    fn oauth_grant(&self, family: &[u8; 32]) -> Result<Option<OauthGrantRow>, Error>;
    /// The grant of an access token, unless it was revoked, and when the access token ends.
    fn oauth_access(&self, hash: &[u8; 32]) -> Result<Option<(TokenRow, UnixMillis)>, Error>;
}

/// Writes of OAuth.
pub trait OauthWrites {
    /// Inserts a client.
    fn insert_oauth_client(&mut self, client: &OauthClientRow) -> Result<(), Error>;
    /// Notes that a client got a grant.
    fn use_oauth_client(&mut self, client_id: &str, at: UnixMillis) -> Result<(), Error>;
    /// Inserts a code. Of its user's codes the newest so many are kept.
    fn insert_oauth_code(&mut self, code: &OauthCodeRow, keep: usize) -> Result<(), Error>;
    /// Notes the grant that a code was redeemed for.
    fn redeem_oauth_code(&mut self, hash: &[u8; 32], grant: &TokenId) -> Result<(), Error>;
    /// Writes the refresh token of a grant, in place of the one before.
    fn put_oauth_refresh(
        &mut self,
        grant: &TokenId,
        family: &[u8; 32],
        secret: &[u8; 32],
    ) -> Result<(), Error>;
    /// Inserts an access token of a grant. Of those before, the one that ends last stays until its time.
    fn insert_oauth_access(
        &mut self,
        grant: &TokenId,
        hash: &[u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), Error>;
    /// Forgets access tokens that ended at `now` or before, codes that ended at `codes_before` or before, clients whose
    /// last grant is from `used_before` or before, and refresh tokens of grants that were revoked; so many rows of each.
    /// Answers how many.
    fn forget_oauth(
        &mut self,
        now: UnixMillis,
        codes_before: UnixMillis,
        used_before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error>;
    /// Forgets clients that registered at this time or before and that never had a grant, the oldest first; so many at once.
    /// Answers how many.
    fn forget_unused_oauth_clients(
        &mut self,
        created_before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error>;
    /// Forgets clients that had a grant and have none any more, first the one whose last is the oldest; so many at once.
    /// Answers how many.
    fn forget_idle_oauth_clients(&mut self, limit: usize) -> Result<usize, Error>;
    /// Ends what clients have of a user: codes are forgotten, grants are revoked. Answers how many grants.
    fn revoke_oauth_grants(&mut self, user: &UserId, at: UnixMillis) -> Result<usize, Error>;
}
