//! Attempts that are limited: failed logins and tries of invite codes. Rows, so that neither a restart nor a second hub
//! forgets them. What follows from them is decided elsewhere; here they are only kept, so many and no more.

use baton_core::UnixMillis;

use crate::error::Error;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptKind {
    /// Failed logins from an address.
    Address,
    /// Failed logins with a username from an address.
    Username,
    /// Joins by a token.
    Join,
    /// Registrations of OAuth clients from an address.
    OauthClient,
    /// Failed sign-ins at the issuer from an address.
    OidcSignIn,
    /// Refreshes of an OAuth client's grant.
    OauthRefresh,
}

impl AttemptKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Address, Self::Username, Self::Join, Self::OauthClient, Self::OidcSignIn, Self::OauthRefresh];

    /// Its number in the row.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Address => 0,
            Self::Username => 1,
            Self::Join => 2,
            Self::OauthClient => 3,
            Self::OidcSignIn => 4,
            Self::OauthRefresh => 5,
        }
    }
}

/// A hash of who or what makes the attempts.
pub type AttemptKey = [u8; 32];

/// The attempts of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptsRow {
    /// How many in a row.
    pub count: u32,
    /// When the newest of them were, oldest first.
    pub times: Vec<UnixMillis>,
    /// From then on they no longer matter.
    pub forgotten_at: UnixMillis,
}

/// Reads of attempts.
pub trait AttemptReads {
    /// The attempts of a key.
    fn attempts(&self, kind: AttemptKind, key: &AttemptKey) -> Result<Option<AttemptsRow>, Error>;
}

/// Writes of attempts.
pub trait AttemptWrites {
    /// Writes the attempts of a key. At most `keep` keys of a kind have rows: for a new one, those go that would be
    /// forgotten first.
    fn put_attempts(
        &mut self,
        kind: AttemptKind,
        key: &AttemptKey,
        row: &AttemptsRow,
        keep: usize,
    ) -> Result<(), Error>;
    /// Forgets the attempts of a key.
    fn delete_attempts(&mut self, kind: AttemptKind, key: &AttemptKey) -> Result<(), Error>;
    /// Forgets attempts that no longer matter at this time; so many rows at once. Answers how many.
    fn forget_attempts(&mut self, now: UnixMillis, limit: usize) -> Result<usize, Error>;
}
