//! Rules for every new name, in addition to those of its kind: it starts with a letter, digit or `_`, every character
//! is visible, and its scripts are mixed no further than Unicode TR39's "highly restrictive" level allows. Any single
//! script is welcome, and Latin beside Chinese, Japanese or Korean. Names that exist already are not judged again.

use unicode_security::general_security_profile::IdentifierType;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{GeneralSecurityProfile, skeleton};

use crate::refusal::Refusal;

/// The rule that a new alias or username breaks, if it breaks one.
pub(crate) fn broken_by_name(text: &str) -> Option<&'static str> {
    broken_by_any(text).or_else(|| {
        text.chars()
            .any(is_compatibility_form)
            .then_some("must not contain full-width or other compatibility forms")
    })
}

/// Checks the name of a new or renamed network: free text, to which the same rules apply where they can.
pub fn check_network_name(field: &'static str, text: &str) -> Result<(), Refusal> {
    let broken = broken_by_any(text)
        .or_else(|| text.chars().any(char::is_control).then_some("must not contain control characters"));
    broken.map_or(Ok(()), |rule| Err(Refusal::invalid(field, rule)))
}

fn broken_by_any(text: &str) -> Option<&'static str> {
    if text.starts_with(['.', '-']) {
        return Some("must not start with '.' or '-'");
    }
    if text.chars().any(is_ignorable) {
        return Some("must not contain invisible characters");
    }
    if !is_highly_restrictive(text) {
        return Some("must not mix scripts, except Latin with Chinese, Japanese or Korean");
    }
    None
}

/// Whether a character has the property Default_Ignorable_Code_Point: TR39 leaves it out of every skeleton.
fn is_ignorable(c: char) -> bool {
    skeleton(c.encode_utf8(&mut [0; 4])).next().is_none()
}

/// Whether a character is another spelling of a plain one, such as a full-width letter or a ligature.
fn is_compatibility_form(c: char) -> bool {
    matches!(c.identifier_type(), Some(IdentifierType::Not_NFKC | IdentifierType::Deprecated))
}

/// TR39, section 5.2, without its profile of recommended characters: rarer scripts are welcome too.
fn is_highly_restrictive(text: &str) -> bool {
    let (latin, mut all, mut beside_latin) =
        (AugmentedScriptSet::for_char('a'), AugmentedScriptSet::default(), AugmentedScriptSet::default());
    for set in text.chars().map(AugmentedScriptSet::for_char) {
        all.intersect_with(set);
        let mut shared = set;
        shared.intersect_with(latin);
        if shared.base.is_empty() {
            beside_latin.intersect_with(set);
        }
    }
    !all.is_empty() || beside_latin.hanb || beside_latin.jpan || beside_latin.kore
}
