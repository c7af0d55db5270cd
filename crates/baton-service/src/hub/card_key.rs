//! The key that agents' cards are signed with (A2A: a JWS over the canonical card). It follows from the evidence key, so
//! hubs with one evidence key sign alike and a backup of that key has this one too; from this one the other is not known.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use baton_evidence::note::SigningKey;
use ed25519_dalek::Signer as _;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;
use utoipa::ToSchema;

use crate::jws;

/// Where the public half is, after the hub's address.
const KEY_SET_PATH: &str = "/.well-known/jwks.json";

/// The secret key.
pub struct CardKey {
    key: ed25519_dalek::SigningKey,
    public: PublicKey,
}

/// The public half, as RFC 8037 writes it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = CardPublicKey)]
pub struct PublicKey {
    kty: &'static str,
    crv: &'static str,
    /// The key's 32 bytes, base64url
    x: String,
    alg: &'static str,
    #[serde(rename = "use")]
    #[schema(rename = "use")]
    usage: &'static str,
    /// Its thumbprint (RFC 7638), by which a signature names it
    kid: String,
}

/// A signature, in the two parts that a card carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub protected: String,
    pub signature: String,
}

#[derive(Serialize)]
struct Protected<'a> {
    alg: &'static str,
    jku: String,
    kid: &'a str,
    typ: &'static str,
}

impl CardKey {
    pub fn new(evidence_key: &SigningKey) -> Self {
        let seed =
            Sha256::new_with_prefix("baton agent cards").chain_update(evidence_key.to_text().as_bytes());
        let key = ed25519_dalek::SigningKey::from_bytes(&seed.finalize().into());
        let x = BASE64.encode(key.verifying_key().as_bytes());
        let kid = jws::ed25519_thumbprint(&x);
        let public = PublicKey { kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", usage: "sig", kid };
        Self { key, public }
    }

    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a card's canonical bytes; the header says where the key set of this hub is.
    pub fn sign(&self, public_url: &str, payload: &[u8]) -> Result<Signature, serde_json::Error> {
        let jku = format!("{public_url}{KEY_SET_PATH}");
        let protected = Protected { alg: "EdDSA", jku, kid: &self.public.kid, typ: "JOSE" };
        let protected = BASE64.encode(serde_json::to_vec(&protected)?);
        let signed = self.key.sign(format!("{protected}.{}", BASE64.encode(payload)).as_bytes());
        Ok(Signature { protected, signature: BASE64.encode(signed.to_bytes()) })
    }
}

impl fmt::Debug for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CardKey({}, secret)", self.public.kid)
    }
}
