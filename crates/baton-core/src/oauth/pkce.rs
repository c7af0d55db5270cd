//! PKCE (RFC 7636), with the one method that shows nothing: S256. Whether a verifier fits is a hash, compared elsewhere.

use crate::limits::{PKCE_VERIFIER_MAX_CHARS, PKCE_VERIFIER_MIN_CHARS};

/// The one method.
pub const CHALLENGE_METHOD: &str = "S256";

/// Characters of a SHA-256 hash in base64url without padding.
const CHALLENGE_CHARS: usize = 43; // not a limit: a form

/// What a client sends first: the hash of its verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChallenge(String);

/// What a client shows last.
#[derive(Clone, PartialEq, Eq)]
pub struct CodeVerifier(String);

impl CodeChallenge {
    /// Reads the two parameters of an authorization request, or says what is wrong with which.
    pub fn parse(
        challenge: Option<&str>,
        method: Option<&str>,
    ) -> Result<Self, (&'static str, &'static str)> {
        let challenge = challenge.ok_or(("code_challenge", "is missing: the hub requires PKCE with S256"))?;
        // Without a method RFC 7636 has `plain`.
        if method != Some(CHALLENGE_METHOD) {
            return Err(("code_challenge_method", "must be S256"));
        }
        let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if challenge.len() != CHALLENGE_CHARS || !challenge.bytes().all(is_base64url) {
            return Err((
                "code_challenge",
                "must be a SHA-256 hash in base64url without padding, 43 characters",
            ));
        }
        Ok(Self(challenge.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl CodeVerifier {
    /// Reads the parameter of a token request; none if it cannot be a verifier.
    pub fn parse(text: &str) -> Option<Self> {
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_long_enough = (PKCE_VERIFIER_MIN_CHARS..=PKCE_VERIFIER_MAX_CHARS).contains(&text.len());
        (is_long_enough && text.bytes().all(is_unreserved)).then(|| Self(text.to_owned()))
    }

    /// The text, to be hashed.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for CodeVerifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_a_hash_by_s256_and_nothing_else() {
        let hash = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        for (challenge, method, field) in [
            (Some(hash), Some("S256"), None),
            (None, Some("S256"), Some("code_challenge")),
            (None, None, Some("code_challenge")),
            (Some(hash), None, Some("code_challenge_method")),
            (Some(hash), Some("plain"), Some("code_challenge_method")),
            (Some(hash), Some("s256"), Some("code_challenge_method")),
            (Some("short"), Some("S256"), Some("code_challenge")),
            (Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="), Some("S256"), Some("code_challenge")),
            (Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"), Some("S256"), Some("code_challenge")),
        ] {
            let refused = CodeChallenge::parse(challenge, method).err().map(|(field, _)| field);
            assert_eq!(refused, field, "{challenge:?} {method:?}");
        }
    }

    #[test]
    fn a_verifier_has_43_to_128_unreserved_characters_and_prints_redacted() {
        for (text, is_one) in [
            ("a".repeat(42), false),
            ("a".repeat(43), true),
            ("-._~".repeat(32), true),
            ("a".repeat(129), false),
            (format!("{} ", "a".repeat(43)), false),
            (format!("{}é", "a".repeat(43)), false),
        ] {
            assert_eq!(CodeVerifier::parse(&text).is_some(), is_one, "{text}");
        }
        assert_eq!(format!("{:?}", CodeVerifier::parse(&"a".repeat(43))), "Some(…)");
    }
}
