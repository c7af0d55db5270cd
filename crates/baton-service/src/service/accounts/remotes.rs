//! Remote agents under an alias of a network: registered, listed, removed by its admins. Their tasks are worked on
//! by the hub (`worker/remote`), as an agent of the network like any other. The credential is never shown. The keys that sign
//! their cards are in `remote_keys.rs`.

use baton_core::{
    Action, Alias, AliasFacts, Caller, NetworkId, Quota, Refusal, TokenScope, UserCaller, limits, mint_alias,
};
use baton_store::Transaction;
use baton_store::rows::{RemoteCredential, RemoteRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::peer::{KeyRule, Peer, PeerError};
use crate::service::accounts::{quotas, remote_keys};
use crate::service::page::{self, PageArgs};
use crate::service::stamp::Stamp;
use crate::service::{Done, Error, WireTime, audit, names, permit, presence, secret};

/// Where a card is, as the audit log keeps it: a query may hold a key.
fn audited(card_url: &str) -> String {
    reqwest::Url::parse(card_url)
        .map(|url| format!("{}{}", url.origin().ascii_serialization(), url.path()))
        .unwrap_or_default()
}

/// A remote agent as it is shown.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Remote)]
pub struct RemoteView {
    alias: String,
    network_id: NetworkId,
    card_url: String,
    has_credential: bool,
    /// The thumbprint of the key that has to have signed its card; null: the card is not signed
    pinned_key: Option<String>,
    /// Why its card was refused when the hub last read it, as an error code; null: it was accepted
    card_error: Option<String>,
    created_by: String,
    created_at: WireTime,
}

impl From<RemoteRow> for RemoteView {
    fn from(row: RemoteRow) -> Self {
        Self {
            alias: row.alias.as_str().to_owned(),
            network_id: row.network_id,
            card_url: row.card_url,
            has_credential: row.credential.is_some(),
            pinned_key: row.pinned_key,
            card_error: row.card_error,
            created_by: row.created_by,
            created_at: WireTime(row.created_at),
        }
    }
}

#[derive(Deserialize, Serialize, ToSchema)]
pub struct NewRemote {
    pub alias: String,
    pub card_url: String,
    /// A bearer token to show it
    pub credential: Option<String>,
    /// The thumbprint of the key that has to have signed its card (RFC 7638 with SHA-256, base64url); without it, the key that signed it now
    pub pinned_key: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RemoteAdded {
    ok: bool,
    /// What it is called on its card.
    name: String,
    remote: RemoteView,
}

/// Registers a remote agent. Its card is read first, so that the user learns at once if it cannot be
/// reached or spoken to. The hub works for it under a node token of its own, whose secret nobody gets.
pub async fn add(hub: &Hub, caller: &Caller, network: &str, args: NewRemote) -> Result<RemoteAdded, Error> {
    let user = permit::account(caller)?.clone();
    let network = permit::network_id(network)?;
    let alias = names::alias(&args.alias)?;
    let credential = args.credential.filter(|credential| !credential.is_empty());
    if credential.as_ref().is_some_and(|text| text.chars().count() > limits::PUSH_FIELD_MAX_CHARS) {
        return Err(Error::argument("credential", "is too long"));
    }
    let pinned_key = args.pinned_key.as_deref().map(remote_keys::thumbprint).transpose()?;
    let (asker, wanted) = (user.clone(), network.clone());
    // Who may not gets that error before anything outside is called.
    let allowed = hub
        .store_for(caller)
        .read(move |rows| permit::user_in(rows, &asker, &wanted, Action::ManageRemotes).map(drop));
    allowed.await?;
    let calls = hub.outbound.for_network(&network);
    let rule = pinned_key.as_deref().map_or(KeyRule::FirstUse, KeyRule::Pinned);
    let peer = Peer::find(calls, &args.card_url, credential.as_deref(), rule).await;
    let peer = peer.map_err(|error| match error {
        PeerError::Refused(refusal) => refusal.into(),
        other => Error::argument("card_url", other.to_string()),
    })?;
    let stamp = Stamp::new(hub);
    let credential = credential.map(RemoteCredential);
    let new = New { alias, card_url: args.card_url, credential, pinned_key: peer.key };
    let add = hub.store_for(caller).write(move |tx| insert(tx, &stamp, &user, &network, &new));
    let row = add.await?;
    hub.remotes_changed.notify_one();
    Ok(RemoteAdded { ok: true, name: peer.name, remote: row.into() })
}

struct New {
    alias: Alias,
    card_url: String,
    credential: Option<RemoteCredential>,
    pinned_key: Option<String>,
}

fn insert(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    user: &UserCaller,
    network: &NetworkId,
    new: &New,
) -> Result<RemoteRow, Error> {
    permit::user_in(tx.as_snapshot(), user, network, Action::ManageRemotes)?;
    let New { alias, card_url, credential, pinned_key } = new;
    let now = tx.time().now;
    let is_remote = tx.remote(network, alias)?.is_some();
    // An alias whose tokens are all revoked has nobody left who could be there.
    let is_there = tx.alias_exists(network, alias)?
        && !presence::of_agent(tx.as_snapshot(), stamp, network, alias)?.is_offline(now);
    if is_remote || is_there {
        return Err(Refusal::AliasInUse.into());
    }
    // Only admins register remote agents, and an admin could hand the alias over first: whose it was does not matter.
    let facts = names::alias_facts(tx.as_snapshot(), network, alias, &user.user_id)?;
    names::check_form("alias", alias, facts)?;
    mint_alias(AliasFacts { is_owned_by_another: false, ..facts })?;
    quotas::admit_to_network(tx.as_snapshot(), network, Quota::Remotes)?;
    quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Tokens)?;
    let (_, mut token) =
        secret::node_token(&user.user_id, network, Some(alias.clone()), TokenScope::Node, now);
    token.name = format!("remote:{alias}");
    tx.insert_token(&token)?;
    let row = RemoteRow {
        network_id: network.clone(),
        alias: alias.clone(),
        card_url: card_url.clone(),
        credential: credential.clone(),
        token_id: token.token_id,
        created_by: user.username.as_str().to_owned(),
        created_at: now,
        pinned_key: pinned_key.clone(),
        card_error: None,
    };
    tx.insert_remote(&row)?;
    let actor = user.username.as_str();
    tx.audit(now, actor, audit::REMOTE_ADDED, Some(network), row.alias.as_str(), &audited(&row.card_url))?;
    Ok(row)
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Remotes {
    ok: bool,
    remotes: Vec<RemoteView>,
    next_cursor: Option<String>,
}

/// Lists a network's remote agents.
pub async fn list(hub: &Hub, caller: &Caller, network: &str, args: PageArgs) -> Result<Remotes, Error> {
    let cursors = page::cursors(hub, caller, "remotes");
    let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
    let network = permit::network_id(network)?;
    let caller = caller.clone();
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        permit::network(rows, &caller, &network, Action::ManageRemotes)?;
        Ok(rows.remotes(&network, after.as_ref(), bounds)?)
    });
    let page = found.await?.map(RemoteView::from);
    Ok(Remotes { ok: true, remotes: page.rows, next_cursor: cursors.next(page.next) })
}

/// Removes a remote agent. Nothing more can be sent to its alias. What is out there is no longer looked at; its
/// tasks here go back to the alias's inbox when their leases lapse, as with any agent that went away.
pub async fn remove(hub: &Hub, caller: &Caller, network: &str, alias: &str) -> Result<Done, Error> {
    let user = permit::account(caller)?.clone();
    let network = permit::network_id(network)?;
    let alias = names::alias(alias).map_err(|_| Refusal::AliasNotFound)?;
    let now = hub.clock.now();
    let remove = hub.store_for(caller).write(move |tx| -> Result<_, Error> {
        permit::user_in(tx.as_snapshot(), &user, &network, Action::ManageRemotes)?;
        let remote = tx.remote(&network, &alias)?.ok_or(Refusal::AliasNotFound)?;
        tx.revoke_token(&remote.token_id, now)?;
        tx.delete_remote(&network, &alias)?;
        let actor = user.username.as_str();
        let place = audited(&remote.card_url);
        tx.audit(now, actor, audit::REMOTE_REMOVED, Some(&network), alias.as_str(), &place)?;
        tx.touch_access();
        Ok(Done::OK)
    });
    let done = remove.await?;
    hub.remotes_changed.notify_one();
    Ok(done)
}
