//! Sign-in by an OpenID Connect issuer, as far as it follows from facts alone: whether an ID token counts, which role a user's
//! groups give, and which username is tried. Signatures are checked elsewhere.

use crate::limits::{OIDC_CLOCKS_DIFFER_MAX_SECONDS, USERNAME_MAX_CHARS};
use crate::role::SystemRole;
use crate::username::Username;

/// What an operator says a group of the issuer is on the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRole {
    /// The group, as the issuer names it.
    pub group: String,
    /// What its members are.
    pub role: SystemRole,
}

impl GroupRole {
    /// Reads `GROUP=ROLE`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let rule = "give GROUP=ROLE, such as staff=user; the roles are user and admin";
        // A group may have the sign in its name; a role has not.
        let (group, role) = text.rsplit_once('=').ok_or(rule)?;
        let role = SystemRole::parse(role).ok_or(rule)?;
        if group.is_empty() { Err(rule) } else { Ok(Self { group: group.to_owned(), role }) }
    }
}

/// What a user with these groups is on the hub: the highest role that one of them gives. None if they may not sign in, which
/// cannot be where no group is named.
pub fn role_of(named: &[GroupRole], groups: &[String]) -> Option<SystemRole> {
    if named.is_empty() {
        return Some(SystemRole::User);
    }
    let given = named.iter().filter(|named| groups.contains(&named.group)).map(|named| named.role);
    given.max_by_key(|role| *role == SystemRole::Admin)
}

/// What an ID token says that has to be right (OpenID Connect Core, section 3.1.3.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdTokenFacts<'a> {
    /// Who issued it.
    pub issuer: &'a str,
    /// For whom.
    pub audiences: &'a [String],
    /// Who may present it, if it says so.
    pub authorized_party: Option<&'a str>,
    /// When it ends, in seconds since 1970.
    pub expires_at: i64,
    /// What the hub put into the request.
    pub nonce: Option<&'a str>,
    /// Who signed in.
    pub subject: &'a str,
}

/// What the hub expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The configured issuer.
    pub issuer: &'a str,
    /// The hub's own id there.
    pub client_id: &'a str,
    /// What this sign-in began with.
    pub nonce: &'a str,
    /// Now, in seconds since 1970.
    pub now: i64,
}

impl IdTokenFacts<'_> {
    /// Says what is wrong with it.
    pub fn check(&self, expected: Expected<'_>) -> Result<(), &'static str> {
        let is_for_hub = self.audiences.iter().any(|audience| audience == expected.client_id);
        let is_of_hub = match self.authorized_party {
            Some(party) => party == expected.client_id,
            None => self.audiences.len() == 1,
        };
        if self.issuer != expected.issuer {
            Err("it is of another issuer")
        } else if !is_for_hub || !is_of_hub {
            Err("it is for another client")
        } else if self.expires_at.saturating_add(OIDC_CLOCKS_DIFFER_MAX_SECONDS) <= expected.now {
            Err("it has expired; are the clocks of the hub and the issuer right?")
        } else if self.nonce != Some(expected.nonce) {
            Err("it is not for this sign-in")
        } else if self.subject.is_empty() {
            Err("it names nobody")
        } else {
            Ok(())
        }
    }
}

/// Room for a hyphen and a number of six digits.
const NUMBER_MAX_CHARS: usize = 7; // not a limit: the length of a form

/// The username to try for somebody new: from the name they have at the issuer or from their address, or the address if the name has no two
/// letters that a username may have; with a number after it if one is given.
pub fn username(preferred: Option<&str>, email: Option<&str>, number: Option<u32>) -> Option<Username> {
    let plain = [preferred, email].into_iter().flatten().find_map(plain).unwrap_or_else(|| "user".to_owned());
    let name = number.map_or_else(|| plain.clone(), |number| format!("{plain}-{number}"));
    Username::parse_new(&name).ok()
}

