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
    ends_at: Option<(UnixMillis, UnixMillis)>,
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

    /// By the time that has passed since the session was used, not by what a clock that jumped shows.
    fn is_over(&self, now: UnixMillis, jumps: &ClockJumps) -> bool {
        self.ends_at.is_some_and(|(used_at, ends_at)| ends_at <= jumps.now_since(used_at, now))
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
        let (identity, now) = self.identity_at(bearer).await?;
        let agent = match &identity.caller {
            Caller::Node(NodeCaller { network_id, alias: Some(alias), .. }) => Some((network_id, alias)),
            _ => None,
        };
        self.presences.called(&identity.token_id, agent, now);
        Ok(identity)
    }

    /// Whether a token still opens what it opened; asked by streams while they are open.
    pub async fn identity_of(&self, bearer: &str) -> Result<Identity, Error> {
        self.identity_at(bearer).await.map(|(identity, _)| identity)
    }

    /// The same, and when that was asked.
    async fn identity_at(&self, bearer: &str) -> Result<(Identity, UnixMillis), Error> {
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
        let identity = self.store_for_anybody().read(move |rows| look_up(rows, &hash)).await?;
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

fn look_up(rows: &dyn Snapshot, hash: &[u8; 32]) -> Result<Identity, Error> {
    let token = rows.token_by_hash(hash)?.ok_or(Refusal::Unauthorized)?;
    let user = rows.user(&token.user_id)?.ok_or(Refusal::Unauthorized)?;
    let ends_at = token.is_of_browser().then(|| {
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
    Ok(Identity(Arc::new(Identified { token_id, caller, ends_at })))
}
