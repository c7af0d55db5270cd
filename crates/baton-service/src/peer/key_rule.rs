//! Which key has to have signed a remote agent's card: the pinned one, or on first use whichever did.

use baton_core::Refusal;

use super::PeerError;

/// The rule for a card that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRule<'a> {
    /// This key, by its thumbprint.
    Pinned(&'a str),
    /// The agent is new: its card may be unsigned, but a signature on it must be one that can be checked.
    FirstUse,
    /// No key is pinned: the card was unsigned so far. The first key that signs it is pinned.
    Unsigned,
}

impl KeyRule<'_> {
    /// The key to pin from now on, given those that signed the card.
    pub(super) fn choose(self, signers: Result<Vec<String>, PeerError>) -> Result<Option<String>, PeerError> {
        match self {
            Self::Pinned(pinned) => {
                let mut signers = signers?;
                if signers.iter().any(|key| key == pinned) {
                    return Ok(Some(pinned.to_owned()));
                }
                let pinned = pinned.to_owned();
                Err(PeerError::Refused(match signers.pop() {
                    Some(found) => Refusal::RemoteCardKeyChanged { pinned, found },
                    None => Refusal::RemoteCardUnsigned { pinned },
                }))
            }
            Self::FirstUse => Ok(signers?.into_iter().next()),
            // The same card without its signatures is accepted, so one that cannot be checked is no reason to refuse it.
            Self::Unsigned => Ok(signers.ok().and_then(|signers| signers.into_iter().next())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Result<Vec<String>, PeerError> {
        Ok(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn broken() -> Result<Vec<String>, PeerError> {
        Err(PeerError::Refused(Refusal::RemoteCardSignatureBroken { why: "it does not match the card" }))
    }

    /// The key that is pinned then, or the code of the error.
    fn chosen(rule: KeyRule<'_>, signers: Result<Vec<String>, PeerError>) -> Result<Option<String>, String> {
        rule.choose(signers).map_err(|error| match error {
            PeerError::Refused(refusal) => refusal.code().into_owned(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn each_rule_accepts_and_refuses_as_the_table_says() {
        let (pinned, first, unsigned) = (KeyRule::Pinned("a"), KeyRule::FirstUse, KeyRule::Unsigned);
        let key = |name: &str| Ok(Some(name.to_owned()));
        let error = |code: &str| Err(code.to_owned());
        for (rule, signers, expected) in [
            (pinned, keys(&["a"]), key("a")),
            (pinned, keys(&["b", "a"]), key("a")),
            (pinned, keys(&["b"]), error("remote_card_key_changed")),
            (pinned, keys(&[]), error("remote_card_unsigned")),
            (pinned, broken(), error("remote_card_signature_broken")),
            (first, keys(&["b"]), key("b")),
            (first, keys(&[]), Ok(None)),
            (first, broken(), error("remote_card_signature_broken")),
            (unsigned, keys(&["b"]), key("b")),
            (unsigned, keys(&[]), Ok(None)),
            (unsigned, broken(), Ok(None)),
        ] {
            assert_eq!(chosen(rule, signers.clone()), expected, "{rule:?} {signers:?}");
        }
    }
}