/// What stands before the `@`, in characters that a username may have; none if it is too little for a name.
fn plain(text: &str) -> Option<String> {
    let local = text.split('@').next().unwrap_or_default();
    let plain: String = local
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() || matches!(char, '_' | '-') { char } else { '-' })
        .skip_while(|char| *char == '-')
        .take(USERNAME_MAX_CHARS - NUMBER_MAX_CHARS)
        .collect();
    (plain.chars().filter(char::is_ascii_alphanumeric).count() >= 2).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_and_its_role_are_read_and_the_highest_role_counts() {
        let named = ["staff=user", "ops=admin", "a=b=admin"].map(|text| GroupRole::parse(text).unwrap());
        let role = |groups: &[&str]| {
            role_of(&named, &groups.iter().map(|group| (*group).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(role(&["staff"]), Some(SystemRole::User));
        assert_eq!(role(&["staff", "ops"]), Some(SystemRole::Admin));
        assert_eq!(role(&["a=b"]), Some(SystemRole::Admin));
        assert_eq!(role(&["Staff", "others"]), None);
        assert_eq!(role(&[]), None);
        assert_eq!(role_of(&[], &[]), Some(SystemRole::User));
        for wrong in ["", "staff", "=user", "staff=", "staff=owner", "staff=Admin"] {
            assert!(GroupRole::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_id_token_counts_for_its_issuer_its_client_its_sign_in_and_its_time() {
        let expected = Expected { issuer: "https://issuer", client_id: "hub", nonce: "n", now: 1_000 };
        let audiences = ["hub".to_owned()];
        let right = IdTokenFacts {
            issuer: "https://issuer",
            audiences: &audiences,
            authorized_party: None,
            expires_at: 1_001,
            nonce: Some("n"),
            subject: "ada",
        };
        assert_eq!(right.check(expected), Ok(()));
        let two = ["hub".to_owned(), "other".to_owned()];
        let other = ["other".to_owned()];
        let late = 1_000 - OIDC_CLOCKS_DIFFER_MAX_SECONDS;
        for (wrong, is_right) in [
            (IdTokenFacts { issuer: "https://issuer/", ..right.clone() }, false),
            (IdTokenFacts { audiences: &other, ..right.clone() }, false),
            (IdTokenFacts { audiences: &[], ..right.clone() }, false),
            (IdTokenFacts { audiences: &two, ..right.clone() }, false),
            (IdTokenFacts { audiences: &two, authorized_party: Some("hub"), ..right.clone() }, true),
            (IdTokenFacts { authorized_party: Some("other"), ..right.clone() }, false),
            (IdTokenFacts { expires_at: late, ..right.clone() }, false),
            (IdTokenFacts { expires_at: late + 1, ..right.clone() }, true),
            (IdTokenFacts { nonce: Some("m"), ..right.clone() }, false),
            (IdTokenFacts { nonce: None, ..right.clone() }, false),
            (IdTokenFacts { subject: "", ..right.clone() }, false),
        ] {
            assert_eq!(wrong.check(expected).is_ok(), is_right, "{wrong:?}");
        }
    }

    #[test]
    fn a_username_comes_from_the_issuers_names_and_gets_a_number_if_it_is_taken() {
        let name =
            |preferred, email, tried| username(preferred, email, tried).map(|name| name.as_str().to_owned());
        assert_eq!(name(Some("ada"), None, None).as_deref(), Some("ada"));
        assert_eq!(name(Some("ada@example.org"), None, Some(2)).as_deref(), Some("ada-2"));
        assert_eq!(name(None, Some("grace.hopper@example.org"), None).as_deref(), Some("grace-hopper"));
        let local = name(Some("愛"), Some("grace@example.org"), None);
        assert_eq!(local.as_deref(), Some("grace"), "nothing of the name at the issuer can stay");
        assert_eq!(name(Some("é"), None, None).as_deref(), Some("user"));
        assert_eq!(name(None, None, Some(3)).as_deref(), Some("user-3"));
        let long = "x".repeat(100);
        assert!(name(Some(&long), None, Some(999_999)).is_some());
    }
}
