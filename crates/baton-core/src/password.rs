//! What a new password must be. Hashing it lives elsewhere.
//! The list beside this file holds common passwords in lower case; shorter ones fall to the length rule.

use crate::limits::PASSWORD_MIN_CHARS;
use crate::refusal::Refusal;

const COMMON: &str = include_str!("password/common.txt");

/// Refuses a password that is short, or common in any case of letters.
pub fn check_password(password: &str) -> Result<(), Refusal> {
    if password.chars().nth(PASSWORD_MIN_CHARS - 1).is_none() {
        return Err(Refusal::PasswordTooShort);
    }
    let folded = password.to_lowercase();
    if COMMON.lines().any(|common| common == folded) {
        return Err(Refusal::PasswordTooCommon);
    }
    Ok(())
}
