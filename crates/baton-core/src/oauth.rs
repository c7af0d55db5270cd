//! The rules of the authorization server that follow from their facts alone: where a user may be sent back to, PKCE's texts,
//! what a presented code or refresh token leads to. Hashes are compared elsewhere and handed in as yes or no.

mod exchange;
mod pkce;
mod redirect;

pub use exchange::{CodeFacts, Exchange, ExchangeError, RefreshFacts};
pub use pkce::{CHALLENGE_METHOD, CodeChallenge, CodeVerifier};
pub use redirect::{RedirectUri, is_registered};
