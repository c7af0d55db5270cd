//! Who acts, and with which token. History and evidence name the token beside the actor, so that two tokens of one alias
//! can be told apart. They do so by a keyed hash of the token's id, with a key per network that stays in the hub: it
//! reveals nothing about the token, and cannot be matched with the names of the same token in other networks.

use baton_core::{ActorToken, Caller, NetworkId, Principal, Refusal, TokenId, limits};
use baton_store::Snapshot;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Error;

/// The user, agent or hub that acts on a task.
#[derive(Debug, Clone)]
pub(crate) struct Actor {
    pub(crate) principal: Principal,
    /// None when the hub itself acts.
    token: Option<TokenId>,
}

impl Actor {
    /// The hub itself.
    pub(crate) const HUB: Self = Self { principal: Principal::Hub, token: None };

    /// The caller.
    pub(crate) fn of(caller: &Caller) -> Result<Self, Refusal> {
        Ok(Self { principal: caller.principal()?, token: caller.token_id().cloned() })
    }

    /// How a network's history names the token.
    pub(crate) fn token_in(
        &self,
        rows: &dyn Snapshot,
        known: &ActorTokens,
        network: &NetworkId,
    ) -> Result<Option<ActorToken>, Error> {
        let Some(token) = &self.token else { return Ok(None) };
        if let Some(name) = known.name(token, network) {
            return Ok(Some(name));
        }
        let key = rows.token_key(network)?;
        let key = key.ok_or_else(|| baton_store::Error::Corrupt(format!("{network} has no token key")))?;
        let name = named(&key, token);
        known.remember(token, network, &name);
        Ok(Some(name))
    }
}

/// The names of tokens that acted lately, each with the network it has that name in. A network's key never changes, so
/// neither does a name; in memory and bounded, and what is forgotten is computed again.
#[derive(Debug, Default)]
pub(crate) struct ActorTokens(Mutex<HashMap<TokenId, (NetworkId, ActorToken)>>);

impl ActorTokens {
    fn name(&self, token: &TokenId, network: &NetworkId) -> Option<ActorToken> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(token).filter(|(of, _)| of == network).map(|(_, name)| name.clone())
    }

    fn remember(&self, token: &TokenId, network: &NetworkId, name: &ActorToken) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= limits::ACTOR_TOKENS_KEPT_COUNT {
            known.clear();
        }
        known.insert(token.clone(), (network.clone(), name.clone()));
    }
}

fn named(key: &[u8], token: &TokenId) -> ActorToken {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(token.as_str().as_bytes());
    ActorToken::of_digest(&mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_name_per_network_and_no_two_share_one() {
        let (one, two) = (TokenId::from_random([1; 6]), TokenId::from_random([2; 6]));
        let (here, there) = ([7; 32], [8; 32]);
        assert_eq!(named(&here, &one), named(&here, &one));
        assert_ne!(named(&here, &one), named(&here, &two));
        assert_ne!(named(&here, &one), named(&there, &one));
        assert!(!named(&here, &one).as_str().contains("010101"));
    }

    #[test]
    fn a_remembered_name_is_given_in_its_own_network_only_and_few_are_remembered() {
        let (token, name) = (TokenId::from_random([1; 6]), ActorToken::of_digest(&[1; 32]));
        let (here, there) = (NetworkId::from_random([7; 6]), NetworkId::from_random([8; 6]));
        let known = ActorTokens::default();
        known.remember(&token, &here, &name);
        assert_eq!(known.name(&token, &here), Some(name.clone()));
        assert_eq!(known.name(&token, &there), None);
        for n in 0..2 * limits::ACTOR_TOKENS_KEPT_COUNT as u64 {
            let random = n.to_be_bytes();
            known.remember(&TokenId::from_random(std::array::from_fn(|i| random[i + 2])), &here, &name);
        }
        assert!(known.0.lock().unwrap().len() <= limits::ACTOR_TOKENS_KEPT_COUNT);
    }
}
