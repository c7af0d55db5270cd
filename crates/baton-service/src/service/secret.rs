//! New secrets and what is kept of them: the text goes to its owner once, the store has its SHA-256.
//! Here tokens get their rows; the forms of secrets are in `baton-core`.

use baton_core::{
    Alias, InviteCode, NetworkId, NodeToken, TokenId, TokenScope, UnixMillis, UserId, UserToken,
};
use baton_store::rows::{BROWSER_TOKEN_NAME, TokenRow};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::random;

/// Who has a user token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A tool or a program; the token lasts until it is revoked.
    Tool,
    /// A browser, as its cookie; the token ends by itself.
    Browser,
}

impl Holder {
    /// What its tokens are called in lists.
    const fn token_name(self) -> &'static str {
        match self {
            Self::Tool => "user-login",
            Self::Browser => BROWSER_TOKEN_NAME,
        }
    }
}

/// A secret on its way to its owner. It serialises as its text and prints redacted.
#[derive(Clone, PartialEq, Eq)]
pub struct Revealed(String);

impl Revealed {
    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Serialize for Revealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl PartialSchema for Revealed {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        let text = text.pattern(Some("^(utok|ntok|inv)_[0-9a-f]{32,}$"));
        text.description(Some("A secret, shown this once")).into()
    }
}

impl ToSchema for Revealed {
    fn name() -> Cow<'static, str> {
        "Secret".into()
    }
}

/// A new user token and its row.
pub(super) fn user_token(user: &UserId, holder: Holder, now: UnixMillis) -> (Revealed, TokenRow) {
    let secret = UserToken::from_random(random::bytes());
    let row = TokenRow {
        token_id: TokenId::from_random(random::bytes()),
        hash: hash(secret.expose()),
        user_id: user.clone(),
        network_id: None,
        alias: None,
        name: holder.token_name().to_owned(),
        scope: TokenScope::Node,
        has_reported: false,
        created_at: now,
        last_used_at: None,
        expires_at: None,
        client_id: None,
    };
    (Revealed(secret.expose().to_owned()), row)
}

/// A new node token and its row; without an alias its first report binds one.
pub(super) fn node_token(
    user: &UserId,
    network: &NetworkId,
    alias: Option<Alias>,
    scope: TokenScope,
    now: UnixMillis,
) -> (Revealed, TokenRow) {
    let secret = NodeToken::from_random(random::bytes());
    let row = TokenRow {
        token_id: TokenId::from_random(random::bytes()),
        hash: hash(secret.expose()),
        user_id: user.clone(),
        network_id: Some(network.clone()),
        name: alias.as_ref().map_or_else(|| "network".to_owned(), |alias| format!("node:{alias}")),
        alias,
        scope,
        has_reported: false,
        created_at: now,
        last_used_at: None,
        expires_at: None,
        client_id: None,
    };
    (Revealed(secret.expose().to_owned()), row)
}

/// A new invite code and its hash.
pub(super) fn invite_code() -> (Revealed, [u8; 32]) {
    let code = InviteCode::from_random(random::bytes());
    (Revealed(code.expose().to_owned()), hash(code.expose()))
}

/// A password nobody has to think of: 96 random bits.
pub(super) fn password() -> Revealed {
    Revealed(random::bytes::<12>().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What the store keeps of a secret.
pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revealed_secret_prints_redacted() {
        let (token, row) = user_token(&UserId::from_random([0; 6]), Holder::Tool, UnixMillis::new(0));
        assert!(token.expose().starts_with("utok_"));
        assert!(!format!("{token:?}{row:?}").contains(token.expose()));
    }
}
