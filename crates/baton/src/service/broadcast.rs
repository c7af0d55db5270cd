//! Say something to every live session but one's own.

use baton_core::{Action, Caller, MessageId, MessageText, Principal, Priority, UUID_RANDOM_BYTES, access};
use baton_store::Transaction;
use baton_store::rows::{DeliveryKind, NewDelivery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::apply::{put_delivery, tell};
use super::frame::Frame;
use super::place::{Place, role_in};
use super::stamp::Stamp;
use super::{Error, presence, statuses};
use crate::hub::Hub;

/// What is to be said, and to whom.
#[derive(Debug, Deserialize, JsonSchema, ToSchema)]
#[schema(as = NewBroadcast)]
pub(crate) struct Args {
    #[schemars(length(min = 1, max = 10000))]
    #[schema(min_length = 1, max_length = 10000)]
    message: String,
    filter_server: Option<String>,
    filter_status: Option<String>,
    network_id: Option<String>,
}

/// Who got it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BroadcastSent)]
pub(crate) struct Answer {
    ok: bool,
    recipients: usize,
    message_ids: Vec<MessageId>,
}

/// Broadcasts.
pub(crate) async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let text = MessageText::parse("message", &args.message).map_err(Error::of_argument)?;
    let place = Place::of_write(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store
        .write(move |tx| {
            let network = place.network(tx.as_snapshot(), &caller, None)?;
            let role = role_in(tx.as_snapshot(), &caller, &network)?;
            access::authorize(&caller, &network, role, Action::Broadcast)?;
            let from = caller.principal()?;
            let mut message_ids = Vec::new();
            for session in statuses::every_session(tx.as_snapshot(), &network)? {
                let to = Principal::Node(session.alias.clone());
                let status = presence::shown_status(&stamp, &network, &session);
                let fits = to != from
                    && status != presence::OFFLINE
                    && args
                        .filter_server
                        .as_ref()
                        .is_none_or(|server| session.server.as_ref() == Some(server))
                    && args.filter_status.as_ref().is_none_or(|wanted| status == *wanted);
                if fits {
                    message_ids.push(deliver(tx, &stamp, &network, &from, &to, text.as_str())?);
                }
            }
            Ok(Answer { ok: true, recipients: message_ids.len(), message_ids })
        })
        .await
}

fn deliver(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    network: &baton_core::NetworkId,
    from: &Principal,
    to: &Principal,
    text: &str,
) -> Result<MessageId, Error> {
    let message_id = MessageId::new(stamp.now, crate::hub::random_bytes::<UUID_RANDOM_BYTES>());
    put_delivery(
        tx,
        NewDelivery {
            message_id: &message_id,
            network_id: network,
            to,
            from,
            kind: DeliveryKind::Broadcast,
            priority: Priority::Normal,
            task_id: None,
            content: Some(text),
            at: stamp.now,
        },
    )?;
    let inbox_count = tx.inbox_count(network, to)?;
    let frame = Frame::Broadcast { message_id: &message_id, from: from.name(), inbox_count };
    tell(tx, network, to, &frame.body()?)?;
    Ok(message_id)
}
