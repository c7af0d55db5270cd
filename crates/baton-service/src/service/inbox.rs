//! An inbox: looking into it, and acknowledging what lies in it.

use baton_core::{Action, Caller, Command, MessageId, NetworkId, Priority, Refusal, TaskId, limits};
use baton_store::rows::{DeliveryKind, DeliveryRow, PageBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::actor::Actor;
use super::listed_text::ListedText;
use super::network_ref::NetworkRef;
use super::permit::Permitted;
use super::stamp::Stamp;
use super::wire_time::WireTime;
use super::{Error, audit, names, operation, page};
use crate::hub::Hub;

/// Whose inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ReadArgs {
    /// Whose inbox; your own by default
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: Option<String>,
    /// 10 by default
    #[schemars(range(min = 1, max = limits::INBOX_PAGE_MAX))]
    limit: Option<i64>,
    /// The network; a node token has only its own
    network_id: Option<String>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

/// The query of `GET /api/inbox`: the caller's own inbox.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// 10 by default
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// A user token's network
    pub network_id: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// What lies in it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Inbox {
    ok: bool,
    messages: Vec<DeliveryView>,
    next_cursor: Option<String>,
}

/// A delivery, in the contract's order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryView {
    id: MessageId,
    task_id: Option<TaskId>,
    #[serde(rename = "type")]
    kind: &'static str,
    priority: Priority,
    content: String,
    /// If `content` is only the beginning; `GET /api/tasks/:id` has all of a task's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    context: Option<String>,
    from_session: String,
    created_at: WireTime,
    network_id: NetworkId,
}

impl From<DeliveryRow> for DeliveryView {
    fn from(row: DeliveryRow) -> Self {
        let content = ListedText::new(row.content, limits::LISTED_TEXT_MAX_CHARS);
        Self {
            id: row.message_id,
            task_id: row.task_id,
            kind: row.kind.as_str(),
            priority: row.priority,
            content: content.text,
            content_truncated: content.is_cut,
            context: row.context,
            from_session: row.from.name().to_owned(),
            created_at: WireTime(row.created_at),
            network_id: row.network_id,
        }
    }
}

/// Looks into the named inbox.
pub async fn read(hub: &Hub, caller: &Caller, args: ReadArgs) -> Result<Inbox, Error> {
    let limit = page::limit(args.limit, limits::INBOX_PAGE_DEFAULT, limits::INBOX_PAGE_MAX)?;
    read_inbox(hub, caller, args.network_id, args.alias, args.cursor, PageBounds::of_tool(limit)).await
}

/// Looks into the caller's own inbox.
pub async fn read_own(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Inbox, Error> {
    let limit = page::limit_text(args.limit.as_deref(), limits::INBOX_PAGE_DEFAULT, limits::INBOX_PAGE_MAX)?;
    read_inbox(hub, caller, args.network_id, None, args.cursor, PageBounds::rows(limit)).await
}

async fn read_inbox(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    name: Option<String>,
    cursor: Option<String>,
    page: PageBounds,
) -> Result<Inbox, Error> {
    let cursors = page::cursors(hub, caller, "inbox");
    let after = cursors.open(cursor.as_deref())?;
    let place = NetworkRef::of_write(network_id.as_deref());
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let stand = place.known(rows, &asker)?;
        let name = names::form(&names::given_or_own(&asker, name.clone())?)?;
        let permitted = Permitted::ask(&asker, stand, Action::ReadInbox(&name))?;
        let is_audited = permitted.is_audited();
        let network = permitted.into_network();
        let owner = names::principal(rows, &network, &name)?;
        let page = rows.inbox(&network, &owner, after, page)?.map(DeliveryView::from);
        let answer = Inbox { ok: true, messages: page.rows, next_cursor: cursors.next(page.next) };
        Ok((is_audited.then_some(network), answer))
    });
    let (audited, answer) = read.await?;
    audit::network_read(hub, caller, audited, "inbox").await?;
    Ok(answer)
}

/// Which delivery, in whose inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AckArgs {
    /// Whose inbox; your own by default
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: Option<String>,
    /// A delivery's id or a task's
    message_id: String,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// The body of `POST /api/inbox/:id/ack`: the inbox is the caller's own.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = AckOfDelivery)]
pub struct AckOwnArgs {
    pub network_id: Option<String>,
}

/// It is acknowledged.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryAcked)]
pub struct Acked {
    ok: bool,
}

/// Acknowledges what lies in the caller's own inbox.
pub async fn ack_own(
    hub: &Hub,
    caller: &Caller,
    message_id: String,
    args: AckOwnArgs,
) -> Result<Acked, Error> {
    ack(hub, caller, AckArgs { alias: None, message_id, network_id: args.network_id }).await
}

/// Acknowledges; a task delivered is a task acked.
pub async fn ack(hub: &Hub, caller: &Caller, args: AckArgs) -> Result<Acked, Error> {
    let place = NetworkRef::of_task_call(args.network_id.as_deref());
    let stamp = Stamp::new(hub);
    let caller = caller.clone();
    hub.store_for(&caller)
        .write(move |tx| {
            let stand = place.resolve(tx.as_snapshot(), &caller, None)?;
            let name = names::form(&names::given_or_own(&caller, args.alias.clone())?)?;
            let network = Permitted::ask(&caller, stand, Action::AckInbox(&name))?.into_network();
            let owner = names::principal(tx.as_snapshot(), &network, &name)?;
            let id = args.message_id.to_lowercase();
            let found = tx.open_delivery(&network, &owner, &id)?.ok_or(Refusal::MessageNotOpen)?;
            match (found.kind, found.task_id) {
                // A caller that may ack an inbox may ack the tasks in it: they are its owner's.
                (DeliveryKind::Task, Some(task)) => {
                    let task = tx.task_snapshot_in(&network, &task)?.ok_or(Refusal::TaskNotFound)?;
                    operation::carry_out(tx, &stamp, &Actor::of(&caller)?, task, &Command::Ack)?;
                }
                _ => tx.ack_delivery(found.seq)?,
            }
            Ok(Acked { ok: true })
        })
        .await
}
