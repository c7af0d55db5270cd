//! Where a client that knows only the hub finds its agents: the card at the root, of a hub with one public agent, and the
//! catalog of every card that the caller may see.

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{Extensions, HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::card::{self, base, escaped};
use super::card_answer::{self, cache_control};
use super::error::A2aError;
use super::http::{CARD, answered_as, refuse};
use crate::hub::Hub;
use crate::service::agent::AgentAddress;
use crate::service::catalog;

/// What an entry of the catalog leads to.
const AGENT_CARD: &str = "application/a2a-agent-card+json";

/// A page of the hub's agents, in the form of the AI Catalog draft.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AiCatalog {
    /// Of the draft
    spec_version: &'static str,
    host: CatalogHost,
    /// In the order of networks and aliases
    entries: Vec<CatalogEntry>,
    /// The next page; a page may be short, even empty, and have one
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CatalogHost {
    /// The provider in the hub's settings, else its address
    display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation_url: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CatalogEntry {
    /// `urn:baton:agent:NETWORK:ALIAS`
    identifier: String,
    display_name: String,
    /// `application/a2a-agent-card+json`
    r#type: &'static str,
    /// The same, as earlier drafts call it
    media_type: &'static str,
    /// The agent's card
    url: String,
}

/// The query of the catalog.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CatalogQuery {
    /// As in the `next` of a page
    after: Option<String>,
}

pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(root_card)).routes(routes!(list))
}

/// The card of a hub's only public agent
///
/// Everybody. A hub without a public agent, or with several, has no card here.
#[utoipa::path(
    get,
    path = "/.well-known/agent-card.json",
    tag = "a2a",
    operation_id = "get_only_agent_card",
    security(()),
    responses(
        (status = 200, description = "what A2A 1.0 calls `AgentCard`", body = serde_json::Value),
        (status = 404, description = "the hub has no public agent, or several", body = serde_json::Value)
    )
)]
async fn root_card(State(hub): State<Arc<Hub>>, headers: HeaderMap) -> Response {
    let media_type = answered_as(&headers);
    let card = async {
        let address = catalog::only_public(&hub).await?.ok_or_else(A2aError::not_found)?;
        card::public(&hub, &address, None).await
    };
    match card.await {
        Ok(card) => card_answer::answer(&headers, media_type, &card),
        Err(fault) => refuse(media_type, &fault),
    }
}

/// The agents whose cards the caller may see
///
/// Everybody: agents of networks with public cards. With a token those of the caller's networks too. At most 100 on a page.
#[utoipa::path(
    get,
    path = "/.well-known/ai-catalog.json",
    tag = "a2a",
    operation_id = "get_ai_catalog",
    security(()),
    params(CatalogQuery),
    responses(
        (status = 200, description = "a page, by network and alias", body = AiCatalog),
        (status = 400, description = "`after` is of no page", body = serde_json::Value)
    )
)]
async fn list(
    State(hub): State<Arc<Hub>>,
    Query(query): Query<CatalogQuery>,
    request: Extensions,
    headers: HeaderMap,
) -> Response {
    match read(&hub, (&headers, &request), query.after.as_deref()).await {
        Ok(catalog) => {
            let kept =
                [(header::CACHE_CONTROL, cache_control(&headers)), (header::VARY, "authorization".into())];
            (kept, Json(catalog)).into_response()
        }
        Err(fault) => refuse("application/json", &fault),
    }
}

async fn read(
    hub: &Hub,
    (headers, request): (&HeaderMap, &Extensions),
    after: Option<&str>,
) -> Result<AiCatalog, A2aError> {
    let caller = card::asker(hub, headers, request).await?;
    let page = catalog::page(hub, caller.as_ref(), after).await?;
    let (public_url, cards) = (&hub.settings.public_url, &hub.settings.cards);
    let entry = |agent: &AgentAddress| {
        let base = base(public_url, agent);
        CatalogEntry {
            identifier: format!("urn:baton:agent:{}:{}", agent.network_id, escaped(agent.alias.as_str())),
            display_name: agent.alias.as_str().to_owned(),
            r#type: AGENT_CARD,
            media_type: AGENT_CARD,
            url: format!("{base}/{CARD}"),
        }
    };
    Ok(AiCatalog {
        spec_version: "1.0",
        host: CatalogHost {
            display_name: cards
                .provider
                .as_ref()
                .map_or_else(|| public_url.clone(), |(name, _)| name.clone()),
            documentation_url: cards.documentation_url.clone(),
        },
        entries: page.agents.iter().map(entry).collect(),
        next: page
            .next
            .map(|next| format!("{public_url}/.well-known/ai-catalog.json?after={}", escaped(&next))),
    })
}
