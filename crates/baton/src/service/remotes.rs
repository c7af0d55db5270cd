//! Agents of others under an alias of a network: registered, listed, removed by its admins. Their tasks are worked on
//! by the hub (`worker/remote`), as an agent of the network like any other. The credential is never shown.

pub(crate) mod add;
pub(crate) mod list;
pub(crate) mod remove;

use baton_core::NetworkId;
use baton_store::rows::RemoteRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::WireTime;

/// Where a card is, as the audit log keeps it: a query may hold a key.
fn audited(card_url: &str) -> String {
    reqwest::Url::parse(card_url)
        .map(|url| format!("{}{}", url.origin().ascii_serialization(), url.path()))
        .unwrap_or_default()
}

/// An agent of others as it is shown.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Remote)]
pub(crate) struct RemoteView {
    alias: String,
    network_id: NetworkId,
    card_url: String,
    has_credential: bool,
    created_by: String,
    created_at: WireTime,
}

impl From<RemoteRow> for RemoteView {
    fn from(row: RemoteRow) -> Self {
        Self {
            alias: row.alias.as_str().to_owned(),
            network_id: row.network_id,
            card_url: row.card_url,
            has_credential: row.credential.is_some(),
            created_by: row.created_by,
            created_at: WireTime(row.created_at),
        }
    }
}
