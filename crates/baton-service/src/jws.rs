//! The signature of a JWS (RFC 7515) and the keys of a JWK set it is checked with: RS256, ES256 or EdDSA, and never none.
//! ID tokens and the cards of remote agents are signed so.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What a protected header says, as far as it matters here.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) alg: String,
    pub(crate) kid: Option<String>,
    /// Where the key set is.
    pub(crate) jku: Option<String>,
    /// Extensions that whoever checks the signature must know.
    pub(crate) crit: Option<Value>,
}

/// Whether a key may have made such a signature. The algorithm says which kind of key it is; the key never says it.
pub(crate) fn fits(key: &Value, header: &Header) -> bool {
    let kind = match header.alg.as_str() {
        "RS256" => ("RSA", Value::Null),
        "ES256" => ("EC", "P-256".into()),
        "EdDSA" => ("OKP", "Ed25519".into()),
        _ => return false,
    };
    let is_kind = key["kty"] == kind.0 && (kind.1.is_null() || key["crv"] == kind.1);
    let is_for_signing = key["use"].is_null() || key["use"] == "sig";
    let is_named = header.kid.as_deref().is_none_or(|kid| key["kid"] == kid);
    is_kind && is_for_signing && is_named
}

/// Whether a key has signed these bytes; none if it is not a key for this algorithm.
pub(crate) fn is_signed(algorithm: &str, key: &Value, signed: &[u8], signature: &[u8]) -> Option<bool> {
    let part = |name: &str| part(key, name);
    let verified = match algorithm {
        "RS256" => {
            let key = RsaPublicKeyComponents { n: part("n")?, e: part("e")? };
            key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
        }
        "ES256" => {
            let point = [vec![4], part("x")?, part("y")?].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
        }
        "EdDSA" => UnparsedPublicKey::new(&ED25519, part("x")?).verify(signed, signature),
        _ => return None,
    };
    Some(verified.is_ok())
}

/// A key's thumbprint (RFC 7638, SHA-256); none if it is of another kind than the three above.
pub(crate) fn thumbprint(key: &Value) -> Option<String> {
    // Encoded here, so that a key has one thumbprint however its set writes it.
    let part = |name: &str| part(key, name).map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
    // The members and their order are RFC 7638's.
    let members = match key["kty"].as_str()? {
        "OKP" => return Some(ed25519_thumbprint(&part("x")?)),
        "EC" => format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, part("x")?, part("y")?),
        "RSA" => format!(r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#, part("e")?, part("n")?),
        _ => return None,
    };
    Some(URL_SAFE_NO_PAD.encode(Sha256::digest(members)))
}

/// The thumbprint of an Ed25519 key, by its bytes in base64url.
pub(crate) fn ed25519_thumbprint(x: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#)))
}

fn part(key: &Value, name: &str) -> Option<Vec<u8>> {
    decode(key[name].as_str()?)
}

pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// A part that is JSON in base64url.
pub(crate) fn json<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&decode(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_thumbprint_is_the_one_of_the_standards() {
        // RFC 7638, section 3.1.
        let rsa = json!({"kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29", "n": concat!(
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4",
            "n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0z",
            "gdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csF",
            "Cur-kEgU8awapJzKnqDKgw")});
        assert_eq!(thumbprint(&rsa).unwrap(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
        // RFC 8037, appendix A.3.
        let okp = json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
        assert_eq!(thumbprint(&okp).unwrap(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(thumbprint(&json!({"kty": "oct", "k": "AA"})), None);
    }
}
