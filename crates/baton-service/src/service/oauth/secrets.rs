//! New codes and tokens of OAuth, and the hashes that are kept of them.

use baton_core::{AccessToken, AuthorizationCode, RefreshToken};

use crate::random;
use crate::service::secret::hash;

/// A new code and its hash.
pub(super) fn code() -> (AuthorizationCode, [u8; 32]) {
    let code = AuthorizationCode::from_random(random::bytes());
    let kept = hash(code.expose());
    (code, kept)
}

/// A new access token and its hash.
pub(super) fn access() -> (AccessToken, [u8; 32]) {
    let token = AccessToken::from_random(random::bytes());
    let kept = hash(token.expose());
    (token, kept)
}

/// The first refresh token of a new grant.
pub(super) fn first_refresh() -> RefreshToken {
    RefreshToken::from_random(random::bytes(), random::bytes())
}

/// The one after it.
pub(super) fn next_refresh(token: &RefreshToken) -> RefreshToken {
    token.next(random::bytes())
}

/// What is kept of the part of a refresh token that stays.
pub(super) fn family(token: &RefreshToken) -> [u8; 32] {
    hash(token.family())
}

/// What is kept of the part that rotates.
pub(super) fn rotating(token: &RefreshToken) -> [u8; 32] {
    hash(token.secret())
}
