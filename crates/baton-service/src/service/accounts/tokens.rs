//! Tokens. Users list and revoke their own, of either kind, and mint node tokens; of a network's node tokens an admin sees
//! and revokes all, a member their own. Tokens the hub works under for remote agents are not among them: those end with
//! the agent. Secrets are shown once, when a token is made.

use baton_core::{
    Action, Alias, Caller, NetworkId, NetworkRole, Quota, Refusal, TokenId, TokenLifeSeconds, TokenScope,
    UnixMillis, UserCaller, UserId, Username, mint_alias,
};
use baton_store::rows::{NodeTokenRow, TokenRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::quotas;
use crate::service::network_ref::is_hubs_own;
use crate::service::page::{self, PageArgs};
use crate::service::secret::{self, Revealed};
use crate::service::{Done, Error, WireTime, audit, names, permit};

/// The scope of a user token, which reaches as far as its user.
const USER_SCOPE: &str = "user";

#[derive(Debug, Serialize, ToSchema)]
pub struct Tokens {
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
    /// When it ends by itself; absent if it lasts until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
    /// The OAuth client that a user allowed to act; absent if it is not a grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
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
            expires_at: row.expires_at.map(WireTime),
            client_id: row.client_id,
        }
    }
}

/// Lists one's own tokens, newest first.
pub async fn list(hub: &Hub, caller: &Caller, args: PageArgs) -> Result<Tokens, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let cursors = page::cursors(hub, caller, "tokens");
    let (bounds, before) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(caller);
    let list = move |rows: &dyn baton_store::Snapshot| {
        let mut own = Vec::new();
        let page = rows.tokens(&user_id, before, bounds)?;
        // A page is short where the hub's own are left out of it.
        for token in page.rows {
            if !is_hubs_own(rows, &token)? {
                own.push(Token::from(token));
            }
        }
        Ok(Tokens { ok: true, tokens: own, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}

/// Revokes one of one's own tokens, of either kind. Somebody else's is not found.
pub async fn revoke(hub: &Hub, caller: &Caller, token_id: &str) -> Result<Done, Error> {
    let user = permit::account(caller)?.clone();
    let token_id = TokenId::parse(token_id).ok_or(Refusal::TokenNotFound)?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let revoke = move |tx: &mut dyn Transaction| {
        let token = tx.token(&token_id)?.filter(|token| token.user_id == user.user_id);
        let token = token.ok_or(Refusal::TokenNotFound)?;
        // What the hub works under for a remote agent goes when the agent is removed.
        if is_hubs_own(tx.as_snapshot(), &token)? {
            return Err(Refusal::TokenNotFound.into());
        }
        tx.revoke_token(&token_id, now)?;
        let (actor, network) = (user.username.as_str(), token.network_id.as_ref());
        tx.audit(now, actor, audit::TOKEN_REVOKED, network, token_id.as_str(), &token.name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(revoke).await
}

#[derive(Deserialize, Serialize, ToSchema)]
pub struct NewNodeToken {
    pub network_id: Option<String>,
    pub node_name: Option<String>,
    pub scope: Option<TokenScope>,
    /// When it ends by itself, from now; it lasts until it is revoked if this is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<i64>,
}

/// When a token ends that is made now to last so long.
pub(super) fn expires_at(seconds: Option<i64>, now: UnixMillis) -> Result<Option<UnixMillis>, Error> {
    let life = seconds.map(|seconds| TokenLifeSeconds::parse("expires_in_seconds", seconds)).transpose();
    Ok(life.map_err(Error::of_argument)?.map(|life| now.plus_seconds(life.get())))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct NodeTokenMinted {
    ok: bool,
    token: Revealed,
    token_id: TokenId,
    /// When it ends by itself; absent if it lasts until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
}

/// Minting a node token: an agent's key to one network, bound to one alias. One alias may have several, all of the
/// user it belongs to.
pub async fn mint(hub: &Hub, caller: Caller, args: NewNodeToken) -> Result<NodeTokenMinted, Error> {
    let user = permit::account(&caller)?.clone();
    let named = |text: Option<String>| text.filter(|text| !text.is_empty()).ok_or(Refusal::MintFieldsMissing);
    let (network, node_name) = (named(args.network_id)?, named(args.node_name)?);
    let network = NetworkId::parse(&network).ok_or(Refusal::NoWriteAccess)?;
    let alias = parse_alias(&node_name)?;
    let scope = args.scope.unwrap_or(TokenScope::Node);
    let now = hub.clock.now();
    let expires_at = expires_at(args.expires_in_seconds, now)?;
    let mint = move |tx: &mut dyn Transaction| {
        admit(tx.as_snapshot(), &user, &network, &alias, scope)?;
        let (token, mut row) = secret::node_token(&user.user_id, &network, Some(alias.clone()), scope, now);
        row.expires_at = expires_at;
        tx.insert_token(&row)?;
        let (actor, id) = (user.username.as_str(), row.token_id.as_str());
        let detail = format!("{} scope {scope}", row.name);
        tx.audit(now, actor, audit::TOKEN_CREATED, Some(&network), id, &detail)?;
        let expires_at = row.expires_at.map(WireTime);
        Ok(NodeTokenMinted { ok: true, token, token_id: row.token_id, expires_at })
    };
    hub.store_for(&caller).write(mint).await
}

fn parse_alias(node_name: &str) -> Result<Alias, Error> {
    let name: String = node_name.nfc().collect();
    Alias::parse(&name).map_err(|refusal| match refusal {
        Refusal::InvalidInput { rule, .. } => Error::argument("node_name", rule),
        other => other.into(),
    })
}

/// Whether a user may have one more token for this alias.
pub(in crate::service) fn admit(
    rows: &dyn Snapshot,
    user: &UserCaller,
    network: &NetworkId,
    alias: &Alias,
    scope: TokenScope,
) -> Result<(), Error> {
    let action = match scope {
        TokenScope::Node => Action::MintNodeToken,
        TokenScope::Coordinator => Action::MintCoordinatorToken,
    };
    permit::user_in(rows, user, network, action)?;
    let facts = names::alias_facts(rows, network, alias, &user.user_id)?;
    names::check_form("node_name", alias, facts)?;
    mint_alias(facts)?;
    quotas::admit_to_user(rows, &user.user_id, Quota::Tokens)
}

#[derive(Debug, Serialize, ToSchema)]
pub struct NodeTokens {
    ok: bool,
    tokens: Vec<NodeTokenView>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodeToken)]
struct NodeTokenView {
    token_id: TokenId,
    /// None until its first report binds one.
    node_name: Option<String>,
    scope: TokenScope,
    owner: Username,
    created_at: WireTime,
    last_used_at: Option<WireTime>,
    /// When it ends by itself; absent if it lasts until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
    /// The OAuth client that its owner allowed to act; absent if it is not a grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
}

impl NodeTokenView {
    fn new(NodeTokenRow { token: row, owner, .. }: NodeTokenRow) -> Self {
        Self {
            token_id: row.token_id,
            node_name: row.alias.map(|alias| alias.as_str().to_owned()),
            scope: row.scope,
            owner,
            created_at: row.created_at.into(),
            last_used_at: row.last_used_at.map(WireTime),
            expires_at: row.expires_at.map(WireTime),
            client_id: row.client_id,
        }
    }
}

/// Lists a network's node tokens, newest first.
pub async fn list_of_network(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    args: PageArgs,
) -> Result<NodeTokens, Error> {
    let id = permit::network_id(network_id)?;
    let cursors = page::cursors(hub, &caller, "node tokens");
    let (bounds, before) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(&caller);
    let page = move |rows: &dyn Snapshot| {
        let only = seen(rows, permit::account(&caller)?, &id)?;
        let page = rows.node_tokens(&id, only.as_ref(), before, bounds)?;
        let mut tokens = Vec::new();
        // A page is short where the hub's own are left out of it.
        for row in page.rows {
            if !is_hubs_own(rows, &row.token)? {
                tokens.push(NodeTokenView::new(row));
            }
        }
        Ok(NodeTokens { ok: true, tokens, next_cursor: cursors.next(page.next) })
    };
    store.read(page).await
}

/// Revokes a network's node token; one that the caller would not be shown is not found.
pub async fn revoke_of_network(
    hub: &Hub,
    caller: Caller,
    network_id: &str,
    token_id: &str,
) -> Result<Done, Error> {
    let id = permit::network_id(network_id)?;
    let token_id = TokenId::parse(token_id);
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let end = move |tx: &mut dyn Transaction| {
        let user = permit::account(&caller)?;
        let only = seen(tx.as_snapshot(), user, &id)?;
        let token = token_id.as_ref().map(|token| tx.token(token)).transpose()?.flatten();
        let is_shown = |token: &TokenRow| {
            token.network_id.as_ref() == Some(&id) && only.as_ref().is_none_or(|user| token.user_id == *user)
        };
        let token = token.filter(is_shown).ok_or(Refusal::TokenNotFound)?;
        if is_hubs_own(tx.as_snapshot(), &token)? {
            return Err(Refusal::TokenNotFound.into());
        }
        tx.revoke_token(&token.token_id, now)?;
        let (actor, subject) = (user.username.as_str(), token.token_id.as_str());
        tx.audit(now, actor, audit::TOKEN_REVOKED, Some(&id), subject, &token.name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(end).await
}

/// Whose tokens the caller sees: everybody's when none is named.
fn seen(rows: &dyn Snapshot, user: &UserCaller, network: &NetworkId) -> Result<Option<UserId>, Error> {
    let role = permit::user_in(rows, user, network, Action::ManageTokens { own: true })?;
    let sees_all = role.is_some_and(|role| role >= NetworkRole::Admin);
    Ok((!sees_all).then(|| user.user_id.clone()))
}
