//! How history names the tokens that acted recently; how a name is made is in `service/actor.rs`.

use baton_core::{ActorToken, NetworkId, TokenId, limits};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The names of tokens that acted recently, each with the network it has that name in. A network's key never changes, so
/// neither does a name; in memory and bounded, and what is forgotten is computed again.
#[derive(Debug, Default)]
pub struct ActorTokens(Mutex<HashMap<TokenId, (NetworkId, ActorToken)>>);

impl ActorTokens {
    pub fn name(&self, token: &TokenId, network: &NetworkId) -> Option<ActorToken> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(token).filter(|(of, _)| of == network).map(|(_, name)| name.clone())
    }

    pub fn remember(&self, token: &TokenId, network: &NetworkId, name: &ActorToken) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= limits::ACTOR_TOKENS_KEPT_COUNT {
            known.clear();
        }
        known.insert(token.clone(), (network.clone(), name.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
