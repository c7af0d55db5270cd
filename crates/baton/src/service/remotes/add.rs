//! Registers an agent of others. Its card is read first, so that whoever registers it hears at once if it cannot be
//! reached or spoken to. The hub works for it under a node token of its own, whose secret nobody gets.

use baton_core::{
    Action, Alias, AliasFacts, Caller, NetworkId, Quota, Refusal, TokenScope, UnixMillis, limits, mint_alias,
};
use baton_store::Transaction;
use baton_store::rows::{RemoteCredential, RemoteRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RemoteView;
use crate::hub::Hub;
use crate::outbound::for_network;
use crate::peer::Peer;
use crate::service::stamp::Stamp;
use crate::service::{Error, audit, names, permit, presence, quotas, secret};

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = NewRemote)]
pub(crate) struct Args {
    pub(crate) alias: String,
    pub(crate) card_url: String,
    /// A bearer token to show it
    pub(crate) credential: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RemoteAdded)]
pub(crate) struct Answer {
    ok: bool,
    /// What it is called on its card.
    name: String,
    remote: RemoteView,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, network: &str, args: Args) -> Result<Answer, Error> {
    permit::account(caller)?;
    let network = permit::network_id(network)?;
    let alias = names::alias(&args.alias)?;
    let credential = args.credential.filter(|credential| !credential.is_empty());
    if credential.as_ref().is_some_and(|text| text.chars().count() > limits::PUSH_FIELD_MAX_CHARS) {
        return Err(Error::argument("credential", "is too long"));
    }
    let (asker, wanted) = (caller.clone(), network.clone());
    // Who may not is told so before anything outside is called.
    let allowed = hub
        .store_for(caller)
        .read(move |rows| permit::network(rows, &asker, &wanted, Action::ManageRemotes).map(drop));
    allowed.await?;
    let find = Peer::find(&hub.outbound, &args.card_url, credential.as_deref());
    let peer = for_network(&network, find).await;
    let peer = peer.map_err(|trouble| Error::argument("card_url", trouble.to_string()))?;
    let (stamp, caller) = (Stamp::new(hub), caller.clone());
    let new = New { alias, card_url: args.card_url, credential: credential.map(RemoteCredential) };
    let add = hub.store_for(&caller).write(move |tx| insert(tx, &stamp, &caller, &network, &new));
    let row = add.await?;
    hub.remotes_changed.notify_one();
    Ok(Answer { ok: true, name: peer.name, remote: row.into() })
}

struct New {
    alias: Alias,
    card_url: String,
    credential: Option<RemoteCredential>,
}

fn insert(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    network: &NetworkId,
    new: &New,
) -> Result<RemoteRow, Error> {
    permit::network(tx.as_snapshot(), caller, network, Action::ManageRemotes)?;
    let user = permit::account(caller)?;
    let New { alias, card_url, credential } = new;
    let is_remote = tx.remote(network, alias)?.is_some();
    // An alias whose tokens are all revoked has nobody left who could be there.
    let is_there = tx.alias_exists(network, alias)?
        && !presence::of_agent(tx.as_snapshot(), stamp, network, alias)?.is_offline(stamp.now);
    if is_remote || is_there {
        return Err(Refusal::AliasInUse.into());
    }
    // Only admins register remote agents, and an admin could hand the alias over first: whose it was does not matter.
    let facts = names::alias_facts(tx.as_snapshot(), network, alias, &user.user_id)?;
    names::check_form("alias", alias, facts)?;
    mint_alias(AliasFacts { is_owned_by_another: false, ..facts })?;
    quotas::admit_to_network(tx.as_snapshot(), network, Quota::Remotes)?;
    quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Tokens)?;
    let now: UnixMillis = stamp.now;
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
    };
    tx.insert_remote(&row)?;
    let actor = user.username.as_str();
    tx.audit(
        now,
        actor,
        audit::REMOTE_ADDED,
        Some(network),
        row.alias.as_str(),
        &super::audited(&row.card_url),
    )?;
    Ok(row)
}
