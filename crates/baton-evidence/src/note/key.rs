//! The key a hub signs its checkpoints with, and the verifier key that others open them with: a name, four bytes
//! of hash, and the public key, as C2SP writes them.

use crate::limits::KEY_TEXT_BYTES;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use signed_note::{Signature, SignerError, StandardSigner, StandardVerifier, Verifier, VerifierError};
use std::fmt;
use zeroize::Zeroizing;

/// Names Ed25519 in front of a key's bytes.
const ED25519: u8 = 1;

/// Why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A name that no note could carry.
    #[error("a key's name is not empty and has no space, no control character and no '+'")]
    Name,
    /// Not name, hash and base64 with a `+` in between.
    #[error("not a key of the form name+hash+base64")]
    Format,
    /// A key of another algorithm than Ed25519.
    #[error("the key's algorithm is not Ed25519")]
    Algorithm,
    /// The hash is not that of name and key.
    #[error("the key's hash is not that of its name and bytes")]
    Hash,
    /// One of the few public keys for which almost any signature passes.
    #[error("the key is a weak one that anybody can sign for")]
    Weak,
}

/// The secret key. Its text is wiped when it is dropped and never printed.
pub struct SigningKey {
    signer: StandardSigner,
    text: Zeroizing<String>,
    verifier: VerifierKey,
}

/// The public key.
#[derive(Clone)]
pub struct VerifierKey {
    verifier: StandardVerifier,
    text: String,
}

impl SigningKey {
    /// The key of this name made from 32 random bytes.
    pub fn from_seed(seed: [u8; 32], name: &str) -> Result<Self, KeyError> {
        check_name(name)?;
        let seed = Zeroizing::new(seed);
        let public = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        let verifier = VerifierKey::parse(&signed_note::new_ed25519_verifier_key(name, &public))?;
        let mut secret = Zeroizing::new([ED25519; 33]);
        secret[1..].copy_from_slice(&*seed);
        let encoded = Zeroizing::new(BASE64_STANDARD.encode(secret.as_slice()));
        let text = Zeroizing::new(["PRIVATE+KEY+", name, "+", verifier.hash(), "+", &encoded].concat());
        let signer = StandardSigner::new(&text)?;
        Ok(Self { signer, text, verifier })
    }

    /// Reads a key file's text; line feeds at its end are not part of it.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim_end_matches(['\r', '\n']);
        if text.len() > KEY_TEXT_BYTES {
            return Err(KeyError::Format);
        }
        StandardSigner::new(text)?; // the whole form, and that the hash is this key's
        // From the left: a name has no '+', base64 may.
        let [_, _, name, _, encoded] = split(text).ok_or(KeyError::Format)?;
        let secret = BASE64_STANDARD.decode(encoded).map_err(|_| KeyError::Format)?;
        let secret = Zeroizing::new(secret);
        let seed = secret.get(1..).and_then(|seed| seed.try_into().ok()).ok_or(KeyError::Format)?;
        Self::from_seed(seed, name)
    }

    /// The secret, as it stands in a key file (private, mode 600), without a line feed.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        self.text.clone()
    }

    /// The public half.
    #[must_use]
    pub fn verifier_key(&self) -> VerifierKey {
        self.verifier.clone()
    }

    pub(super) fn signer(&self) -> &StandardSigner {
        &self.signer
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}+{}, secret)", self.verifier.name(), self.verifier.hash())
    }
}

impl VerifierKey {
    /// Reads `name+hash+base64`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if text.len() > KEY_TEXT_BYTES {
            return Err(KeyError::Format);
        }
        let verifier = StandardVerifier::new(text)?;
        check_name(verifier.name())?;
        let [_, _, encoded] = split(text).ok_or(KeyError::Format)?;
        let bytes = BASE64_STANDARD.decode(encoded).map_err(|_| KeyError::Format)?;
        let public = bytes.get(1..).and_then(|public| public.try_into().ok()).ok_or(KeyError::Format)?;
        let public = ed25519_dalek::VerifyingKey::from_bytes(public).map_err(|_| KeyError::Format)?;
        if public.is_weak() {
            return Err(KeyError::Weak);
        }
        let text = format!("{}+{:08x}+{encoded}", verifier.name(), verifier.key_id());
        Ok(Self { verifier, text })
    }

    /// Who signs, as the key says.
    #[must_use]
    pub fn name(&self) -> &str {
        self.verifier.name()
    }

    /// Whether this key signed the text; `None` if the signature is another key's.
    pub(super) fn signed(&self, text: &[u8], signature: &Signature) -> Option<bool> {
        let is_own = signature.name() == self.verifier.name() && signature.id() == self.verifier.key_id();
        is_own.then(|| self.verifier.verify(text, signature.signature()))
    }

    /// The first four bytes of SHA-256 over name, line feed, algorithm and public key, in hex.
    #[must_use]
    pub fn hash(&self) -> &str {
        let start = self.name().len() + 1;
        &self.text[start..start + 8]
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for VerifierKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for VerifierKey {}

/// A text's first parts between `+`, and all that is left as the last.
fn split<const PARTS: usize>(text: &str) -> Option<[&str; PARTS]> {
    text.splitn(PARTS, '+').collect::<Vec<_>>().try_into().ok()
}

fn check_name(name: &str) -> Result<(), KeyError> {
    let plain = signed_note::is_key_name_valid(name) && !name.contains(char::is_control);
    plain.then_some(()).ok_or(KeyError::Name)
}

impl From<SignerError> for KeyError {
    fn from(error: SignerError) -> Self {
        match error {
            SignerError::Format => Self::Format,
            SignerError::Alg => Self::Algorithm,
            SignerError::Id => Self::Hash,
        }
    }
}

impl From<VerifierError> for KeyError {
    fn from(error: VerifierError) -> Self {
        match error {
            VerifierError::Format => Self::Format,
            VerifierError::Alg => Self::Algorithm,
            VerifierError::Id => Self::Hash,
        }
    }
}
