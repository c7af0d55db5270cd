//! The signatures of a remote agent's card (A2A 1.0: a JWS over the canonical card): which key made each, by a key set
//! of the card's own origin. Reading the key set is in `peer.rs`; which key has to have signed is in `key_rule.rs`.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use baton_core::{Refusal, limits};
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use crate::card_text::canonical_card;
use crate::jws::{self, Header};

/// Where the key set is if a signature does not name it, after the card's origin.
const KEY_SET_PATH: &str = "/.well-known/jwks.json";

/// A card with its signatures.
pub(super) struct SignedCard {
    /// The canonical card in base64url.
    payload: String,
    pub(super) signatures: Vec<SignatureParts>,
}

/// A signature as it stands on a card.
#[derive(Debug, Deserialize)]
pub(super) struct SignatureParts {
    protected: String,
    signature: String,
}

/// A signature that was read.
#[derive(Debug)]
pub(super) struct CardSignature {
    header: Header,
    /// The bytes that are signed.
    signed: String,
    signature: Vec<u8>,
    /// Where the key set is.
    pub(super) key_set: Url,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

const fn broken(why: &'static str) -> Refusal {
    Refusal::RemoteCardSignatureBroken { why }
}

impl SignedCard {
    /// Reads the signatures of a card; none if it has none.
    pub(super) fn read(card: Value) -> Result<Option<Self>, Refusal> {
        let signatures = match card.get("signatures") {
            None | Some(Value::Null) => return Ok(None),
            Some(signatures) => Vec::<SignatureParts>::deserialize(signatures)
                .map_err(|_| broken("`signatures` is not a list of signatures"))?,
        };
        if signatures.is_empty() {
            return Ok(None);
        }
        if signatures.len() > limits::REMOTE_CARD_SIGNATURES_MAX_COUNT {
            return Err(broken("the card has too many signatures"));
        }
        let payload = canonical_card(card).map_err(|_| broken("the card has no canonical form"))?;
        Ok(Some(Self { payload: BASE64.encode(payload), signatures }))
    }

    /// Reads one of the signatures of a card from this place.
    pub(super) fn signature(&self, parts: &SignatureParts, place: &Url) -> Result<CardSignature, Refusal> {
        let header: Header =
            jws::json(&parts.protected).ok_or_else(|| broken("the protected header cannot be read"))?;
        if header.crit.is_some() {
            return Err(broken("the protected header has `crit`, and the hub knows no extension"));
        }
        let signature = jws::decode(&parts.signature).ok_or_else(|| broken("it is not base64url"))?;
        let key_set = match &header.jku {
            Some(jku) => Url::parse(jku).map_err(|_| broken("`jku` is not a URL"))?,
            None => place.join(KEY_SET_PATH).map_err(|_| broken("the card's address has no origin"))?,
        };
        // Who can put a card there answers for that origin alone; the scheme is a part of it.
        if key_set.origin() != place.origin() {
            return Err(broken("`jku` is not of the card's own origin"));
        }
        let signed = format!("{}.{}", parts.protected, self.payload);
        Ok(CardSignature { header, signed, signature, key_set })
    }
}

impl CardSignature {
    /// The thumbprint of the key that made it, of those in the text of a key set.
    pub(super) fn signer(&self, key_set: &[u8]) -> Result<String, Refusal> {
        if key_set.len() > limits::REMOTE_KEY_SET_MAX_BYTES {
            return Err(broken("the key set is too large"));
        }
        let KeySet { keys } =
            serde_json::from_slice(key_set).map_err(|_| broken("the key set cannot be read"))?;
        if keys.len() > limits::REMOTE_KEY_SET_MAX_COUNT {
            return Err(broken("the key set has too many keys"));
        }
        let mut fitting = keys.iter().filter(|key| jws::fits(key, &self.header)).peekable();
        if fitting.peek().is_none() {
            return Err(broken("the key set has no key for its `alg` (EdDSA, ES256 or RS256) and `kid`"));
        }
        let signer = fitting.find(|key| {
            let signed = self.signed.as_bytes();
            jws::is_signed(&self.header.alg, key, signed, &self.signature).unwrap_or(false)
        });
        let signer = signer.and_then(jws::thumbprint);
        signer.ok_or_else(|| broken("it does not match the card"))
    }
}

#[cfg(test)]
mod tests;
