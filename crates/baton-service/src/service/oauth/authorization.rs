//! What a client asks of a user, and what the user decides. Both need the user's own session: the client's request comes as
//! parameters of the consent page, which shows it and sends the decision.

use baton_core::oauth::{CodeChallenge, RedirectUri, is_registered};
use baton_core::{Alias, Caller, NetworkId, Refusal, TokenScope, UserId, Username, limits};
use baton_store::Transaction;
use baton_store::rows::OauthCodeRow;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::client;
use super::{is_own_resource, resource_at, secrets};
use crate::hub::{Hub, OauthClient};
use crate::service::accounts::tokens;
use crate::service::{Error, audit, names, permit};

/// What is encoded in a parameter: everything but RFC 3986's unreserved characters.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The parameters of an authorization request (RFC 6749, 7636, 8707).
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[schema(as = OauthRequest)]
pub struct Request {
    /// `code`
    pub response_type: Option<String>,
    /// As registered, or the URL of a client-id metadata document
    pub client_id: Option<String>,
    /// One of the client's
    pub redirect_uri: Option<String>,
    /// SHA-256 of the verifier, in base64url
    pub code_challenge: Option<String>,
    /// `S256`
    pub code_challenge_method: Option<String>,
    /// Returned to the client as it is
    pub state: Option<String>,
    /// The hub's MCP door
    pub resource: Option<String>,
    /// Left aside: a grant is for one alias, as a node token is
    pub scope: Option<String>,
}

/// What the page shows.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OauthAsked)]
pub struct Asked {
    ok: bool,
    username: Username,
    /// What the client calls itself; nobody has checked it.
    client_name: String,
    client_id: String,
    /// The host, or the scheme of an app, that the user is sent back to.
    returns_to: String,
    /// Whether that is a program on the user's own machine.
    is_on_this_machine: bool,
    /// An alias to begin with.
    suggested_alias: String,
    /// What is wrong with the request; nothing can be allowed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Why a request that names its client cannot be allowed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OauthProblem)]
struct Problem {
    error: &'static str,
    message: String,
    /// Where the client is notified.
    redirect_to: String,
}

#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = OauthDecision)]
pub struct Decision {
    pub request: Request,
    /// Whether the client may act; the rest counts only then.
    pub allow: bool,
    pub network_id: Option<String>,
    /// Whom the client acts as: an alias of one's own, or a new one.
    pub alias: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OauthDecided)]
pub struct Decided {
    ok: bool,
    /// Where the browser goes now.
    redirect_to: String,
}

/// A request whose client and redirect URI are known: whatever else is wrong with it, the client can be notified.
struct Known {
    client: OauthClient,
    redirect_uri: String,
    state: Option<String>,
    issuer: String,
}

impl Known {
    async fn find(hub: &Hub, user: &UserId, request: &Request, base: &str) -> Result<Self, Error> {
        let id = request.client_id.as_deref().ok_or_else(|| Error::argument("client_id", "is required"))?;
        let client = client::find(hub, user, id).await?;
        let uri = request.redirect_uri.as_deref();
        let uri = uri.ok_or_else(|| Error::argument("redirect_uri", "is required"))?;
        let asked = RedirectUri::parse(uri).map_err(|rule| Error::argument("redirect_uri", rule))?;
        if !is_registered(client.redirect_uris.iter().map(String::as_str), &asked) {
            let rule = "is not one that the client registered; do not continue unless you trust the page you came from";
            return Err(Error::argument("redirect_uri", rule));
        }
        let redirect_uri = uri.to_owned();
        Ok(Self { client, redirect_uri, state: request.state.clone(), issuer: base.to_owned() })
    }

    fn redirect(&self) -> Result<RedirectUri<'_>, Error> {
        RedirectUri::parse(&self.redirect_uri).map_err(|rule| Error::argument("redirect_uri", rule))
    }

    /// The way back with these parameters. The issuer goes with each (RFC 9207), so that a client that speaks to several
    /// servers knows whose answer it has.
    fn back(&self, parameters: &[(&str, &str)]) -> String {
        let mut url = self.redirect_uri.clone();
        let state = self.state.as_deref().map(|state| ("state", state));
        for (name, value) in parameters.iter().copied().chain(state).chain([("iss", &*self.issuer)]) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.extend([name, "="]);
            url.extend(utf8_percent_encode(value, &RESERVED));
        }
        url
    }

    fn problem(&self, error: &'static str, message: String) -> Problem {
        let redirect_to = self.back(&[("error", error), ("error_description", &message)]);
        Problem { error, message, redirect_to }
    }

    /// The challenge, if nothing is wrong with the rest of the request.
    fn check(&self, request: &Request) -> Result<CodeChallenge, Problem> {
        if request.response_type.as_deref() != Some("code") {
            return Err(self.problem("unsupported_response_type", "response_type must be code".into()));
        }
        if request.state.as_ref().is_some_and(|state| state.len() > limits::OAUTH_STATE_MAX_BYTES) {
            let most = limits::OAUTH_STATE_MAX_BYTES;
            return Err(self.problem("invalid_request", format!("state must be at most {most} bytes")));
        }
        if !is_own_resource(request.resource.as_deref(), &self.issuer) {
            let message = format!("resource must be {}", resource_at(&self.issuer));
            return Err(self.problem("invalid_target", message));
        }
        let (challenge, method) = (&request.code_challenge, &request.code_challenge_method);
        CodeChallenge::parse(challenge.as_deref(), method.as_deref())
            .map_err(|(field, rule)| self.problem("invalid_request", format!("{field} {rule}")))
    }
}

