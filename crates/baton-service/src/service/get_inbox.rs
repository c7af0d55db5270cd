//! Look into an inbox.

use baton_core::{Action, Caller, MessageId, NetworkId, Principal, Priority, TaskId, access, limits};
use baton_store::rows::{DeliveryRow, PageBounds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::listed_text::ListedText;
use super::place::{Place, known_role};
use super::wire_time::WireTime;
use super::{Error, audit, names, page};
use crate::hub::Hub;

/// Whose inbox.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1, max = limits::ALIAS_MAX_CHARS))]
    alias: String,
    /// 10 by default
    #[schemars(range(min = 1, max = limits::INBOX_PAGE_MAX))]
    limit: Option<i64>,
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
#[schema(as = Inbox)]
pub struct Answer {
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
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Answer, Error> {
    let limit = page::limit(args.limit, limits::INBOX_PAGE_DEFAULT, limits::INBOX_PAGE_MAX)?;
    look(hub, caller, args.network_id, Some(args.alias), args.cursor, PageBounds::of_tool(limit)).await
}

/// Looks into the caller's own inbox.
pub async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Answer, Error> {
    let limit = page::limit_text(args.limit.as_deref(), limits::INBOX_PAGE_DEFAULT, limits::INBOX_PAGE_MAX)?;
    look(hub, caller, args.network_id, None, args.cursor, PageBounds::rows(limit)).await
}

async fn look(
    hub: &Hub,
    caller: &Caller,
    network_id: Option<String>,
    name: Option<String>,
    cursor: Option<String>,
    page: PageBounds,
) -> Result<Answer, Error> {
    let cursors = page::cursors(hub, caller, "inbox");
    let after = cursors.open(cursor.as_deref())?;
    let place = Place::of_write(network_id.as_deref());
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let network = place.network(rows, &asker, None)?;
        let role = known_role(rows, &asker, &network)?;
        let owner: Principal = match &name {
            Some(name) => names::principal(rows, &network, name)?,
            None => asker.principal()?,
        };
        access::authorize(&asker, &network, role, Action::ReadInbox(&owner))?;
        let page = rows.inbox(&network, &owner, after, page)?.map(DeliveryView::from);
        let answer = Answer { ok: true, messages: page.rows, next_cursor: cursors.next(page.next) };
        Ok((network, role, answer))
    });
    let (network, role, answer) = read.await?;
    audit::foreign_read(hub, caller, role, &network, "inbox").await?;
    Ok(answer)
}
