//! The two halves of a sign-in: the browser is sent to the issuer with secrets that only this browser has, and comes back with a
//! code. What the browser keeps meanwhile is in a cookie (`web/oidc.rs` of the doors), so that it may come back to another hub.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use baton_core::oidc::{Expected, IdTokenFacts, role_of, username};
use baton_core::{NameSkeletons, Refusal, SystemRole, UnixMillis, hex, limits};
use baton_store::rows::UserRow;
use baton_store::{Snapshot, Transaction};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use std::net::IpAddr;

use super::id_token::{self, Claims, Unread, Userinfo};
use super::provider::{self, Trouble};
use crate::hub::{Hub, OIDC_SIGN_INS, OidcSettings, client_of};
use crate::random;
use crate::service::accounts::quotas;
use crate::service::accounts::registration::{HUB, NewUser, insert_user};
use crate::service::secret::{self, Holder};
use crate::service::{Error, Revealed, audit};

/// What the browser keeps between the halves.
#[derive(Clone, PartialEq, Eq)]
pub struct Begun {
    pub state: String,
    pub nonce: String,
    pub verifier: String,
}

/// Why nobody was signed in. The user sees which, the log has the cause.
#[derive(Debug)]
pub enum NotSignedIn {
    /// The hub has no issuer.
    NotConfigured,
    /// The issuer could not be asked, or what it answered does not count.
    Issuer(String),
    /// What came back does not belong to a sign-in of this browser.
    Foreign,
    /// The user or the issuer refused.
    Refused,
    /// None of the user's groups may sign in.
    Group,
    /// The hub could not write it down.
    Hub(Error),
}

impl From<Trouble> for NotSignedIn {
    fn from(trouble: Trouble) -> Self {
        Self::Issuer(trouble.0)
    }
}

impl From<Error> for NotSignedIn {
    fn from(error: Error) -> Self {
        Self::Hub(error)
    }
}

fn settings(hub: &Hub) -> Result<&OidcSettings, NotSignedIn> {
    hub.settings.oidc.as_ref().ok_or(NotSignedIn::NotConfigured)
}

/// Where the issuer sends the browser back to.
fn redirect_uri(base: &str) -> String {
    format!("{base}/oidc/callback")
}

