//! Minting a node token: an agent's key to one network, bound to one alias. One alias may have several, all of the user it
//! belongs to.

use baton_core::{
    Action, Alias, Caller, NetworkId, Quota, Refusal, TokenId, TokenScope, UnixMillis, mint_alias,
};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

use super::secret::{self, Revealed};
use super::{Error, audit, names, permit, quotas};
use crate::hub::Hub;

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = NewNodeToken)]
pub(crate) struct Args {
    pub(crate) network_id: Option<String>,
    pub(crate) node_name: Option<String>,
    pub(crate) scope: Option<TokenScope>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NodeTokenMinted)]
pub(crate) struct Answer {
    ok: bool,
    token: Revealed,
    token_id: TokenId,
}

pub(crate) async fn run(hub: &Hub, caller: Caller, args: Args) -> Result<Answer, Error> {
    permit::account(&caller)?;
    let named = |text: Option<String>| text.filter(|text| !text.is_empty()).ok_or(Refusal::MintFieldsMissing);
    let (network, node_name) = (named(args.network_id)?, named(args.node_name)?);
    let network = NetworkId::parse(&network).ok_or(Refusal::NoWriteAccess)?;
    let alias = alias(&node_name)?;
    let scope = args.scope.unwrap_or(TokenScope::Node);
    let now = hub.clock.now();
    hub.store_for(&caller).write(move |tx| mint(tx, &caller, &network, &alias, scope, now)).await
}

fn alias(node_name: &str) -> Result<Alias, Error> {
    let name: String = node_name.nfc().collect();
    Alias::parse(&name).map_err(|refusal| match refusal {
        Refusal::InvalidInput { rule, .. } => Error::argument("node_name", rule),
        other => other.into(),
    })
}

fn mint(
    tx: &mut dyn Transaction,
    caller: &Caller,
    network: &NetworkId,
    alias: &Alias,
    scope: TokenScope,
    now: UnixMillis,
) -> Result<Answer, Error> {
    let action = match scope {
        TokenScope::Node => Action::MintNodeToken,
        TokenScope::Coordinator => Action::MintCoordinatorToken,
    };
    permit::network(tx.as_snapshot(), caller, network, action)?;
    let user = permit::account(caller)?;
    let facts = names::alias_facts(tx.as_snapshot(), network, alias, &user.user_id)?;
    names::check_form("node_name", alias, facts)?;
    mint_alias(facts)?;
    quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Tokens)?;
    let (token, row) = secret::node_token(&user.user_id, network, Some(alias.clone()), scope, now);
    tx.insert_token(&row)?;
    let (actor, id) = (user.username.as_str(), row.token_id.as_str());
    let detail = format!("{} scope {scope}", row.name);
    tx.audit(now, actor, audit::TOKEN_CREATED, Some(network), id, &detail)?;
    Ok(Answer { ok: true, token, token_id: row.token_id })
}
