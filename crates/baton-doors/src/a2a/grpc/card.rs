//! An agent's card as a message.

use a2a_types as a2a;

use super::generated as pb;
use super::value::of_object;

pub(super) fn card(given: a2a::AgentCard) -> pb::AgentCard {
    pb::AgentCard {
        name: given.name,
        description: given.description,
        supported_interfaces: given.supported_interfaces.into_iter().map(interface).collect(),
        provider: given
            .provider
            .map(|given| pb::AgentProvider { url: given.url, organization: given.organization }),
        version: given.version,
        documentation_url: given.documentation_url,
        capabilities: Some(capabilities(given.capabilities)),
        security_schemes: given
            .security_schemes
            .into_iter()
            .flatten()
            .map(|(name, given)| (name, security_scheme(given)))
            .collect(),
        security_requirements: requirements(given.security_requirements),
        default_input_modes: given.default_input_modes,
        default_output_modes: given.default_output_modes,
        skills: given.skills.into_iter().map(skill).collect(),
        signatures: given.signatures.into_iter().flatten().map(signature).collect(),
        icon_url: given.icon_url,
    }
}

fn interface(given: a2a::AgentInterface) -> pb::AgentInterface {
    pb::AgentInterface {
        url: given.url,
        protocol_binding: given.protocol_binding,
        tenant: given.tenant.unwrap_or_default(),
        protocol_version: given.protocol_version,
    }
}

fn capabilities(given: a2a::AgentCapabilities) -> pb::AgentCapabilities {
    let extension = |given: a2a::AgentExtension| pb::AgentExtension {
        uri: given.uri,
        description: given.description.unwrap_or_default(),
        required: given.required.unwrap_or_default(),
        params: given.params.map(of_object),
    };
    pb::AgentCapabilities {
        streaming: given.streaming,
        push_notifications: given.push_notifications,
        extensions: given.extensions.into_iter().flatten().map(extension).collect(),
        extended_agent_card: given.extended_agent_card,
    }
}

fn skill(given: a2a::AgentSkill) -> pb::AgentSkill {
    pb::AgentSkill {
        id: given.id,
        name: given.name,
        description: given.description,
        tags: given.tags,
        examples: given.examples.unwrap_or_default(),
        input_modes: given.input_modes.unwrap_or_default(),
        output_modes: given.output_modes.unwrap_or_default(),
        security_requirements: requirements(given.security_requirements),
    }
}

fn signature(given: a2a::AgentCardSignature) -> pb::AgentCardSignature {
    let header = given.header.map(of_object);
    pb::AgentCardSignature { protected: given.protected, signature: given.signature, header }
}

fn requirements(given: Option<Vec<a2a::SecurityRequirement>>) -> Vec<pb::SecurityRequirement> {
    let requirement = |given: a2a::SecurityRequirement| pb::SecurityRequirement {
        schemes: given.into_iter().map(|(name, list)| (name, pb::StringList { list })).collect(),
    };
    given.into_iter().flatten().map(requirement).collect()
}

fn security_scheme(given: a2a::SecurityScheme) -> pb::SecurityScheme {
    use pb::security_scheme::Scheme;
    let scheme = match given {
        a2a::SecurityScheme::ApiKey(given) => Scheme::ApiKeySecurityScheme(pb::ApiKeySecurityScheme {
            description: given.description.unwrap_or_default(),
            location: given.location,
            name: given.name,
        }),
        a2a::SecurityScheme::HttpAuth(given) => Scheme::HttpAuthSecurityScheme(pb::HttpAuthSecurityScheme {
            description: given.description.unwrap_or_default(),
            scheme: given.scheme,
            bearer_format: given.bearer_format.unwrap_or_default(),
        }),
        a2a::SecurityScheme::OAuth2(given) => Scheme::Oauth2SecurityScheme(pb::OAuth2SecurityScheme {
            description: given.description.unwrap_or_default(),
            flows: Some(pb::OAuthFlows { flow: Some(flow(given.flows)) }),
            oauth2_metadata_url: given.oauth2_metadata_url.unwrap_or_default(),
        }),
        a2a::SecurityScheme::OpenIdConnect(given) => {
            Scheme::OpenIdConnectSecurityScheme(pb::OpenIdConnectSecurityScheme {
                description: given.description.unwrap_or_default(),
                open_id_connect_url: given.open_id_connect_url,
            })
        }
        a2a::SecurityScheme::MutualTls(given) => {
            let description = given.description.unwrap_or_default();
            Scheme::MtlsSecurityScheme(pb::MutualTlsSecurityScheme { description })
        }
    };
    pb::SecurityScheme { scheme: Some(scheme) }
}

// Two flows are retired in the protocol; its types still have them.
#[allow(deprecated)]
fn flow(given: a2a::OAuthFlows) -> pb::o_auth_flows::Flow {
    use pb::o_auth_flows::Flow;
    match given {
        a2a::OAuthFlows::AuthorizationCode(given) => {
            Flow::AuthorizationCode(pb::AuthorizationCodeOAuthFlow {
                authorization_url: given.authorization_url,
                token_url: given.token_url,
                refresh_url: given.refresh_url.unwrap_or_default(),
                scopes: given.scopes,
                pkce_required: given.pkce_required.unwrap_or_default(),
            })
        }
        a2a::OAuthFlows::ClientCredentials(given) => {
            Flow::ClientCredentials(pb::ClientCredentialsOAuthFlow {
                token_url: given.token_url,
                refresh_url: given.refresh_url.unwrap_or_default(),
                scopes: given.scopes,
            })
        }
        a2a::OAuthFlows::DeviceCode(given) => Flow::DeviceCode(pb::DeviceCodeOAuthFlow {
            device_authorization_url: given.device_authorization_url,
            token_url: given.token_url,
            refresh_url: given.refresh_url.unwrap_or_default(),
            scopes: given.scopes,
        }),
        a2a::OAuthFlows::Implicit(given) => Flow::Implicit(pb::ImplicitOAuthFlow {
            authorization_url: given.authorization_url,
            refresh_url: given.refresh_url.unwrap_or_default(),
            scopes: given.scopes,
        }),
        a2a::OAuthFlows::Password(given) => Flow::Password(pb::PasswordOAuthFlow {
            token_url: given.token_url,
            refresh_url: given.refresh_url.unwrap_or_default(),
            scopes: given.scopes,
        }),
    }
}
