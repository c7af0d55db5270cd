//! Ids with a prefix: users, networks, tokens, leases.
//! Random bytes are handed in. An id that does not parse names nothing, so `parse` answers `None` and the
//! caller says what was not found. Task and message ids are in `uuid.rs`, keys to doors in `secret.rs`.

use crate::hex;
use crate::wire::wire_text;

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $bytes:literal) => {
        wire_text!($(#[$doc])* $name);

        impl $name {
            /// Makes an id of the given random bytes.
            pub fn from_random(random: [u8; $bytes]) -> Self {
                Self(format!("{}{}", $prefix, hex::encode(&random)))
            }

            /// Reads an id in exactly the form the hub writes.
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($prefix)?;
                (digits.len() == 2 * $bytes && hex::is_hex(digits)).then(|| Self(text.to_owned()))
            }
        }
    };
}

prefixed_id!(
    /// A user: `u_` and 12 hex digits.
    UserId, "u_", 6
);
prefixed_id!(
    /// A network: `net_` and 12 hex digits.
    NetworkId, "net_", 6
);
prefixed_id!(
    /// A token, not its secret: `tok_` and 12 hex digits.
    TokenId, "tok_", 6
);
wire_text!(
    /// How history and evidence name the token that acted: `tk_` and 16 hex digits of a keyed hash of its id.
    ActorToken
);

impl ActorToken {
    /// The name that follows from the hash of a token's id.
    pub fn of_digest(digest: &[u8; 32]) -> Self {
        Self(format!("tk_{}", hex::encode(&digest[..8])))
    }

    /// Reads a name in exactly the form the hub writes.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("tk_")?;
        (digits.len() == 16 && hex::is_hex(digits)).then(|| Self(text.to_owned()))
    }
}

prefixed_id!(
    /// One worker's hold on one task: `lease_` and 32 hex digits, too many to guess.
    LeaseId, "lease_", 16
);
