//! Who acts, and with which token. History and evidence name the token beside the actor, so that two tokens of one alias
//! can be distinguished. They do so by a keyed hash of the token's id, with a key per network that stays in the hub: it
//! reveals nothing about the token, and cannot be matched with the names of the same token in other networks.

use baton_core::{ActorToken, Caller, NetworkId, Principal, Refusal, TokenId};
use baton_store::Snapshot;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::Error;
use crate::hub::ActorTokens;

/// The user, agent or hub that acts on a task.
#[derive(Debug, Clone)]
pub(super) struct Actor {
    pub principal: Principal,
    /// None when the hub itself acts.
    token: Option<TokenId>,
}

impl Actor {
    /// The hub itself.
    pub(super) const HUB: Self = Self { principal: Principal::Hub, token: None };

    /// The caller.
    pub(super) fn of(caller: &Caller) -> Result<Self, Refusal> {
        Ok(Self { principal: caller.principal()?, token: caller.token_id().cloned() })
    }

    /// How a network's history names the token.
    pub(super) fn token_in(
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
}
