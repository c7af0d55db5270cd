//! SHA-256 values as they are recorded: bare lower-case hex, or `sha256:` and the hex. The run root, a
//! digest over content hashes, is made here too.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// `sha256:` and 64 hex digits.
pub(crate) const TAGGED_LENGTH: usize = 7 + 64; // not a limit: the format of a digest

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest computed elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hex digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.tagged().as_str()[7..].to_owned()
    }

    /// `sha256:` and the hex, on the stack.
    #[must_use]
    pub fn tagged(&self) -> Tagged {
        let mut text = [0; TAGGED_LENGTH];
        text[..7].copy_from_slice(b"sha256:");
        for (pair, byte) in text[7..].chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        Tagged(text)
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

impl From<Sha256> for Digest {
    fn from(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tagged().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.tagged().as_str())
    }
}

/// A digest's `sha256:…` form, without an allocation.
#[derive(Clone, Copy)]
pub struct Tagged([u8; TAGGED_LENGTH]);

impl Tagged {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default() // hex and a tag are always ASCII
    }
}

/// The run root: SHA-256 over each content hash as text and a line feed, in order.
#[derive(Debug, Clone, Default)]
pub struct RunRoot(Sha256);

impl RunRoot {
    /// Adds the next event's content hash.
    pub fn add(&mut self, content_hash: &Digest) {
        self.0.update(content_hash.tagged().0);
        self.0.update(b"\n");
    }

    /// The root over all that was added.
    #[must_use]
    pub fn finish(self) -> Digest {
        self.0.into()
    }
}
