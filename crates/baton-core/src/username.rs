//! A username: the name a user has on the hub, and their rules in the contract's order.
//! `parse` reads names that are stored or addressed, `parse_new` one that is being registered.
//! Whether somebody else has it already the store knows; reserved names are taken from the start.

use crate::alias;
use crate::limits::{USERNAME_MAX_CHARS, USERNAME_MIN_CHARS};
use crate::name_rule;
use crate::refusal::Refusal;
use crate::wire::wire_text;

wire_text!(
    /// The name a user has on the hub.
    Username
);

impl Username {
    /// Takes 2–50 ASCII letters, digits, `_`, `-` and CJK characters.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if text.chars().nth(USERNAME_MIN_CHARS - 1).is_none() {
            return Err(Refusal::UsernameTooShort);
        }
        if text.chars().nth(USERNAME_MAX_CHARS).is_some() {
            return Err(Refusal::UsernameTooLong);
        }
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || is_cjk(c)) {
            return Err(Refusal::UsernameHasInvalidCharacters);
        }
        if alias::is_reserved(text) {
            return Err(Refusal::UsernameTaken);
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads the username of a new account: `parse`, and the rules for new names.
    pub fn parse_new(text: &str) -> Result<Self, Refusal> {
        let username = Self::parse(text);
        // A name that breaks a rule is refused for that, whether or not it is also taken.
        if matches!(username, Ok(_) | Err(Refusal::UsernameTaken))
            && name_rule::broken_by_name(text).is_some()
        {
            return Err(Refusal::UsernameHasInvalidCharacters);
        }
        if alias::looks_reserved(text) && username.is_ok() {
            return Err(Refusal::UsernameTaken);
        }
        username
    }
}

/// Han, kana and hangul in composed form, so that a username is NFC by construction.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}'         // 々 〆 〇
        | '\u{3041}'..='\u{3096}'       // hiragana
        | '\u{30a1}'..='\u{30fa}'       // katakana
        | '\u{30fc}'                    // ー
        | '\u{3400}'..='\u{4dbf}'       // Han, extension A
        | '\u{4e00}'..='\u{9fff}'       // Han
        | '\u{ac00}'..='\u{d7a3}'       // hangul
        | '\u{20000}'..='\u{2ebe0}'     // Han, extensions B to F
        | '\u{30000}'..='\u{323af}'     // Han, extensions G and H
    )
}
