//! A hash of the tree, and the three ways RFC 6962, section 2.1, makes one: of no leaf, of a leaf, of two nodes.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// A SHA-256 value in the tree. As text: standard base64 with padding.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// 32 bytes in base64.
const TEXT_LENGTH: usize = 44; // not a limit: the format of a hash

/// A text that is not 32 bytes in standard base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not 32 bytes in standard base64 with padding")]
pub struct NotAHash;

/// A leaf's hash: SHA-256 of a zero byte and the event's canonical bytes.
#[must_use]
pub fn leaf_hash(event: &[u8]) -> Hash {
    Hash(Sha256::new().chain_update([0]).chain_update(event).finalize().into())
}

/// An inner node's hash: SHA-256 of a one byte and both children.
pub(super) fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Hash(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
}

/// The root of the tree without leaves: SHA-256 of nothing.
#[must_use]
pub fn empty_root() -> Hash {
    Hash(Sha256::digest([]).into())
}

impl Hash {
    fn encoded(&self) -> [u8; TEXT_LENGTH] {
        let mut text = [b'='; TEXT_LENGTH];
        // 32 bytes are 44 characters, always: the buffer cannot be too small.
        let _ = BASE64_STANDARD.encode_slice(self.0, &mut text);
        text
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.encoded()).unwrap_or_default()) // base64 is ASCII
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = NotAHash;

    /// Each hash has exactly one text: no other length, alphabet, padding or spare bits.
    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let mut bytes = [0; 33]; // what 44 characters could hold
        match BASE64_STANDARD.decode_slice(text, &mut bytes) {
            Ok(32) if text.len() == TEXT_LENGTH => bytes[..32].try_into().map(Self).map_err(|_| NotAHash),
            _ => Err(NotAHash),
        }
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = crate::text::Text::deserialize(deserializer)?;
        text.0.parse().map_err(serde::de::Error::custom)
    }
}
