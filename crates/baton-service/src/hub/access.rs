//! Who a token belongs to. Looked up once, then remembered until users, tokens or members change: the store's
//! access epoch, asked with every call, says so. A revoked token is refused at its next call, on whichever hub.

use baton_core::{
    BearerToken, Caller, ClockJumps, NodeCaller, Refusal, TokenId, UnixMillis, UserCaller, UserId,
    browser_session_ends, limits,
};
use baton_store::Snapshot;
use baton_store::rows::TokenRow;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::Hub;
use crate::error::Error;

/// A caller and the token it came with. Every call has one, and most hand it on: a copy is the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(Arc<Identified>);

/// What is known of a caller.
#[derive(Debug, PartialEq, Eq)]
pub struct Identified {
    pub token_id: TokenId,
    pub caller: Caller,
    /// When a browser's session was used, and when it is over if it is not used before; other tokens have no such time.
    session_ends_at: Option<(UnixMillis, UnixMillis)>,
    /// When the token was made, and when it expires if it does.
    expires_at: Option<(UnixMillis, UnixMillis)>,
    /// The one place where the token counts; everywhere, if there is none.
    resource: Option<Resource>,
}

/// Where a token is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// At `/mcp`, which is what OAuth clients are given tokens for (RFC 8707).
    Mcp,
    /// Anywhere else.
    Other,
}

impl Resource {
    /// What a path belongs to.
    pub fn of(path: &str) -> Self {
        if path == "/mcp" { Self::Mcp } else { Self::Other }
    }
}

impl Deref for Identity {
    type Target = Identified;

    fn deref(&self) -> &Identified {
        &self.0
    }
}

impl Identified {
    /// The account whose token it is: what is shared fairly is shared by account.
    pub const fn account(&self) -> &UserId {
        self.caller.user_id()
    }

    /// By the time that has passed since the session was used or the token was made, not by what a clock that jumped shows.
    fn is_over(&self, now: UnixMillis, jumps: &ClockJumps) -> bool {
        let is_past = |(set_at, ends_at): (UnixMillis, UnixMillis)| ends_at <= jumps.now_since(set_at, now);
        self.session_ends_at.is_some_and(is_past) || self.expires_at.is_some_and(is_past)
    }
}

/// Tokens that were looked up, all under one epoch.
#[derive(Debug, Default)]
pub(super) struct Access {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    epoch: u64,
    identities: HashMap<[u8; 32], Identity>,
}

impl Hub {
    /// Who presents this token, and notes the call.
    pub async fn identify(&self, bearer: &str) -> Result<Identity, Error> {
        self.identify_at(bearer, Resource::Other).await
    }

    /// The same where some tokens count only.
    pub async fn identify_at(&self, bearer: &str, resource: Resource) -> Result<Identity, Error> {
        let (identity, now) = self.identity_at(bearer, resource).await?;
        let agent = match &identity.caller {
            Caller::Node(NodeCaller { network_id, alias: Some(alias), .. }) => Some((network_id, alias)),
            _ => None,
        };
        self.presences.called(&identity.token_id, agent, now);
        Ok(identity)
    }

    /// Whether a token still opens what it opened; asked by streams while they are open.
    pub async fn identity_of(&self, bearer: &str) -> Result<Identity, Error> {
        self.identity_of_at(bearer, Resource::Other).await
    }

    /// The same where some tokens count only.
    pub async fn identity_of_at(&self, bearer: &str, resource: Resource) -> Result<Identity, Error> {
        self.identity_at(bearer, resource).await.map(|(identity, _)| identity)
    }

    /// Whether the token that a caller came with has expired since.
    pub fn has_expired(&self, identity: &Identity) -> bool {
        let (now, jumps) = self.clock.observe();
        identity.is_over(now, &jumps)
    }

