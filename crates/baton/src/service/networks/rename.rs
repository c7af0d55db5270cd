//! Gives a network another name, or says who may see its agents' cards.

use baton_core::{Action, Caller, NetworkId, Refusal, UnixMillis, UserCaller};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, labels, permit};

#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = NetworkChange)]
pub(crate) struct Args {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whether the A2A cards of its agents are for everybody; else they need a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) public_cards: Option<bool>,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, args: Args) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    if args.name.is_none() && args.public_cards.is_none() {
        return Err(Error::argument("name", "is required"));
    }
    let name = args.name.as_deref().map(labels::network_name).transpose()?;
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::RenameNetwork)?;
        let user = permit::account(&caller)?;
        if let Some(name) = &name {
            rename(tx, user, &id, name, now)?;
        }
        if let Some(is_public) = args.public_cards {
            tx.publish_cards(&id, is_public, now)?;
            let detail = if is_public { "public" } else { "members only" };
            tx.audit(now, user.username.as_str(), audit::NETWORK_CARDS, Some(&id), id.as_str(), detail)?;
        }
        Ok(Done::OK)
    };
    store.write(change).await
}

fn rename(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    id: &NetworkId,
    name: &str,
    now: UnixMillis,
) -> Result<(), Error> {
    if tx.network_named(&user.user_id, name)?.is_some_and(|named| named != *id) {
        return Err(Refusal::NetworkNameTaken.into());
    }
    tx.rename_network(id, name, now)?;
    tx.audit(now, user.username.as_str(), audit::NETWORK_RENAMED, Some(id), id.as_str(), name)?;
    Ok(())
}
