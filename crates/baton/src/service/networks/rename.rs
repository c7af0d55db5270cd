//! Gives a network another name.

use baton_core::{Action, Caller, Refusal};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, labels, permit};

#[derive(Deserialize, Serialize)]
pub(crate) struct Args {
    pub(crate) name: String,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str, args: Args) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let name = labels::network_name(&args.name)?;
    let now = hub.clock.now();
    let rename = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::RenameNetwork)?;
        let user = permit::account(&caller)?;
        if tx.network_named(&user.user_id, &name)?.is_some_and(|named| named != id) {
            return Err(Refusal::NetworkNameTaken.into());
        }
        tx.rename_network(&id, &name, now)?;
        tx.audit(now, user.username.as_str(), audit::NETWORK_RENAMED, Some(&id), id.as_str(), &name)?;
        Ok(Done::OK)
    };
    hub.store.write(rename).await
}
