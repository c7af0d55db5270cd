//! Cards and their signatures, as a table: what is done to a card that is signed well, and what is found then.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;

use super::*;

const PLACE: &str = "https://agents.example/scout/.well-known/agent-card.json";

/// A card, the key set it is checked with, and the key that signs.
struct Case {
    card: Value,
    header: Value,
    key: ed25519_dalek::SigningKey,
    key_set: Value,
}

fn key(n: u8) -> ed25519_dalek::SigningKey {
    ed25519_dalek::SigningKey::from_bytes(&[n; 32])
}

fn jwk(n: u8, kid: &str) -> Value {
    let x = BASE64.encode(key(n).verifying_key().as_bytes());
    json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "use": "sig", "x": x})
}

fn case() -> Case {
    Case {
        card: json!({"name": "Scout", "description": "", "skills": [], "extra": {"size": 1.5}}),
        header: json!({"alg": "EdDSA", "kid": "one", "typ": "JOSE"}),
        key: key(1),
        key_set: json!({"keys": [jwk(2, "two"), jwk(1, "one")]}),
    }
}

impl Case {
    /// The card with a signature over it as it stands.
    fn sign(&self) -> Value {
        use ed25519_dalek::Signer as _;
        let protected = BASE64.encode(self.header.to_string());
        let payload = BASE64.encode(canonical_card(self.card.clone()).unwrap());
        let signature = self.key.sign(format!("{protected}.{payload}").as_bytes());
        let mut card = self.card.clone();
        card["signatures"] =
            json!([{"protected": protected, "signature": BASE64.encode(signature.to_bytes())}]);
        card
    }

    fn with_header(header: Value) -> Self {
        Self { header, ..case() }
    }
}

/// The key that signed, or why none did; an unsigned card has neither.
fn signer(card: Value, key_set: &str) -> Result<Option<String>, &'static str> {
    let why = |refusal| match refusal {
        Refusal::RemoteCardSignatureBroken { why } => why,
        other => panic!("{other:?}"),
    };
    let Some(card) = SignedCard::read(card).map_err(why)? else { return Ok(None) };
    let signature = card.signature(&card.signatures[0], &Url::parse(PLACE).unwrap()).map_err(why)?;
    signature.signer(key_set.as_bytes()).map(Some).map_err(why)
}

fn outcome(case: &Case) -> Result<Option<String>, &'static str> {
    signer(case.sign(), &case.key_set.to_string())
}

#[test]
fn a_card_that_a_key_of_the_set_signed_has_that_keys_thumbprint() {
    let one = jws::thumbprint(&jwk(1, "one"));
    assert!(one.is_some());
    assert_eq!(outcome(&case()).unwrap(), one);
    // What is empty is not signed, so a card that leaves it out is the same card.
    let mut lean = case().sign();
    lean.as_object_mut().unwrap().remove("description");
    assert_eq!(signer(lean, &case().key_set.to_string()).unwrap(), one);
    assert_eq!(
        outcome(&Case::with_header(json!({"alg": "EdDSA"}))).unwrap(),
        one,
        "without `kid` any is tried"
    );
    let named = json!({"alg": "EdDSA", "kid": "one", "jku": "https://agents.example:443/keys?of=scout"});
    assert_eq!(outcome(&Case::with_header(named)).unwrap(), one);
}

