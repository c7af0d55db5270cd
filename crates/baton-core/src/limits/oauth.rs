//! Tokens that expire, and OAuth: how long what is given lasts, and how much of it there is.

use std::time::Duration;

/// Shortest life of a token that is made with one (ours).
pub const TOKEN_LIFE_MIN_SECONDS: u32 = 1;
/// Longest: ten years (ours).
pub const TOKEN_LIFE_MAX_SECONDS: u32 = 10 * 365 * 86_400;
/// A token that has less than this left is marked in lists, and tools warn about it (ours).
pub const TOKEN_EXPIRES_SOON_SECONDS: u32 = 7 * 86_400;
/// Life of an access token of an OAuth client (ours).
pub const OAUTH_ACCESS_SECONDS: u32 = 3_600;
/// Life of a refresh token that is not used; each use gives a new one (ours).
pub const OAUTH_REFRESH_SECONDS: u32 = 30 * 86_400;
/// Life of an authorization code (ours).
pub const OAUTH_CODE_SECONDS: u32 = 60;
/// How long a code is remembered after its end, to notice that it is presented twice (ours).
pub const OAUTH_CODE_KEPT_SECONDS: u32 = 3_600;
/// Codes of one user that are remembered (ours).
pub const OAUTH_CODES_PER_USER_COUNT: usize = 20;
/// Rows of OAuth that are removed at once (ours).
pub const OAUTH_REMOVED_AT_ONCE_COUNT: i64 = 100;
/// Registrations of OAuth clients a minute from one address (ours).
pub const OAUTH_REGISTRATIONS_PER_MINUTE: u32 = 10;
/// OAuth clients that registered (ours).
pub const OAUTH_CLIENTS_MAX_COUNT: usize = 10_000;
/// OAuth clients that registered and never got a grant (ours).
pub const OAUTH_CLIENTS_UNUSED_MAX_COUNT: usize = 1_000;
/// A client that got no grant for this long makes room for a new one (ours).
pub const OAUTH_CLIENT_UNUSED_MIN_SECONDS: u32 = 600;
/// And after this long it is removed in any case (ours).
pub const OAUTH_CLIENT_UNUSED_MAX_SECONDS: u32 = 86_400;
/// A client is removed this long after it last got a grant (ours).
pub const OAUTH_CLIENT_KEPT_SECONDS: u32 = 365 * 86_400;
/// Longest name of an OAuth client (ours).
pub const OAUTH_CLIENT_NAME_MAX_CHARS: usize = 100;
/// Most redirect URIs of an OAuth client (ours).
pub const OAUTH_REDIRECT_URIS_MAX_COUNT: usize = 10;
/// Longest URI of an OAuth client: redirect URI, client id, resource (ours).
pub const OAUTH_URI_MAX_BYTES: usize = 1_000;
/// Longest `state` of an authorization request (ours).
pub const OAUTH_STATE_MAX_BYTES: usize = 2_000;
/// Shortest verifier of PKCE (RFC 7636).
pub const PKCE_VERIFIER_MIN_CHARS: usize = 43;
/// Longest verifier of PKCE (RFC 7636).
pub const PKCE_VERIFIER_MAX_CHARS: usize = 128;
/// Longest client-id metadata document that is read (ours).
pub const OAUTH_CLIENT_DOCUMENT_MAX_BYTES: usize = 16 * 1024;
/// How long such a document is kept in memory (ours).
pub const OAUTH_CLIENT_DOCUMENT_KEPT: Duration = Duration::from_secs(600);
/// How long what an OpenID Connect issuer says of itself is taken for known (ours).
pub const OIDC_PROVIDER_KEPT: Duration = Duration::from_secs(600);
/// And how long at least, also if a key is missing in it (ours).
pub const OIDC_PROVIDER_KEPT_MIN: Duration = Duration::from_secs(30);
/// How far the clocks of hub and issuer may differ (ours).
pub const OIDC_CLOCKS_DIFFER_MAX_SECONDS: i64 = 60;
/// How long a user may take to sign in at the issuer (ours).
pub const OIDC_SIGN_IN_MAX_SECONDS: u32 = 600;
/// Sign-ins at the issuer that fail a minute from one address (ours).
pub const OIDC_SIGN_INS_PER_MINUTE: u32 = 20;
/// Usernames that are tried for a new user of the issuer (ours).
pub const OIDC_USERNAMES_TRIED_COUNT: usize = 20;
/// Of these, the last ones, which have a random number (ours).
pub const OIDC_USERNAMES_RANDOM_COUNT: usize = 5;
/// Longest line that sets a cookie; browsers need not keep longer ones (RFC 6265, section 6.1).
pub const COOKIE_LINE_MAX_BYTES: usize = 4_096;
/// Longest secret of the hub at its issuer (ours).
pub const OIDC_SECRET_MAX_BYTES: usize = 4_096;
/// How long it is remembered that a document could not be read (ours).
pub const OAUTH_CLIENT_DOCUMENT_FAILURE_KEPT: Duration = Duration::from_secs(30);
/// Client-id metadata documents that are read at once (ours).
pub const OAUTH_CLIENT_DOCUMENTS_AT_ONCE: usize = 16;
/// Client-id metadata documents that are read at once for one account (ours).
pub const OAUTH_CLIENT_DOCUMENTS_PER_ACCOUNT_AT_ONCE: usize = 2;
/// Refreshes of one grant a minute (ours).
pub const OAUTH_REFRESHES_PER_MINUTE: u32 = 10;
/// Client-id metadata documents that are kept in memory, and as many that could not be read (ours).
pub const OAUTH_CLIENT_DOCUMENTS_MAX_COUNT: usize = 200;
