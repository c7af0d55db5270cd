//! Acknowledge a delivery.

use baton_core::{Action, Caller, Command, Refusal, access, limits};
use baton_store::rows::DeliveryKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::{Place, role_in};
use super::stamp::Stamp;
use super::{Error, names, operation};
use crate::hub::Hub;

/// Which delivery, in whose inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: String,
    /// A delivery's id or a task's
    message_id: String,
    network_id: Option<String>,
}

/// The body of `POST /api/inbox/:id/ack`: the inbox is the caller's own.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = AckOfDelivery)]
pub struct PathArgs {
    pub network_id: Option<String>,
}

/// It is acknowledged.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryAcked)]
pub struct Answer {
    ok: bool,
}

/// Acknowledges what lies in the caller's own inbox.
pub async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    message_id: String,
    args: PathArgs,
) -> Result<Answer, Error> {
    let alias = caller.principal()?.name().to_owned();
    run(hub, caller, Args { alias, message_id, network_id: args.network_id }).await
}

/// Acknowledges; a task delivered is a task acked.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let network = place.network(tx.as_snapshot(), &caller, None)?;
            let role = role_in(tx.as_snapshot(), &caller, &network)?;
            let owner = names::principal(tx.as_snapshot(), &network, &args.alias)?;
            access::authorize(&caller, &network, role, Action::AckInbox(&owner))?;
            let id = args.message_id.to_lowercase();
            let found = tx.open_delivery(&network, &owner, &id)?.ok_or(Refusal::MessageNotOpen)?;
            match (found.kind, found.task_id) {
                (DeliveryKind::Task, Some(task)) => {
                    operation::act(tx, &stamp, &caller, &place, Some(&task), &Command::Ack)?;
                }
                _ => tx.ack_delivery(found.seq)?,
            }
            Ok(Answer { ok: true })
        })
        .await
}
