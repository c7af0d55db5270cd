//! Lists one's own tokens, newest first; their secrets are nowhere. Those the hub works under for agents of others are
//! nobody's own.

use baton_core::{Caller, NetworkId, TokenId};
use baton_store::rows::TokenRow;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::page::{self, PageArgs};
use crate::service::place::is_hubs_own;
use crate::service::{Error, WireTime, permit};

/// The scope of a user token, which reaches as far as its user.
const USER_SCOPE: &str = "user";

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tokens)]
pub(crate) struct Answer {
    ok: bool,
    tokens: Vec<Token>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Token {
    token_id: TokenId,
    name: String,
    scope: &'static str,
    network_id: Option<NetworkId>,
    last_used_at: Option<WireTime>,
    created_at: WireTime,
}

impl From<TokenRow> for Token {
    fn from(row: TokenRow) -> Self {
        Self {
            token_id: row.token_id,
            name: row.name,
            scope: if row.network_id.is_some() { row.scope.as_str() } else { USER_SCOPE },
            network_id: row.network_id,
            last_used_at: row.last_used_at.map(WireTime),
            created_at: row.created_at.into(),
        }
    }
}

pub(crate) async fn run(hub: &Hub, caller: &Caller, args: PageArgs) -> Result<Answer, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let (bounds, before) = (args.bounds()?, args.place()?);
    let list = move |rows: &dyn baton_store::Snapshot| {
        let mut own = Vec::new();
        let page = rows.tokens(&user_id, before, bounds)?;
        // A page is short where the hub's own are left out of it.
        for token in page.rows {
            if !is_hubs_own(rows, &token)? {
                own.push(Token::from(token));
            }
        }
        Ok(Answer { ok: true, tokens: own, next_cursor: page::next(page.next) })
    };
    hub.store.read(list).await
}
