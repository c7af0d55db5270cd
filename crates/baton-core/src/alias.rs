//! An alias: the name an agent has in a network.
//! Callers hand in NFC text; here only characters, length and reserved names are judged. `parse` reads aliases that are
//! stored or addressed; `parse_new` also applies the rules for new names, so that older names keep working.
//! Whether somebody else has the name already is in `binding.rs`.

use crate::limits::ALIAS_MAX_CHARS;
use crate::look_alike::NameSkeletons;
use crate::name_rule;
use crate::refusal::Refusal;
use crate::wire::wire_text;

/// Names that paths and the hub itself use, in any case of letters.
const RESERVED: [&str; 4] = ["hub", "me", "network", "api"];

wire_text!(
    /// The name an agent has in its network.
    Alias
);

impl Alias {
    /// Accepts 1–200 letters, digits, `_`, `.` and `-`; reserved names are refused.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let fits = |c: char| c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '_' | '.' | '-');
        if text.is_empty() || text.chars().nth(ALIAS_MAX_CHARS).is_some() {
            return Err(Refusal::invalid("alias", format!("must be 1 to {ALIAS_MAX_CHARS} characters")));
        }
        if !text.chars().all(fits) {
            return Err(Refusal::invalid("alias", "may hold only letters, digits, '_', '.' and '-'"));
        }
        if is_reserved(text) {
            return Err(Refusal::invalid("alias", "is a reserved name"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads an alias that is about to be created: `parse`, and the rules for new names.
    pub fn parse_new(text: &str) -> Result<Self, Refusal> {
        let alias = Self::parse(text)?;
        let broken = name_rule::broken_by_name(text);
        let broken = broken.or_else(|| looks_reserved(text).then_some("looks like a reserved name"));
        broken.map_or(Ok(alias), |rule| Err(Refusal::invalid("alias", rule)))
    }
}

/// Whether the hub keeps this name for itself.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
}

/// Whether the name looks like one the hub keeps for itself.
pub(crate) fn looks_reserved(name: &str) -> bool {
    let looks = NameSkeletons::of(name);
    RESERVED.iter().any(|reserved| looks.resemble(&NameSkeletons::of(reserved)))
}
