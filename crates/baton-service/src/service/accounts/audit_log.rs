//! Who changed users, tokens, members and networks, newest first. For system admins.

use baton_core::access::{self, HubAction};
use baton_core::{Caller, NetworkId, limits};
use baton_store::Snapshot;
use baton_store::rows::{AuditRow, PageBounds};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::hub::Hub;
use crate::service::{Error, WireTime};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Args {
    /// 100 by default; more than 500 are 500
    #[param(minimum = 0)]
    limit: Option<usize>,
    /// The `next_cursor` of the page before.
    cursor: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AuditLog {
    ok: bool,
    entries: Vec<Entry>,
    next_cursor: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
struct Entry {
    id: i64,
    at: WireTime,
    actor: String,
    action: String,
    network_id: Option<NetworkId>,
    subject: String,
    detail: String,
}

impl From<AuditRow> for Entry {
    fn from(row: AuditRow) -> Self {
        Self {
            id: row.id,
            at: row.at.into(),
            actor: row.actor,
            action: row.action,
            network_id: row.network_id,
            subject: row.subject,
            detail: row.detail,
        }
    }
}

pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<AuditLog, Error> {
    access::authorize_on_hub(caller, HubAction::ReadAuditLog)?;
    let limit = args.limit.unwrap_or(limits::AUDIT_PAGE_DEFAULT).clamp(1, limits::OTHER_PAGE_MAX);
    let store = hub.store_for(caller);
    let read = move |rows: &dyn Snapshot| {
        let page = rows.audit_log(args.cursor, PageBounds::rows(limit))?.map(Entry::from);
        Ok(AuditLog { ok: true, entries: page.rows, next_cursor: page.next })
    };
    store.read(read).await
}
