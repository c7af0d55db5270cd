//! An agent's card: what it says of itself, and where it is reached. Its URLs come from the hub's settings, never from
//! the request. An agent that has reported no skills has one, `task`.

use a2a_types::{
    AgentCapabilities, AgentCard, AgentInterface, AgentProvider, AgentSkill, HttpAuthSecurityScheme,
    SecurityScheme, TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC,
};
use axum::http::{Extensions, HeaderMap};
use baton_core::{Caller, Refusal};
use std::collections::HashMap;

use super::agent_caller::AgentCaller;
use super::card_answer::{DatedCard, sign};
use super::error::A2aError;
use super::{extension, grpc, push};
use crate::hub::Hub;
use crate::rest::{ExpiryNotice, bearer};
use crate::service::Error;
use crate::service::agent::{self, AgentAddress, Profile};
use crate::service::skills::Skill;

/// What a message may consist of.
const INPUT_MODES: [&str; 3] = ["text/plain", "application/json", "application/octet-stream"];
const OUTPUT_MODES: [&str; 2] = ["text/plain", "application/json"];
const BEARER: &str = "bearer";

/// Who asks for what may be public; an invalid token counts as no token.
pub(super) async fn asker(
    hub: &Hub,
    headers: &HeaderMap,
    request: &Extensions,
) -> Result<Option<Caller>, A2aError> {
    let Some(bearer) = bearer(headers) else { return Ok(None) };
    match hub.identify(bearer).await {
        Ok(identity) => {
            ExpiryNotice::leave(request, hub, &identity);
            Ok(Some(identity.caller.clone()))
        }
        Err(Error::Refused(Refusal::Unauthorized)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The card for the caller; for nobody in particular, if there is none.
pub(super) async fn public(
    hub: &Hub,
    address: &AgentAddress,
    caller: Option<&Caller>,
) -> Result<DatedCard, A2aError> {
    let profile = agent::profile(hub, caller, address).await?;
    let changed_at = profile.changed_at;
    Ok(DatedCard { card: sign(hub, of(hub, address, profile))?, changed_at })
}

/// The card for those who may see the agent.
pub(super) async fn extended(hub: &Hub, visitor: &AgentCaller) -> Result<AgentCard, A2aError> {
    let profile = agent::profile_for_member(hub, visitor.caller(), &visitor.agent).await?;
    sign(hub, of(hub, &visitor.agent, profile))
}

fn of(hub: &Hub, address: &AgentAddress, profile: Profile) -> AgentCard {
    let alias = address.alias.as_str();
    let (cards, ways) = (&hub.settings.cards, security_schemes());
    AgentCard {
        name: alias.to_owned(),
        description: profile
            .description
            .unwrap_or_else(|| format!("{alias}, an agent behind a Baton hub. It has no description.")),
        version: profile.version.unwrap_or_else(|| "unknown".into()),
        supported_interfaces: interfaces(&hub.settings.public_url, address),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(push::IS_SUPPORTED),
            extensions: Some(extension::declared()),
            extended_agent_card: Some(true),
        },
        default_input_modes: INPUT_MODES.map(str::to_owned).into(),
        default_output_modes: OUTPUT_MODES.map(str::to_owned).into(),
        skills: skills(profile.skills),
        provider: cards.provider.clone().map(|(organization, url)| AgentProvider { organization, url }),
        documentation_url: cards.documentation_url.clone(),
        icon_url: cards.icon_url.clone(),
        security_schemes: Some(
            ways.iter().map(|(name, scheme)| ((*name).to_owned(), scheme.clone())).collect(),
        ),
        // Any one of them will do.
        security_requirements: Some(
            ways.iter().map(|(name, _)| HashMap::from([((*name).to_owned(), Vec::new())])).collect(),
        ),
        signatures: None,
    }
}

/// The ways in which a client may say who it is, each with its name. A new way in gets its scheme here.
fn security_schemes() -> Vec<(&'static str, SecurityScheme)> {
    let bearer = HttpAuthSecurityScheme {
        scheme: "Bearer".into(),
        description: Some("A token of the Baton hub, of a member of the agent's network".into()),
        bearer_format: None,
    };
    vec![(BEARER, SecurityScheme::HttpAuth(bearer))]
}

/// The bindings; the first is what a client without a preference takes.
fn interfaces(public_url: &str, address: &AgentAddress) -> Vec<AgentInterface> {
    let base = base(public_url, address);
    let rpc = AgentInterface::new(format!("{base}/"), TRANSPORT_PROTOCOL_JSONRPC);
    // Clients put a slash and the path after it.
    let http = AgentInterface::new(base, TRANSPORT_PROTOCOL_HTTP_JSON);
    [rpc, http].into_iter().chain(grpc::interface(public_url, address)).collect()
}

fn skills(reported: Vec<Skill>) -> Vec<AgentSkill> {
    if reported.is_empty() {
        let skill = Skill {
            id: "task".into(),
            name: Some("Task".into()),
            description: Some("Takes a task in words. The agent has named no skills.".into()),
            tags: vec!["task".into()],
            ..Skill::default()
        };
        return vec![of_skill(skill)];
    }
    reported.into_iter().map(of_skill).collect()
}

fn of_skill(skill: Skill) -> AgentSkill {
    let name = skill.name.unwrap_or_else(|| skill.id.clone());
    let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
    AgentSkill {
        id: skill.id,
        description: skill.description.unwrap_or_else(|| name.clone()),
        name,
        tags: skill.tags,
        examples: some(skill.examples),
        input_modes: some(skill.input_modes),
        output_modes: some(skill.output_modes),
        security_requirements: None,
    }
}

/// The agent's base without the slash at its end. An alias may have letters of any script, a URL has not.
pub(super) fn base(public_url: &str, address: &AgentAddress) -> String {
    format!("{public_url}/a2a/{}/{}", address.network_id, escaped(address.alias.as_str()))
}

/// A name as a part of a URL.
pub(super) fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' => escaped.push(char::from(byte)),
            other => escaped.push_str(&format!("%{other:02X}")),
        }
    }
    escaped
}
