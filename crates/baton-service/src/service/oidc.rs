//! Signing in with an OpenID Connect issuer: authorization code with PKCE, state and nonce. Who comes back is known by issuer and
//! subject and by nothing else: an address or a name at the issuer never leads to an account that is there already.

mod id_token;
mod provider;
pub mod sign_in;