/// What a client asks of the user who is signed in. `base` is the address the hub is called by.
pub async fn show(hub: &Hub, caller: &Caller, request: Request, base: &str) -> Result<Asked, Error> {
    let user = permit::account(caller)?.clone();
    let known = Known::find(hub, &user.user_id, &request, base).await?;
    let redirect = known.redirect()?;
    Ok(Asked {
        ok: true,
        username: user.username,
        returns_to: redirect.place().to_owned(),
        is_on_this_machine: redirect.is_on_this_machine(),
        suggested_alias: suggested_alias(&known.client.name),
        problem: known.check(&request).err(),
        client_name: known.client.name,
        client_id: known.client.id,
    })
}

/// A client's name as an alias, as far as it can be one.
fn suggested_alias(name: &str) -> String {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let alias = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    if Alias::parse_new(&alias).is_ok() { alias } else { "mcp-client".into() }
}

/// The user allows the client to act as an alias in a network, or refuses.
pub async fn decide(hub: &Hub, caller: &Caller, decision: Decision, base: &str) -> Result<Decided, Error> {
    let user = permit::account(caller)?.clone();
    let known = Known::find(hub, &user.user_id, &decision.request, base).await?;
    let challenge = match known.check(&decision.request) {
        Ok(challenge) => challenge,
        Err(problem) => return Ok(Decided { ok: true, redirect_to: problem.redirect_to }),
    };
    if !decision.allow {
        let refused = [("error", "access_denied"), ("error_description", "the user refused")];
        return Ok(Decided { ok: true, redirect_to: known.back(&refused) });
    }
    let required = |field: &str| Error::argument(field, "is required to allow the client");
    let network = decision.network_id.ok_or_else(|| required("network_id"))?;
    let network = NetworkId::parse(&network).ok_or(Refusal::NetworkNotFound)?;
    let alias = names::alias(&decision.alias.ok_or_else(|| required("alias"))?)?;
    let (code, hash) = secrets::code();
    let now = hub.clock.now();
    let row = OauthCodeRow {
        hash,
        client_id: known.client.id.clone(),
        client_name: known.client.name.clone(),
        redirect_uri: known.redirect_uri.clone(),
        challenge: challenge.as_str().to_owned(),
        user_id: user.user_id.clone(),
        network_id: network,
        alias,
        expires_at: now.plus_seconds(limits::OAUTH_CODE_SECONDS),
        token_id: None,
    };
    let allow = move |tx: &mut dyn Transaction| {
        tokens::admit(tx.as_snapshot(), &user, &row.network_id, &row.alias, TokenScope::Node)?;
        tx.insert_oauth_code(&row, limits::OAUTH_CODES_PER_USER_COUNT)?;
        let (actor, network) = (user.username.as_str(), Some(&row.network_id));
        let detail = format!("{} as {}", row.client_name, row.alias);
        tx.audit(now, actor, audit::CLIENT_ALLOWED, network, &row.client_id, &detail)?;
        Ok::<_, Error>(())
    };
    hub.store_for(caller).write(allow).await?;
    Ok(Decided { ok: true, redirect_to: known.back(&[("code", code.expose())]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_keeps_the_redirect_uri_and_says_whose_answer_it_is() {
        let known = |redirect_uri: &str| Known {
            client: OauthClient { id: "c".into(), name: "C".into(), redirect_uris: vec![] },
            redirect_uri: redirect_uri.into(),
            state: Some("a&b=c#".into()),
            issuer: "https://hub.example".into(),
        };
        let rest = "code=x&state=a%26b%3Dc%23&iss=https%3A%2F%2Fhub.example";
        for (uri, joint) in [("https://a.example", "?"), ("https://a.example/?x=1", "&"), ("app:/cb", "?")] {
            assert_eq!(known(uri).back(&[("code", "x")]), format!("{uri}{joint}{rest}"));
        }
    }

    #[test]
    fn a_clients_name_suggests_an_alias() {
        for (name, alias) in [
            ("Claude", "claude"),
            ("MCP Inspector (dev)", "mcp-inspector-dev"),
            ("日本", "mcp-client"),
            ("…", "mcp-client"),
        ] {
            assert_eq!(suggested_alias(name), alias, "{name}");
        }
    }
}
