//! The keys that open doors: user tokens, node tokens, invite codes.
//! They print redacted; only `expose` gives the text, once to its owner and once to the hash.
//! Hashing and storing live elsewhere.

use crate::limits;
use std::fmt;

use crate::hex;

/// Random bytes of a new secret; the contract asks for at least 16.
pub const SECRET_RANDOM_BYTES: usize = 32; // not a limit: how a secret is made

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(String);

        impl $name {
            /// What every secret of this kind begins with.
            pub const PREFIX: &str = $prefix;

            /// Makes a secret of the given random bytes.
            pub fn from_random(random: [u8; SECRET_RANDOM_BYTES]) -> Self {
                Self(format!("{}{}", $prefix, hex::encode(&random)))
            }

            /// Reads a secret: the prefix and at least 128 bits of lower-case hex.
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($prefix)?;
                let long_enough = (limits::SECRET_MIN_DIGITS..=limits::SECRET_MAX_DIGITS).contains(&digits.len());
                (long_enough && hex::is_hex(digits)).then(|| Self(text.to_owned()))
            }

            /// The secret itself.
            pub fn expose(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}…", $prefix)
            }
        }
    };
}

secret!(
    /// A user's key: bound to a user, to no network.
    UserToken, "utok_"
);
secret!(
    /// An agent's key: bound to a user, a network and an alias.
    NodeToken, "ntok_"
);
secret!(
    /// An invitation into a network.
    InviteCode, "inv_"
);

secret!(
    /// What an OAuth client calls with, for a short while.
    AccessToken, "oat_"
);
secret!(
    /// What a user's browser brings an OAuth client, to be redeemed once.
    AuthorizationCode, "oac_"
);

/// What an OAuth client gets new tokens with. Its first part is the same for all refresh tokens of a grant, so that one which
/// is replayed is known as such without a list of those that were used.
#[derive(Clone)]
pub struct RefreshToken(String);

/// Hex digits of the first part.
const FAMILY_DIGITS: usize = 32; // not a limit: a form

impl RefreshToken {
    /// What every refresh token begins with.
    pub const PREFIX: &str = "ort_";

    /// Makes the first of a family.
    pub fn from_random(family: [u8; FAMILY_DIGITS / 2], secret: [u8; SECRET_RANDOM_BYTES]) -> Self {
        Self(format!("{}{}{}", Self::PREFIX, hex::encode(&family), hex::encode(&secret)))
    }

    /// Makes the next of the same family.
    #[must_use]
    pub fn next(&self, secret: [u8; SECRET_RANDOM_BYTES]) -> Self {
        Self(format!("{}{}{}", Self::PREFIX, self.family(), hex::encode(&secret)))
    }

    /// Reads one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_whole = digits.len() == FAMILY_DIGITS + 2 * SECRET_RANDOM_BYTES;
        (is_whole && hex::is_hex(digits)).then(|| Self(text.to_owned()))
    }

    /// The part that stays.
    pub fn family(&self) -> &str {
        &self.0[Self::PREFIX.len()..Self::PREFIX.len() + FAMILY_DIGITS]
    }

    /// The part that is another one each time.
    pub fn secret(&self) -> &str {
        &self.0[Self::PREFIX.len() + FAMILY_DIGITS..]
    }

    /// The whole of it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", Self::PREFIX)
    }
}

/// What a caller presents as its bearer token.
#[derive(Clone, Debug)]
pub enum BearerToken {
    /// A user's key.
    User(UserToken),
    /// An agent's key.
    Node(NodeToken),
    /// An OAuth client's key, for a short while.
    Access(AccessToken),
}

impl BearerToken {
    /// Reads a token of any kind.
    pub fn parse(text: &str) -> Option<Self> {
        let user = || UserToken::parse(text).map(Self::User);
        let access = || AccessToken::parse(text).map(Self::Access);
        NodeToken::parse(text).map(Self::Node).or_else(user).or_else(access)
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        match self {
            Self::User(token) => token.expose(),
            Self::Node(token) => token.expose(),
            Self::Access(token) => token.expose(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_tokens_of_a_family_differ_in_their_second_part_and_print_redacted() {
        let first = RefreshToken::from_random([1; 16], [2; 32]);
        let next = first.next([3; 32]);
        assert_eq!(first.family(), next.family());
        assert_ne!(first.secret(), next.secret());
        let read = RefreshToken::parse(next.expose()).unwrap();
        assert_eq!((read.family(), read.secret()), (next.family(), next.secret()));
        assert!(RefreshToken::parse(&next.expose()[..60]).is_none());
        assert!(BearerToken::parse(next.expose()).is_none(), "it opens nothing by itself");
        assert_eq!(format!("{next:?}"), "ort_…");
    }
}
