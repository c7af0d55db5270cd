//! Send a message to every live session but one's own. In steps, each a write of its own, so that a network of thousands
//! keeps nobody else waiting: if a step fails, some sessions have the message and the caller gets an error.

use baton_core::{
    Action, Alias, Caller, MessageId, MessageText, NetworkId, Principal, Priority, UUID_RANDOM_BYTES, access,
    limits,
};
use baton_store::Transaction;
use baton_store::rows::{DeliveryKind, NewDelivery, SessionSummaryRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use utoipa::ToSchema;

use super::apply::{put_delivery, tell};
use super::frame::Frame;
use super::network_ref::{NetworkRef, role_in};
use super::stamp::Stamp;
use super::{Error, presence};
use crate::hub::Hub;

/// The message and its recipient.
#[derive(Debug, Deserialize, JsonSchema, ToSchema)]
#[schema(as = NewBroadcast)]
pub struct Args {
    /// The message
    #[schemars(length(min = 1, max = limits::TEXT_MAX_BYTES))]
    message: String,
    /// Only agents with this server label
    filter_server: Option<String>,
    /// Only agents with this status
    filter_status: Option<String>,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// Who got it.
#[derive(Debug, Serialize, ToSchema)]
pub struct BroadcastSent {
    ok: bool,
    recipients: usize,
    message_ids: Vec<MessageId>,
}

/// Broadcasts.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<BroadcastSent, Error> {
    let text = MessageText::parse("message", &args.message).map_err(Error::of_argument)?;
    let wanted = Arc::new(Wanted { place: NetworkRef::of_write(args.network_id.as_deref()), text, args });
    // One at a time for an account, and the disk is left to others for as long as each step took: the texts of a
    // broadcast are much to write.
    let _turn = hub.broadcasting.lock(caller.user_id()).await;
    let mut message_ids = Vec::new();
    let mut after = None;
    loop {
        let began = Instant::now();
        let (stamp, wanted, caller_of_step) = (Stamp::new(hub), wanted.clone(), caller.clone());
        let step = move |tx: &mut dyn Transaction| wanted.step(tx, &stamp, &caller_of_step, after.as_ref());
        let written = hub.store_for(caller).write(step).await;
        // What earlier steps sent stays.
        let Step { sent, last } =
            if message_ids.is_empty() { written? } else { written.map_err(Error::after_commit)? };
        message_ids.extend(sent);
        if last.is_none() {
            break;
        }
        after = last;
        tokio::time::sleep(began.elapsed()).await;
    }
    Ok(BroadcastSent { ok: true, recipients: message_ids.len(), message_ids })
}

struct Wanted {
    place: NetworkRef,
    text: MessageText,
    args: Args,
}

/// What one write did.
struct Step {
    sent: Vec<MessageId>,
    /// The network, and the last session of it that was looked at; none if there are no more.
    last: Option<(NetworkId, Alias)>,
}

impl Wanted {
    /// Delivers to some of the sessions. Access is checked each time: the caller may have lost it meanwhile.
    fn step(
        &self,
        tx: &mut dyn Transaction,
        stamp: &Stamp,
        caller: &Caller,
        after: Option<&(NetworkId, Alias)>,
    ) -> Result<Step, Error> {
        // The first step finds the network; the others continue there, whatever the caller joins meanwhile.
        let (network, after) = match after {
            Some((network, alias)) => (network.clone(), Some(alias)),
            None => (self.place.network(tx.as_snapshot(), caller, None)?, None),
        };
        let role = role_in(tx.as_snapshot(), caller, &network)?;
        access::authorize(caller, &network, role, Action::Broadcast)?;
        let from = caller.principal()?;
        let sessions = tx.session_glances(&network, after, limits::BROADCAST_STEP_COUNT)?;
        let last = sessions.last().filter(|_| sessions.len() == limits::BROADCAST_STEP_COUNT);
        let last = last.map(|session| (network.clone(), session.alias.clone()));
        let (now, mut sent) = (tx.time().now, Vec::new());
        for session in sessions {
            let is_live = presence::shown_status(stamp, now, &network, &session) != presence::OFFLINE;
            let is_meant = is_live && self.is_meant(&session);
            let to = Principal::Node(session.alias);
            if is_meant && to != from {
                sent.push(deliver(tx, &network, &from, &to, self.text.as_str())?);
            }
        }
        Ok(Step { sent, last })
    }

    fn is_meant(&self, session: &SessionSummaryRow) -> bool {
        let Args { filter_server, filter_status, .. } = &self.args;
        filter_server.as_ref().is_none_or(|server| session.server.as_ref() == Some(server))
            && filter_status.as_ref().is_none_or(|status| session.status == *status)
    }
}

fn deliver(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    from: &Principal,
    to: &Principal,
    text: &str,
) -> Result<MessageId, Error> {
    let now = tx.time().now;
    let message_id = MessageId::new(now, crate::random::bytes::<UUID_RANDOM_BYTES>());
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
            content: text,
            at: now,
        },
    )?;
    let inbox_count = tx.inbox_count(network, to)?;
    let frame = Frame::Broadcast { message_id: &message_id, from: from.name(), inbox_count };
    tell(tx, network, to, &frame.body()?)?;
    Ok(message_id)
}
