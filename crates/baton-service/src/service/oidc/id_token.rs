//! An ID token: its signature by one of the issuer's keys (`jws.rs`), and what it says.

use serde::Deserialize;
use serde_json::Value;

use crate::jws::{Header, decode, fits, is_signed, json};

/// Who signed in, as the issuer says.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) sub: String,
    aud: OneOrMany,
    pub(super) azp: Option<String>,
    pub(super) exp: i64,
    pub(super) nonce: Option<String>,
    #[serde(flatten)]
    pub(super) person: Person,
}

/// The claims about a user, in the ID token or beside it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Person {
    pub(super) preferred_username: Option<String>,
    pub(super) email: Option<String>,
    pub(super) name: Option<String>,
    groups: Option<OneOrMany>,
}

/// What the issuer says of a user beside the ID token.
#[derive(Debug, Deserialize)]
pub(super) struct Userinfo {
    pub(super) sub: String,
    #[serde(flatten)]
    pub(super) person: Person,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn all(&self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::Many(many) => many.clone(),
        }
    }
}

impl Claims {
    pub(super) fn audiences(&self) -> Vec<String> {
        self.aud.all()
    }
}

impl Person {
    pub(super) fn groups(&self) -> Vec<String> {
        self.groups.as_ref().map(OneOrMany::all).unwrap_or_default()
    }

    /// What stands here, and for the rest what stands there.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            preferred_username: self.preferred_username.or(other.preferred_username),
            email: self.email.or(other.email),
            name: self.name.or(other.name),
            groups: self.groups.or(other.groups),
        }
    }
}

/// Why a token says nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The issuer may have a key by now that it did not have.
    NoKey,
    /// None of the keys made the signature; the issuer may have another by now under the same name.
    NoMatch,
    Broken(&'static str),
}

/// Reads a token that one of these keys signed.
pub(super) fn read(token: &str, keys: &[Value]) -> Result<Claims, Unread> {
    let (signed, signature) = token.rsplit_once('.').ok_or(Unread::Broken("it has not three parts"))?;
    let (header, payload) = signed.split_once('.').ok_or(Unread::Broken("it has not three parts"))?;
    let header: Header = json(header).ok_or(Unread::Broken("its header cannot be read"))?;
    if header.crit.is_some() {
        return Err(Unread::Broken(
            "its header names extensions that a reader must know, and the hub knows none",
        ));
    }
    let signature = decode(signature).ok_or(Unread::Broken("its signature cannot be read"))?;
    let mut fitting = keys.iter().filter(|key| fits(key, &header)).peekable();
    if fitting.peek().is_none() {
        return Err(Unread::NoKey);
    }
    if !fitting.any(|key| is_signed(&header.alg, key, signed.as_bytes(), &signature).unwrap_or(false)) {
        return Err(Unread::NoMatch);
    }
    json(payload).ok_or(Unread::Broken("its claims cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ed25519_dalek::{Signer, SigningKey};
    use serde_json::json;

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    fn jwk() -> Value {
        let x = URL_SAFE_NO_PAD.encode(key().verifying_key().as_bytes());
        json!({"kty": "OKP", "crv": "Ed25519", "kid": "one", "use": "sig", "x": x})
    }

    fn token(header: &Value) -> String {
        let claims = json!({"iss": "i", "sub": "s", "aud": "hub", "exp": 1, "groups": ["a", "b"]});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(&claims));
        let signature = key().sign(signed.as_bytes()).to_bytes();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn a_token_is_read_if_a_key_of_the_issuer_signed_it() {
        let claims = read(&token(&json!({"alg": "EdDSA", "kid": "one"})), &[jwk()]).unwrap();
        assert_eq!(
            (claims.audiences(), claims.person.groups()),
            (vec!["hub".into()], vec!["a".into(), "b".into()])
        );
        assert!(
            read(&token(&json!({"alg": "EdDSA"})), &[jwk()]).is_ok(),
            "without a key's id any key is tried"
        );
    }

    #[test]
    fn no_signature_another_algorithm_and_another_key_are_refused() {
        let error = |token: &str, keys: &[Value]| read(token, keys).unwrap_err();
        let right = token(&json!({"alg": "EdDSA", "kid": "one"}));
        assert_eq!(error(&token(&json!({"alg": "EdDSA", "kid": "two"})), &[jwk()]), Unread::NoKey);
        for algorithm in ["none", "HS256", "RS256", "ES256", "eddsa"] {
            assert_eq!(error(&token(&json!({"alg": algorithm, "kid": "one"})), &[jwk()]), Unread::NoKey);
        }
        let mut other = jwk();
        other["x"] =
            URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&[8; 32]).verifying_key().as_bytes()).into();
        assert_eq!(error(&right, &[other]), Unread::NoMatch);
        let (signed, _) = right.rsplit_once('.').unwrap();
        assert_eq!(error(&format!("{signed}."), &[jwk()]), Unread::NoMatch);
        for critical in [json!(["b64"]), json!([])] {
            let header = json!({"alg": "EdDSA", "kid": "one", "crit": critical});
            assert!(
                matches!(error(&token(&header), &[jwk()]), Unread::Broken(why) if why.contains("extensions"))
            );
        }
        let mut encryption = jwk();
        encryption["use"] = "enc".into();
        assert_eq!(error(&right, &[encryption]), Unread::NoKey);
        assert_eq!(error("a.b", &[jwk()]), Unread::Broken("it has not three parts"));
        assert_eq!(error("a.b.c", &[jwk()]), Unread::Broken("its header cannot be read"));
    }
}
