//! Removes an agent of others. Nothing more can be sent to its alias. What is out there is no longer looked at; its
//! tasks here go back to the alias's inbox when their leases lapse, as with any agent that went away.

use baton_core::{Action, Caller, Refusal};

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::{Error, audit, names, permit};

pub(crate) async fn run(hub: &Hub, caller: &Caller, network: &str, alias: &str) -> Result<Done, Error> {
    let user = permit::account(caller)?.clone();
    let network = permit::network_id(network)?;
    let alias = names::alias(alias).map_err(|_| Refusal::AliasNotFound)?;
    let (caller, now) = (caller.clone(), hub.clock.now());
    let remove = hub.store_for(&caller).write(move |tx| -> Result<_, Error> {
        permit::network(tx.as_snapshot(), &caller, &network, Action::ManageRemotes)?;
        let remote = tx.remote(&network, &alias)?.ok_or(Refusal::AliasNotFound)?;
        tx.revoke_token(&remote.token_id, now)?;
        tx.delete_remote(&network, &alias)?;
        let actor = user.username.as_str();
        let place = super::audited(&remote.card_url);
        tx.audit(now, actor, audit::REMOTE_REMOVED, Some(&network), alias.as_str(), &place)?;
        tx.touch_access();
        Ok(Done::OK)
    });
    let done = remove.await?;
    hub.remotes_changed.notify_one();
    Ok(done)
}
