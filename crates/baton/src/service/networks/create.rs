//! Makes a network; whoever makes it owns it.

use baton_core::{Caller, NetworkId, Quota, Refusal};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::{Error, labels, new_user, permit, quotas};

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = NewNetwork)]
pub(crate) struct Args {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkCreated)]
pub(crate) struct Answer {
    ok: bool,
    network_id: NetworkId,
    network_name: String,
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let user = permit::account(caller)?.clone();
    let network_name = labels::network_name(&args.name)?;
    let description = labels::label("description", args.description.as_deref())?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let create = move |tx: &mut dyn Transaction| {
        if tx.network_named(&user.user_id, &network_name)?.is_some() {
            return Err(Refusal::NetworkNameTaken.into());
        }
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Networks)?;
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Memberships)?;
        let actor = user.username.as_str();
        let network_id =
            new_user::own_network(tx, &user.user_id, &network_name, description.clone(), actor, now)?;
        Ok(Answer { ok: true, network_id, network_name: network_name.clone() })
    };
    store.write(create).await
}
