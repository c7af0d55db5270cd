//! Changes how a user is shown. An absent field stays as it is.

use baton_core::Caller;
use baton_store::Transaction;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Answer, of};
use crate::hub::Hub;
use crate::service::{Error, audit, labels, page, permit};

#[derive(Deserialize, ToSchema)]
#[schema(as = ProfileChange)]
pub(crate) struct Args {
    display_name: Option<String>,
    email: Option<String>,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, args: Args) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let display_name = labels::label("display_name", args.display_name.as_deref())?;
    let email = labels::label("email", args.email.as_deref())?;
    let now = hub.clock.now();
    let cursors = page::cursors(hub, &caller, page::NETWORKS);
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        let user = permit::account(&caller)?;
        if display_name.is_some() || email.is_some() {
            tx.change_profile(&user.user_id, display_name.as_deref(), email.as_deref())?;
            let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
            tx.audit(now, actor, audit::USER_CHANGED, None, subject, "profile")?;
        }
        of(tx.as_snapshot(), &caller, &cursors)
    };
    store.write(change).await
}
