//! What an invite is called where its code must not be: the beginning of its code's hash, which opens nothing.
//! Codes begin with `inv_`; this does not, so that nobody takes one for the other.

use baton_core::hex;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

const PREFIX: &str = "invite_";

/// An invite's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct InviteId(String);

impl InviteId {
    pub(super) fn of(code_hash: &[u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", hex::encode(&code_hash[..8])))
    }

    /// The bytes it names; none if it is not such an id.
    pub(super) fn parse(text: &str) -> Option<(Self, [u8; 8])> {
        let digits = text.strip_prefix(PREFIX).filter(|digits| digits.len() == 16)?;
        let number = u64::from_str_radix(digits, 16).ok()?;
        let id = Self(text.to_owned());
        // Capital digits and signs are no form that was given out.
        (hex::encode(&number.to_be_bytes()) == digits).then(|| (id, number.to_be_bytes()))
    }
}

impl fmt::Display for InviteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_nothing_else_does() {
        let hash: [u8; 32] = std::array::from_fn(|i| i as u8);
        let id = InviteId::of(&hash);
        assert_eq!(id.to_string(), "invite_0001020304050607");
        assert_eq!(InviteId::parse(&id.to_string()).unwrap().1, hash[..8]);
        for text in [
            "",
            "invite_",
            "invite_00",
            "invite_+001020304050607",
            "invite_000102030405060A",
            "0001020304050607",
        ] {
            assert_eq!(InviteId::parse(text), None, "{text}");
        }
    }
}