#[test]
fn a_card_signed_by_es256_has_its_keys_thumbprint() {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let jwk = json!({"kty": "EC", "crv": "P-256", "x": BASE64.encode(x), "y": BASE64.encode(y)});
    let protected = BASE64.encode(r#"{"alg":"ES256"}"#);
    let mut card = case().card;
    let payload = BASE64.encode(canonical_card(card.clone()).unwrap());
    let signature = pair.sign(&random, format!("{protected}.{payload}").as_bytes()).unwrap();
    card["signatures"] = json!([{"protected": protected, "signature": BASE64.encode(signature)}]);
    let key_set = json!({"keys": [jwk]}).to_string();
    assert_eq!(signer(card.clone(), &key_set).unwrap(), jws::thumbprint(&jwk));
    card["name"] = "Other".into();
    assert_eq!(signer(card, &key_set), Err("it does not match the card"));
}

#[test]
fn a_card_without_signatures_is_unsigned_and_not_broken() {
    for signatures in [Value::Null, json!([])] {
        let mut card = case().card;
        card["signatures"] = signatures;
        assert_eq!(signer(card, ""), Ok(None));
    }
    assert_eq!(signer(case().card, ""), Ok(None));
}

#[test]
fn a_card_that_was_changed_or_signed_by_another_key_does_not_match() {
    let no_match = Err("it does not match the card");
    let mut tampered = case().sign();
    tampered["name"] = "Other".into();
    assert_eq!(signer(tampered, &case().key_set.to_string()), no_match);
    assert_eq!(outcome(&Case { key: key(2), ..case() }), no_match);
    let mut cut = case().sign();
    cut["signatures"][0]["signature"] = "".into();
    assert_eq!(signer(cut, &case().key_set.to_string()), no_match);
}

#[test]
fn a_signature_that_cannot_be_checked_says_why() {
    let no_key = "the key set has no key for its `alg` (EdDSA, ES256 or RS256) and `kid`";
    let foreign = "`jku` is not of the card's own origin";
    for (header, why) in [
        (json!({"alg": "EdDSA", "kid": "three"}), no_key),
        (json!({"alg": "ES256", "kid": "one"}), no_key),
        (json!({"alg": "none", "kid": "one"}), no_key),
        (json!({"alg": "HS256", "kid": "one"}), no_key),
        (json!({"alg": "EdDSA", "jku": "https://elsewhere.example/keys"}), foreign),
        (json!({"alg": "EdDSA", "jku": "http://agents.example/keys"}), foreign),
        (json!({"alg": "EdDSA", "jku": "https://agents.example:8443/keys"}), foreign),
        (json!({"alg": "EdDSA", "jku": "data:application/json,{}"}), foreign),
        (json!({"alg": "EdDSA", "jku": "keys"}), "`jku` is not a URL"),
        (
            json!({"alg": "EdDSA", "crit": ["b64"]}),
            "the protected header has `crit`, and the hub knows no extension",
        ),
        (json!({"kid": "one"}), "the protected header cannot be read"),
    ] {
        assert_eq!(outcome(&Case::with_header(header.clone())), Err(why), "{header}");
    }
}

#[test]
fn what_is_not_base64_or_too_large_is_refused() {
    let key_set = case().key_set.to_string();
    let broken = |part: &str, text: &str| {
        let mut card = case().sign();
        card["signatures"][0][part] = text.into();
        signer(card, &key_set)
    };
    assert_eq!(broken("signature", "a+/="), Err("it is not base64url"));
    assert_eq!(broken("protected", "%"), Err("the protected header cannot be read"));
    let card = case().sign();
    let many = json!({"keys": vec![jwk(1, "one"); limits::REMOTE_KEY_SET_MAX_COUNT + 1]}).to_string();
    assert_eq!(signer(card.clone(), &many), Err("the key set has too many keys"));
    let large = format!("{key_set}{}", " ".repeat(limits::REMOTE_KEY_SET_MAX_BYTES));
    assert_eq!(signer(card.clone(), &large), Err("the key set is too large"));
    assert_eq!(signer(card.clone(), "[]"), Err("the key set cannot be read"));
    let mut crowded = card;
    let one = crowded["signatures"][0].clone();
    crowded["signatures"] = vec![one; limits::REMOTE_CARD_SIGNATURES_MAX_COUNT + 1].into();
    assert_eq!(signer(crowded, &key_set), Err("the card has too many signatures"));
    let mut list = case().card;
    list["signatures"] = "x".into();
    assert_eq!(signer(list, &key_set), Err("`signatures` is not a list of signatures"));
}
