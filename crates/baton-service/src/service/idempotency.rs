//! The key that makes a repeated call harmless: what it was first used for is remembered for a day, with a digest of
//! what was asked.

use baton_core::{IdempotencyKey, NetworkId, Principal, Refusal, limits};
use baton_store::Transaction;
use baton_store::rows::IdempotentSend;
use sha2::{Digest, Sha256};

use super::Error;

/// A digest of everything a repeated call must repeat. Each part goes in with its length, so that no two calls share
/// one by running into each other.
pub(super) fn digest(parts: &[Option<&str>]) -> Vec<u8> {
    let mut hasher = Sha256::new();
    for part in parts {
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        hasher.update(length.to_be_bytes());
        hasher.update(part.unwrap_or_default());
    }
    hasher.finalize().to_vec()
}

/// What the key was first used for, if that was the same call.
pub(super) fn first_use(
    tx: &dyn Transaction,
    network: &NetworkId,
    actor: &Principal,
    key: &IdempotencyKey,
    arguments: &[u8],
) -> Result<Option<IdempotentSend>, Error> {
    let Some(first) = tx.idempotent_send(network, actor, key.as_str())? else { return Ok(None) };
    if first.created_at.plus_seconds(limits::IDEMPOTENCY_KEPT_SECONDS) <= tx.time().now {
        return Ok(None);
    }
    if first.arguments != arguments {
        return Err(Refusal::IdempotencyKeyReused.into());
    }
    Ok(Some(first))
}
