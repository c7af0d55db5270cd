//! What a task's texts are digested with. The log shows that a text was this one to whoever has the text and the
//! task's salt; to a holder of the log alone a digest says nothing, not even of a short text.

use baton_core::{ArtifactHash, MediaType, hex};
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::random::id_bytes;

/// A task's salt, kept in its row and gone with it.
#[derive(Clone)]
pub struct Salt(Vec<u8>);

impl Salt {
    const BYTES: usize = 16; // not a limit: the format of a salt

    pub fn random() -> Self {
        Self(id_bytes::<{ Self::BYTES }>().to_vec())
    }

    /// As it stands in the task's row.
    pub fn of_row(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// HMAC-SHA-256 of a text, keyed with the salt.
    pub fn digest(&self, text: &[u8]) -> Digested {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(text);
        Digested { hmac_sha256: hex::encode(&mac.finalize().into_bytes()), size_bytes: text.len() }
    }

    /// HMAC-SHA-256 of a SHA-256, in hex.
    pub fn digest_hash(&self, hash: &ArtifactHash) -> String {
        self.digest(hash.bytes()).hmac_sha256
    }

    /// A part or an artifact: HMAC-SHA-256 of the SHA-256 of its bytes, so that a large file need not be read again for
    /// every task that it goes with.
    pub fn digest_part(&self, hash: &ArtifactHash, size: u64, media_type: &MediaType) -> DigestedPart {
        DigestedPart {
            hmac_sha256: self.digest_hash(hash),
            size_bytes: size,
            media_type: media_type.as_str().to_owned(),
        }
    }
}

/// Nobody reads a salt in a log line.
impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// What the evidence has of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digested {
    hmac_sha256: String,
    size_bytes: usize,
}

/// What the evidence has of a part or an artifact: no name and none of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestedPart {
    pub hmac_sha256: String,
    pub size_bytes: u64,
    pub media_type: String,
}
