//! A network's node tokens, for the dashboard: an admin sees and revokes all, a member their own. Tokens the hub works
//! with itself, for agents of others, are not among them: those end with the agent.

use baton_core::{Action, Caller, NetworkId, NetworkRole, Refusal, TokenId, TokenScope, UserId, Username};
use baton_store::rows::{NodeTokenRow, TokenRow};
use baton_store::{Snapshot, Transaction};
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::done::Done;
use crate::service::page::{self, PageArgs};
use crate::service::place::is_hubs_own;
use crate::service::{Error, WireTime, audit, permit};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodeTokens)]
pub(crate) struct Answer {
    ok: bool,
    tokens: Vec<Token>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodeToken)]
struct Token {
    token_id: TokenId,
    /// None until its first report binds one.
    node_name: Option<String>,
    scope: TokenScope,
    owner: Username,
    created_at: WireTime,
    last_used_at: Option<WireTime>,
}

impl Token {
    fn new(NodeTokenRow { token: row, owner, .. }: NodeTokenRow) -> Self {
        Self {
            token_id: row.token_id,
            node_name: row.alias.map(|alias| alias.as_str().to_owned()),
            scope: row.scope,
            owner,
            created_at: row.created_at.into(),
            last_used_at: row.last_used_at.map(WireTime),
        }
    }
}

/// Lists them, newest first; their secrets are nowhere.
pub(crate) async fn list(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: PageArgs,
) -> Result<Answer, Error> {
    let id = permit::network_id(network_id)?;
    let cursors = page::cursors(hub, &caller, "node tokens");
    let (bounds, before) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        let only = seen(rows, &caller, &id)?;
        let page = rows.node_tokens(&id, only.as_ref(), before, bounds)?;
        let mut tokens = Vec::new();
        // A page is short where the hub's own are left out of it.
        for row in page.rows {
            if !is_hubs_own(rows, &row.token)? {
                tokens.push(Token::new(row));
            }
        }
        Ok(Answer { ok: true, tokens, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}

/// Revokes one; one that the caller would not be shown is not found.
pub(crate) async fn revoke(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    token_id: &str,
) -> Result<Done, Error> {
    let id = permit::network_id(network_id)?;
    let token_id = TokenId::parse(token_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let revoke = move |tx: &mut dyn Transaction| {
        let only = seen(tx.as_snapshot(), &caller, &id)?;
        let token = token_id.as_ref().map(|token| tx.token(token)).transpose()?.flatten();
        let is_shown = |token: &TokenRow| {
            token.network_id.as_ref() == Some(&id) && only.as_ref().is_none_or(|user| token.user_id == *user)
        };
        let token = token.filter(is_shown).ok_or(Refusal::TokenNotFound)?;
        if is_hubs_own(tx.as_snapshot(), &token)? {
            return Err(Refusal::TokenNotFound.into());
        }
        tx.revoke_token(&token.token_id, now)?;
        let (actor, subject) = (permit::account(&caller)?.username.as_str(), token.token_id.as_str());
        tx.audit(now, actor, audit::TOKEN_REVOKED, Some(&id), subject, &token.name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(revoke).await
}

/// Whose tokens the caller sees: everybody's when none is named.
fn seen(rows: &dyn Snapshot, caller: &Caller, network: &NetworkId) -> Result<Option<UserId>, Error> {
    let role = permit::network(rows, caller, network, Action::ManageTokens { own: true })?;
    let sees_all = role.is_some_and(|role| role >= NetworkRole::Admin);
    Ok((!sees_all).then(|| caller.user_id().clone()))
}
