//! Send a message: a delivery that is not a task.

use baton_core::{Action, Caller, MessageId, MessageText, NetworkId, Principal, Priority, Refusal, limits};
use baton_store::Transaction;
use baton_store::rows::{DeliveryKind, NewDelivery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::apply::{put_delivery, tell};
use super::frame::Frame;
use super::network_ref::NetworkRef;
use super::stamp::Stamp;
use super::{Error, names, presence};
use crate::hub::Hub;

/// The message and its recipient.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// An agent's alias, or a member's username
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: String,
    /// The message
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    message: String,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageSent {
    ok: bool,
    message_id: MessageId,
    session_status: String,
}

impl MessageSent {
    /// What another answer is made of.
    pub fn into_parts(self) -> (MessageId, String) {
        (self.message_id, self.session_status)
    }
}

/// Sends a message.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<MessageSent, Error> {
    let text = MessageText::parse("message", &args.message).map_err(Error::of_argument)?;
    let place = NetworkRef::of_write(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let network = place.permit(tx.as_snapshot(), &caller, Action::Send)?.into_network();
            deliver(tx, &stamp, &caller, &network, &args.alias, DeliveryKind::Message, text.as_str())
        })
        .await
}

/// Puts a message or a reply that is about no task into somebody's inbox.
pub fn deliver(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    caller: &Caller,
    network: &NetworkId,
    name: &str,
    kind: DeliveryKind,
    text: &str,
) -> Result<MessageSent, Error> {
    let to = recipient(tx, network, name)?;
    let from = caller.principal()?;
    let (message_id, at) = (stamp.new_message_id.clone(), tx.time().now);
    put_delivery(
        tx,
        NewDelivery {
            message_id: &message_id,
            network_id: network,
            to: &to,
            from: &from,
            kind,
            priority: Priority::Normal,
            task_id: None,
            content: text,
            at,
        },
    )?;
    let inbox_count = tx.inbox_count(network, &to)?;
    let frame = match kind {
        DeliveryKind::Reply => {
            Frame::NewReply { from: from.name(), message_id: &message_id, in_reply_to: None, status: None }
        }
        _ => Frame::NewMessage { message_id: &message_id, from: from.name(), task_id: None, inbox_count },
    };
    tell(tx, network, &to, &frame.body()?)?;
    let session_status = match &to {
        Principal::Node(alias) => presence::session_status(tx.as_snapshot(), at, stamp, network, alias)?,
        _ => "user".into(),
    };
    Ok(MessageSent { ok: true, message_id, session_status })
}

/// An agent that exists, or a member.
fn recipient(tx: &dyn Transaction, network: &NetworkId, name: &str) -> Result<Principal, Error> {
    let to = names::principal(tx.as_snapshot(), network, name)?;
    match &to {
        Principal::Node(alias) if !tx.alias_exists(network, alias)? => Err(Refusal::AliasNotFound.into()),
        _ => Ok(to),
    }
}