    /// Seconds that a token has left, if its user should make another one soon. OAuth clients get theirs by themselves.
    pub fn expires_soon(&self, identity: &Identity) -> Option<u32> {
        let (_, expires_at) = identity.expires_at.filter(|_| identity.resource.is_none())?;
        let left = expires_at.get().saturating_sub(self.clock.now().get()) / 1000;
        let left = u32::try_from(left.max(0)).ok()?;
        (left < limits::TOKEN_EXPIRES_SOON_SECONDS).then_some(left)
    }

    /// Who presents a token, and when that was asked. A token for another place is as unknown here as one that is none.
    async fn identity_at(&self, bearer: &str, resource: Resource) -> Result<(Identity, UnixMillis), Error> {
        let (identity, now) = self.anywhere(bearer).await?;
        match identity.resource {
            Some(only) if only != resource => Err(Refusal::Unauthorized.into()),
            _ => Ok((identity, now)),
        }
    }

    async fn anywhere(&self, bearer: &str) -> Result<(Identity, UnixMillis), Error> {
        let token = BearerToken::parse(bearer).ok_or(Refusal::Unauthorized)?;
        let hash: [u8; 32] = Sha256::digest(token.expose()).into();
        // Read before the rows are: what is remembered is at least as new as this number says.
        let epoch = self.store.newest_access_epoch().get().await?;
        let (now, jumps) = self.clock.observe();
        // What was remembered as over may have been used since: the row knows.
        if let Some(identity) =
            self.access.recall(epoch, &hash).filter(|identity| !identity.is_over(now, &jumps))
        {
            return Ok((identity, now));
        }
        let is_access = matches!(token, BearerToken::Access(_));
        let look = move |rows: &dyn Snapshot| look_up(rows, &hash, is_access);
        let identity = self.store_for_anybody().read(look).await?;
        if identity.is_over(now, &jumps) {
            return Err(Refusal::Unauthorized.into());
        }
        self.access.remember(epoch, hash, identity.clone());
        Ok((identity, now))
    }
}

impl Access {
    fn recall(&self, epoch: u64, hash: &[u8; 32]) -> Option<Identity> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        (known.epoch == epoch).then(|| known.identities.get(hash).cloned()).flatten()
    }

    fn remember(&self, epoch: u64, hash: [u8; 32], identity: Identity) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.epoch < epoch || known.identities.len() >= limits::CALLERS_KNOWN_MAX_COUNT {
            known.identities.clear();
            known.epoch = epoch;
        }
        if known.epoch == epoch {
            known.identities.insert(hash, identity);
        }
    }
}

fn look_up(rows: &dyn Snapshot, hash: &[u8; 32], is_access: bool) -> Result<Identity, Error> {
    let (token, expires_at, resource) = if is_access {
        let (grant, ends_at) = rows.oauth_access(hash)?.ok_or(Refusal::Unauthorized)?;
        let made_at = ends_at.plus_millis(-1000 * i64::from(limits::OAUTH_ACCESS_SECONDS));
        (grant, Some((made_at, ends_at)), Some(Resource::Mcp))
    } else {
        let token = rows.token_by_hash(hash)?.ok_or(Refusal::Unauthorized)?;
        let expires_at = token.expires_at.map(|expires_at| (token.created_at, expires_at));
        (token, expires_at, None)
    };
    let user = rows.user(&token.user_id)?.ok_or(Refusal::Unauthorized)?;
    let session_ends_at = token.is_of_browser().then(|| {
        let used_at = token.last_used_at.unwrap_or(token.created_at);
        (used_at, browser_session_ends(token.created_at, token.last_used_at))
    });
    let TokenRow { token_id, network_id, alias, scope, user_id, .. } = token;
    let caller = match network_id {
        None => Caller::User(UserCaller {
            user_id,
            username: user.username,
            system_role: user.role,
            token_id: Some(token_id.clone()),
        }),
        Some(network_id) => {
            Caller::Node(NodeCaller { token_id: token_id.clone(), user_id, network_id, alias, scope })
        }
    };
    Ok(Identity(Arc::new(Identified { token_id, caller, session_ends_at, expires_at, resource })))
}
