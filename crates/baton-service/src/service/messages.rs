//! Every delivery of the networks a caller may read.

use baton_core::{Caller, MessageId, NetworkId, Priority, limits};
use baton_store::rows::{DeliveryRow, MessageFilter, PageBounds};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::get_completions::since;
use super::listed_text::ListedText;
use super::network_ref::VisibleNetworks;
use super::wire_time::WireTime;
use super::{Error, page};
use crate::hub::Hub;

/// Which deliveries.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// `YYYY-MM-DD HH:MM:SS` in UTC, or RFC 3339; an hour ago by default
    since: Option<String>,
    /// 100 by default
    #[param(value_type = Option<u32>)]
    limit: Option<String>,
    /// The network; without it, all of the caller's
    network_id: Option<String>,
    /// `next_cursor` of the page before
    cursor: Option<String>,
}

/// The deliveries, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Messages {
    ok: bool,
    messages: Vec<MessageView>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Message)]
struct MessageView {
    id: MessageId,
    to_alias: String,
    from_alias: String,
    #[serde(rename = "type")]
    kind: &'static str,
    priority: Priority,
    content: String,
    /// If `content` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    created_at: WireTime,
    network_id: NetworkId,
}

impl From<DeliveryRow> for MessageView {
    fn from(row: DeliveryRow) -> Self {
        let content = ListedText::new(row.content, limits::LISTED_TEXT_MAX_CHARS);
        Self {
            id: row.message_id,
            to_alias: row.to.name().to_owned(),
            from_alias: row.from.name().to_owned(),
            kind: row.kind.as_str(),
            priority: row.priority,
            content: content.text,
            content_truncated: content.is_cut,
            created_at: WireTime(row.created_at),
            network_id: row.network_id,
        }
    }
}

/// Lists deliveries.
pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Messages, Error> {
    let limit =
        page::limit_text(args.limit.as_deref(), limits::MESSAGE_PAGE_DEFAULT, limits::MESSAGE_PAGE_MAX)?;
    let since = since(args.since.as_deref(), hub, limits::MESSAGES_SINCE_DEFAULT_SECONDS)?;
    let cursors = page::cursors(hub, caller, "messages");
    let before = cursors.open(args.cursor.as_deref())?;
    let asker = caller.clone();
    let (reach, found) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = VisibleNetworks::of(rows, &asker, args.network_id.as_deref())?;
            let networks = reach.networks.clone();
            let filter = MessageFilter { networks, since, before, page: PageBounds::rows(limit) };
            let found = rows.messages(&filter)?;
            Ok((reach, found))
        })
        .await?;
    reach.write_down(hub, caller, "messages").await?;
    let page = found.map(MessageView::from);
    Ok(Messages { ok: true, messages: page.rows, next_cursor: cursors.next(page.next) })
}
