//! What a presented code or refresh token leads to. Whoever presents either a second time may have stolen it, or whoever came
//! first may: both lose what it gave (RFC 9700, sections 2.1.1 and 4.14.2).

/// What is known of a code that was presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a question of its own
pub struct CodeFacts {
    /// It was redeemed before.
    pub is_redeemed: bool,
    /// Its time is over.
    pub is_expired: bool,
    /// It was issued to the client that presents it.
    pub is_of_client: bool,
    /// It was sent where the client says it received it.
    pub is_of_redirect: bool,
    /// The verifier's hash is the challenge.
    pub is_verified: bool,
}

/// What is known of a refresh token that was presented, whose family exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshFacts {
    /// It is the newest of its family.
    pub is_newest: bool,
    /// It was not used for too long.
    pub is_expired: bool,
    /// Its grant is for the client that presents it.
    pub is_of_client: bool,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// New tokens are issued.
    Issue,
    /// Nothing is issued, and nothing changes.
    Refuse(ExchangeError),
    /// Nothing is issued, and the grant that it gave ends.
    Revoke(ExchangeError),
}

/// Why nothing was issued. The client learns one code for all of them, `invalid_grant`, and this as its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeError {
    /// The code or the refresh token was used before.
    Reused,
    /// Its time is over.
    Expired,
    /// It belongs to another client.
    OtherClient,
    /// The redirect URI is not the one of the authorization request.
    OtherRedirect,
    /// The verifier does not fit the challenge.
    WrongVerifier,
}

impl ExchangeError {
    /// In words.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Reused => "it was used before, so everything it gave is revoked; ask the user again",
            Self::Expired => "it has expired; ask the user again",
            Self::OtherClient => "it was issued to another client",
            Self::OtherRedirect => "redirect_uri is not the one of the authorization request",
            Self::WrongVerifier => "code_verifier does not match the code_challenge",
        }
    }
}

impl CodeFacts {
    /// Decides.
    pub const fn decide(self) -> Exchange {
        match self {
            Self { is_redeemed: true, .. } => Exchange::Revoke(ExchangeError::Reused),
            Self { is_expired: true, .. } => Exchange::Refuse(ExchangeError::Expired),
            Self { is_of_client: false, .. } => Exchange::Refuse(ExchangeError::OtherClient),
            Self { is_of_redirect: false, .. } => Exchange::Refuse(ExchangeError::OtherRedirect),
            Self { is_verified: false, .. } => Exchange::Refuse(ExchangeError::WrongVerifier),
            _ => Exchange::Issue,
        }
    }
}

impl RefreshFacts {
    /// Decides. One that is not the newest shows knowledge of its family, so it was stolen or is replayed, whoever has it.
    pub const fn decide(self) -> Exchange {
        match self {
            Self { is_newest: false, .. } => Exchange::Revoke(ExchangeError::Reused),
            Self { is_of_client: false, .. } => Exchange::Refuse(ExchangeError::OtherClient),
            Self { is_expired: true, .. } => Exchange::Refuse(ExchangeError::Expired),
            _ => Exchange::Issue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_issued_for_once_to_its_client_with_its_verifier_in_its_time() {
        for bits in 0..32_u8 {
            let [redeemed, expired, client, redirect, verified] =
                std::array::from_fn(|n| bits & (1 << n) != 0);
            let facts = CodeFacts {
                is_redeemed: redeemed,
                is_expired: expired,
                is_of_client: client,
                is_of_redirect: redirect,
                is_verified: verified,
            };
            let expected = match (redeemed, expired, client, redirect, verified) {
                (true, ..) => Exchange::Revoke(ExchangeError::Reused),
                (_, true, ..) => Exchange::Refuse(ExchangeError::Expired),
                (.., false, _, _) => Exchange::Refuse(ExchangeError::OtherClient),
                (.., false, _) => Exchange::Refuse(ExchangeError::OtherRedirect),
                (.., false) => Exchange::Refuse(ExchangeError::WrongVerifier),
                _ => Exchange::Issue,
            };
            assert_eq!(facts.decide(), expected, "{facts:?}");
        }
    }

    #[test]
    fn only_the_newest_refresh_token_gives_new_ones_and_an_older_one_ends_the_family() {
        let decide = |is_newest, is_expired, is_of_client| {
            RefreshFacts { is_newest, is_expired, is_of_client }.decide()
        };
        assert_eq!(decide(true, false, true), Exchange::Issue);
        assert_eq!(decide(true, true, true), Exchange::Refuse(ExchangeError::Expired));
        assert_eq!(decide(true, false, false), Exchange::Refuse(ExchangeError::OtherClient));
        for (expired, client) in [(false, true), (true, true), (false, false), (true, false)] {
            assert_eq!(decide(false, expired, client), Exchange::Revoke(ExchangeError::Reused));
        }
    }
}
