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

/// What a caller presents as its bearer token.
#[derive(Clone, Debug)]
pub enum BearerToken {
    /// A user's key.
    User(UserToken),
    /// An agent's key.
    Node(NodeToken),
}

impl BearerToken {
    /// Reads either kind of token.
    pub fn parse(text: &str) -> Option<Self> {
        UserToken::parse(text).map(Self::User).or_else(|| NodeToken::parse(text).map(Self::Node))
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        match self {
            Self::User(token) => token.expose(),
            Self::Node(token) => token.expose(),
        }
    }
}
