//! The key that has to have signed a remote agent's card: pinned by an admin, or by the hub when it first sees one; and
//! what the last look at the card came to, as the list of remote agents shows it.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use baton_core::{Action, Caller, Refusal};
use baton_store::rows::RemoteRow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::registration::HUB;
use super::remotes::RemoteView;
use crate::hub::Hub;
use crate::peer::{KeyRule, Peer, PeerError};
use crate::service::{Error, audit, names, permit};

/// The bytes of a SHA-256.
const THUMBPRINT_BYTES: usize = 32; // not a limit: the size of a hash

#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct PinRemoteKey {
    /// The key's thumbprint: RFC 7638 with SHA-256, base64url
    pub pinned_key: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RemoteKeyPinned {
    ok: bool,
    remote: RemoteView,
}

/// Reads a thumbprint.
pub(super) fn thumbprint(text: &str) -> Result<String, Error> {
    match BASE64.decode(text) {
        Ok(bytes) if bytes.len() == THUMBPRINT_BYTES => Ok(text.to_owned()),
        _ => Err(Error::argument(
            "pinned_key",
            "must be the SHA-256 thumbprint of a key (RFC 7638): 43 characters of base64url",
        )),
    }
}

/// Pins another key for a remote agent. Its card is read first: the key has to have signed it.
pub async fn pin(
    hub: &Hub,
    caller: &Caller,
    network: &str,
    alias: &str,
    args: PinRemoteKey,
) -> Result<RemoteKeyPinned, Error> {
    let user = permit::account(caller)?.clone();
    let network = permit::network_id(network)?;
    let alias = names::alias(alias).map_err(|_| Refusal::AliasNotFound)?;
    let key = thumbprint(&args.pinned_key)?;
    let (asker, wanted, name) = (user.clone(), network.clone(), alias.clone());
    let known = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        permit::user_in(rows, &asker, &wanted, Action::ManageRemotes)?;
        Ok(rows.remote(&wanted, &name)?.ok_or(Refusal::AliasNotFound)?)
    });
    let known = known.await?;
    let credential = known.credential.as_ref().map(|credential| &*credential.0);
    let calls = hub.outbound.for_network(&network);
    Peer::find(calls, &known.card_url, credential, KeyRule::Pinned(&key)).await.map_err(
        |error| match error {
            PeerError::Refused(refusal) => refusal.into(),
            other => Error::argument("alias", format!("is an agent whose card cannot be read: {other}")),
        },
    )?;
    let now = hub.clock.now();
    let pin = hub.store_for(caller).write(move |tx| -> Result<_, Error> {
        permit::user_in(tx.as_snapshot(), &user, &network, Action::ManageRemotes)?;
        let row = tx.remote(&network, &alias)?.ok_or(Refusal::AliasNotFound)?;
        // The card that was read is not that of an agent that was added under the alias meanwhile.
        if row.token_id != known.token_id {
            return Err(Refusal::AliasNotFound.into());
        }
        tx.note_remote_card(&network, &alias, Some(&key), None)?;
        let actor = user.username.as_str();
        tx.audit(now, actor, audit::REMOTE_KEY_PINNED, Some(&network), alias.as_str(), &key)?;
        Ok(RemoteRow { pinned_key: Some(key.clone()), card_error: None, ..row })
    });
    Ok(RemoteKeyPinned { ok: true, remote: pin.await?.into() })
}

/// The rule for the next look at a remote agent's card.
pub fn rule(row: &RemoteRow) -> KeyRule<'_> {
    row.pinned_key.as_deref().map_or(KeyRule::Unsigned, KeyRule::Pinned)
}

/// Notes what a look at a remote agent's card came to: the first key that signed it is pinned, and the list shows why a card was
/// refused. Writes only what is new. A card that could not be read says nothing.
pub async fn note_card(hub: &Hub, row: &RemoteRow, found: &Result<Peer, PeerError>) -> Result<(), Error> {
    let (pinned_key, card_error) = match found {
        Ok(peer) => (peer.key.clone(), None),
        Err(PeerError::Refused(refusal)) => (row.pinned_key.clone(), Some(refusal.code().into_owned())),
        Err(_) => return Ok(()),
    };
    if (&pinned_key, &card_error) == (&row.pinned_key, &row.card_error) {
        return Ok(());
    }
    let (seen, now) = (row.clone(), hub.clock.now());
    let note = hub.store.write(move |tx| -> Result<(), Error> {
        let (network, alias) = (&seen.network_id, &seen.alias);
        // Another agent under the alias, or another key that was pinned meanwhile: this look was at something else.
        let is_as_seen = tx.remote(network, alias)?.is_some_and(|current| {
            (current.token_id, current.pinned_key) == (seen.token_id.clone(), seen.pinned_key.clone())
        });
        if !is_as_seen {
            return Ok(());
        }
        tx.note_remote_card(network, alias, pinned_key.as_deref(), card_error.as_deref())?;
        if let Some(key) = pinned_key.as_ref().filter(|_| seen.pinned_key.is_none()) {
            tx.audit(now, HUB, audit::REMOTE_KEY_PINNED, Some(network), alias.as_str(), key)?;
        }
        Ok(())
    });
    note.await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network};
    use baton_core::{Alias, SystemRole, TokenId, UnixMillis};

    fn scout() -> Alias {
        Alias::parse("scout").unwrap()
    }

    fn changed() -> Result<Peer, PeerError> {
        let (pinned, found) = ("a".into(), "b".into());
        Err(PeerError::Refused(Refusal::RemoteCardKeyChanged { pinned, found }))
    }

    #[tokio::test]
    async fn a_look_is_noted_unless_another_key_was_pinned_meanwhile() {
        let test = TestHub::start();
        test.person("alice", SystemRole::User, &[1]).await;
        let seen = RemoteRow {
            network_id: network(1),
            alias: scout(),
            card_url: "https://a.example/".into(),
            credential: None,
            token_id: TokenId::from_random([1; 6]),
            created_by: "alice".into(),
            created_at: UnixMillis::new(1),
            pinned_key: Some("a".into()),
            card_error: None,
        };
        let row = seen.clone();
        test.write(move |tx| tx.insert_remote(&row)).await;
        let now = async || {
            let row =
                test.hub.store.read(|rows| -> Result<_, Error> { Ok(rows.remote(&network(1), &scout())?) });
            let row = row.await.unwrap().unwrap();
            (row.pinned_key.unwrap(), row.card_error)
        };
        let code = "remote_card_key_changed".to_owned();
        note_card(&test.hub, &seen, &Err(PeerError::NotTaken("away".into()))).await.unwrap();
        assert_eq!(now().await, ("a".into(), None), "a card that could not be read says nothing");
        note_card(&test.hub, &seen, &changed()).await.unwrap();
        assert_eq!(now().await, ("a".into(), Some(code)));
        test.write(|tx| tx.note_remote_card(&network(1), &scout(), Some("b"), None).map(drop)).await;
        note_card(&test.hub, &seen, &changed()).await.unwrap();
        assert_eq!(now().await, ("b".into(), None), "the look was at the key that was pinned before");
    }

    #[test]
    fn a_thumbprint_is_43_characters_of_base64url() {
        let right = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
        assert_eq!(thumbprint(right).unwrap(), right);
        for wrong in ["", "kPrK", &right[1..], &format!("{right}="), &right.replace('_', "/")] {
            assert!(thumbprint(wrong).is_err(), "{wrong}");
        }
    }
}
