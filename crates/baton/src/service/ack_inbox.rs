//! Acknowledge a delivery.

use baton_core::{Action, Caller, Command, Refusal, limits};
use baton_store::rows::DeliveryKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::actor::Actor;
use super::permit::Permitted;
use super::place::Place;
use super::stamp::Stamp;
use super::{Error, names, operation};
use crate::hub::Hub;

/// Which delivery, in whose inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: String,
    /// A delivery's id or a task's
    message_id: String,
    network_id: Option<String>,
}

/// The body of `POST /api/inbox/:id/ack`: the inbox is the caller's own.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = AckOfDelivery)]
pub(crate) struct PathArgs {
    pub(crate) network_id: Option<String>,
}

/// It is acknowledged.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryAcked)]
pub(crate) struct Answer {
    ok: bool,
}

/// Acknowledges what lies in the caller's own inbox.
pub(crate) async fn run_on_path(
    hub: &Hub,
    caller: &Caller,
    message_id: String,
    args: PathArgs,
) -> Result<Answer, Error> {
    let alias = caller.principal()?.name().to_owned();
    run(hub, caller, Args { alias, message_id, network_id: args.network_id }).await
}

/// Acknowledges; a task delivered is a task acked.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let place = Place::of_task_call(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let stand = place.stand(tx.as_snapshot(), &caller, None)?;
            let name = names::form(&args.alias)?;
            let network = Permitted::ask(&caller, stand, Action::AckInbox(&name))?.into_network();
            let owner = names::principal(tx.as_snapshot(), &network, &name)?;
            let id = args.message_id.to_lowercase();
            let found = tx.open_delivery(&network, &owner, &id)?.ok_or(Refusal::MessageNotOpen)?;
            match (found.kind, found.task_id) {
                // Whoever may ack what lies in an inbox may ack the tasks in it: they are its owner's.
                (DeliveryKind::Task, Some(task)) => {
                    let task = tx.task_snapshot_in(&network, &task)?.ok_or(Refusal::TaskNotFound)?;
                    operation::carry_out(tx, &stamp, &Actor::of(&caller)?, task, &Command::Ack)?;
                }
                _ => tx.ack_delivery(found.seq)?,
            }
            Ok(Answer { ok: true })
        })
        .await
}