/// Where the browser goes, and what it keeps.
pub async fn begin(hub: &Hub, base: &str) -> Result<(String, Begun), NotSignedIn> {
    let settings = settings(hub)?;
    let provider = provider::provider(hub, settings, false).await?;
    let secret = || hex::encode(&random::bytes::<32>());
    let begun = Begun { state: secret(), nonce: secret(), verifier: secret() };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&begun.verifier));
    // Some issuers give groups only to who asks for them, and others refuse a scope that they do not know.
    let is_groups_known = provider.scopes.iter().any(|scope| scope == "groups");
    let scope = match !settings.groups.is_empty() && is_groups_known {
        true => "openid profile email groups",
        false => "openid profile email",
    };
    let back = redirect_uri(base);
    let fields = [
        ("response_type", "code"),
        ("client_id", &*settings.client_id),
        ("redirect_uri", &back),
        ("scope", scope),
        ("state", &begun.state),
        ("nonce", &begun.nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let query =
        fields.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    let joint = if provider.authorization_endpoint.contains('?') { '&' } else { '?' };
    Ok((format!("{}{joint}{}", provider.authorization_endpoint, query.join("&")), begun))
}

/// What the browser brings back.
#[derive(Debug, Default)]
pub struct Answer {
    pub code: Option<String>,
    pub state: Option<String>,
    pub iss: Option<String>,
    pub error: Option<String>,
}

/// Signs the user in: the token of a browser.
pub async fn complete(
    hub: &Hub,
    base: &str,
    address: IpAddr,
    begun: Option<Begun>,
    answer: Answer,
) -> Result<Revealed, NotSignedIn> {
    let settings = settings(hub)?;
    let begun = begun.filter(|begun| answer.state.as_ref() == Some(&begun.state));
    let begun = begun.ok_or(NotSignedIn::Foreign)?;
    if answer.iss.is_some_and(|iss| iss != settings.issuer) {
        return Err(NotSignedIn::Foreign);
    }
    let code = answer.code.filter(|_| answer.error.is_none()).ok_or(NotSignedIn::Refused)?;
    let key = Sha256::digest(format!("sign-in of {}", client_of(address))).into();
    let elapsed = hub.clock.now_without_jumps();
    let check = move |rows: &dyn Snapshot| OIDC_SIGN_INS.check(rows, &key, elapsed);
    hub.store_for_anybody().read(check).await?;
    let signed_in = finish(hub, settings, base, &begun, &code).await;
    // Users behind one address may be many: only what fails counts, and not what the hub itself could not do.
    if matches!(signed_in, Err(NotSignedIn::Issuer(_) | NotSignedIn::Group)) {
        let count = move |tx: &mut dyn Transaction| OIDC_SIGN_INS.count(tx, &key, elapsed);
        hub.store_for_anybody().write(count).await?;
    }
    signed_in
}

/// Exchanges the code, and signs in whom the ID token names.
async fn finish(
    hub: &Hub,
    settings: &OidcSettings,
    base: &str,
    begun: &Begun,
    code: &str,
) -> Result<Revealed, NotSignedIn> {
    let known = provider::provider(hub, settings, false).await?;
    let back = redirect_uri(base);
    let tokens = provider::tokens(hub, settings, &known, (code, &begun.verifier, &back)).await?;
    let claims = match id_token::read(&tokens.id_token, &known.keys) {
        Err(Unread::NoKey | Unread::NoMatch) => {
            let again = provider::provider(hub, settings, true).await?;
            id_token::read(&tokens.id_token, &again.keys)
        }
        read => read,
    };
    let broken = |what: &str| NotSignedIn::Issuer(format!("the ID token does not count: {what}"));
    let mut claims = claims.map_err(|unread| match unread {
        Unread::NoKey => broken("the issuer has no such key, or its algorithm is not RS256, ES256 or EdDSA"),
        Unread::NoMatch => broken("its signature does not match"),
        Unread::Broken(what) => broken(what),
    })?;
    let now = hub.clock.now();
    let expected = Expected {
        issuer: &settings.issuer,
        client_id: &settings.client_id,
        nonce: &begun.nonce,
        now: now.get() / 1000,
    };
    facts(&claims, &claims.audiences()).check(expected).map_err(broken)?;
    if let Some(more) = provider::userinfo::<Userinfo>(hub, &known, &tokens).await? {
        // OpenID Connect Core, section 5.3.2: another subject's answer must not be used.
        if more.sub != claims.sub {
            return Err(NotSignedIn::Issuer("userinfo is of another subject".into()));
        }
        claims.person = claims.person.or(more.person);
    }
    let Some(role) = role_of(&settings.groups, &claims.person.groups()) else {
        shut_out(hub, claims, now).await?;
        return Err(NotSignedIn::Group);
    };
    Ok(hub.store_for_anybody().write(move |tx| sign_in(tx, &claims, role, now)).await?)
}

/// Ends the access of a user who is in none of the groups any more: no role above a user's, no session, no client.
async fn shut_out(hub: &Hub, claims: Claims, now: UnixMillis) -> Result<(), Error> {
    let end = move |tx: &mut dyn Transaction| -> Result<(), Error> {
        let Some(user) = tx.user_of_issuer(&claims.iss, &claims.sub)? else { return Ok(()) };
        let (actor, id) = (user.username.as_str(), &user.user_id);
        if user.role != SystemRole::User {
            tx.change_system_role(id, SystemRole::User)?;
        }
        let (tokens, grants) = (tx.revoke_user_tokens(id, now)?, tx.revoke_oauth_grants(id, now)?);
        let detail = format!(
            "user, in none of the issuer's groups; {tokens} user tokens, {grants} OAuth grants revoked"
        );
        tx.audit(now, actor, audit::USER_CHANGED, None, id.as_str(), &detail)?;
        tx.touch_access();
        Ok(())
    };
    hub.store_for_anybody().write(end).await
}

fn facts<'c>(claims: &'c Claims, audiences: &'c [String]) -> IdTokenFacts<'c> {
    IdTokenFacts {
        issuer: &claims.iss,
        audiences,
        authorized_party: claims.azp.as_deref(),
        expires_at: claims.exp,
        nonce: claims.nonce.as_deref(),
        subject: &claims.sub,
    }
}

/// The user of this issuer and subject, who is made if there is none, with the role that the issuer's groups give now.
fn sign_in(
    tx: &mut dyn Transaction,
    claims: &Claims,
    role: SystemRole,
    now: UnixMillis,
) -> Result<Revealed, Error> {
    let user = match tx.user_of_issuer(&claims.iss, &claims.sub)? {
        Some(user) => user,
        None => insert(tx, claims, role, now)?,
    };
    let actor = user.username.as_str();
    if user.role != role {
        tx.change_system_role(&user.user_id, role)?;
        let detail = format!("{} by the issuer's groups", role.as_str());
        tx.audit(now, actor, audit::USER_CHANGED, None, user.user_id.as_str(), &detail)?;
        tx.touch_access();
    }
    quotas::make_room_for_login(tx, &user.user_id, actor, now)?;
    let (token, row) = secret::user_token(&user.user_id, Holder::Browser, now);
    tx.insert_token(&row)?;
    tx.audit(now, actor, audit::TOKEN_CREATED, None, row.token_id.as_str(), "sign-in by the issuer")?;
    Ok(token)
}

/// The number of a try at a username: none at first, then small ones. The last are random, so that nobody can take all of them.
fn number(tried: usize) -> Option<u32> {
    let is_random = tried + limits::OIDC_USERNAMES_RANDOM_COUNT >= limits::OIDC_USERNAMES_TRIED_COUNT;
    match tried {
        0 => None,
        _ if is_random => Some(100_000 + u32::from_le_bytes(random::bytes()) % 900_000),
        _ => u32::try_from(tried + 1).ok(),
    }
}

fn insert(
    tx: &mut dyn Transaction,
    claims: &Claims,
    role: SystemRole,
    now: UnixMillis,
) -> Result<UserRow, Error> {
    let label = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        text.map(|text| text.chars().take(limits::LABEL_MAX_CHARS).collect::<String>())
    };
    let person = &claims.person;
    for tried in 0..limits::OIDC_USERNAMES_TRIED_COUNT {
        let wanted = username(person.preferred_username.as_deref(), person.email.as_deref(), number(tried));
        let Some(name) = wanted else { continue };
        if tx.has_user_like(&NameSkeletons::of(name.as_str()))? {
            continue;
        }
        let new = NewUser {
            username: name,
            display_name: label(&person.name),
            email: label(&person.email),
            role,
            // No password: nothing that is typed is its hash.
            password_hash: String::new(),
            must_change_password: false,
        };
        let (user, _) = insert_user(tx, &new, HUB, now)?;
        tx.link_user(&user.user_id, &claims.iss, &claims.sub)?;
        return Ok(user);
    }
    Err(Refusal::UsernameTaken.into())
}
