//! Ends a network, and everything in it: members, tokens, tasks and their history.

use baton_core::{Action, Caller, Refusal};
use baton_store::Transaction;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, permit};

pub(crate) async fn run(hub: &Hub, caller: Caller, network_id: &str) -> Result<Done, Error> {
    permit::account(&caller)?;
    let id = permit::network_id(network_id)?;
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let delete = move |tx: &mut dyn Transaction| {
        permit::network(tx.as_snapshot(), &caller, &id, Action::DeleteNetwork)?;
        let user = permit::account(&caller)?;
        let name = tx.network(&id)?.ok_or(Refusal::NetworkNotFound)?.name;
        tx.delete_network(&id)?;
        tx.audit(now, user.username.as_str(), audit::NETWORK_DELETED, Some(&id), id.as_str(), &name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(delete).await
}
