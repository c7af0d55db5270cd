//! An OAuth client of sorts, and the user who allows it.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::browser::{Browser, OWN};
use crate::fixture;

pub(super) const REDIRECT: &str = "https://client.example/callback";
/// RFC 7636, appendix B.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A client that has registered, and a user who is signed in.
pub(super) struct World {
    pub(super) browser: Browser,
    pub(super) network: String,
    pub(super) client_id: String,
}

/// What the token endpoint gave.
#[derive(Debug, Clone)]
pub(super) struct Tokens {
    pub(super) access: String,
    pub(super) refresh: String,
}

impl World {
    pub(super) async fn new() -> Self {
        let (browser, network) = Browser::signed_in().await;
        let client_id = register(&browser, &[REDIRECT]).await;
        Self { browser, network, client_id }
    }

    /// The request of an honest client.
    pub(super) fn request(&self) -> Value {
        json!({
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "the state",
            "resource": format!("{OWN}/mcp"),
        })
    }

    /// The same with one parameter changed, or left out if it is null.
    pub(super) fn request_with(&self, name: &str, value: Value) -> Value {
        let mut request = self.request();
        match value {
            Value::Null => drop(request.as_object_mut().unwrap().remove(name)),
            value => request[name] = value,
        }
        request
    }

    /// What the consent page shows of a request.
    pub(super) async fn asked(&self, request: &Value) -> (StatusCode, Value) {
        let pairs = request.as_object().unwrap().iter().map(|(name, value)| (name, value.as_str().unwrap()));
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        self.browser.asks("GET", &format!("/api/oauth/authorization?{query}"), None).await
    }

    /// The user allows a request, as the alias `hosted`.
    pub(super) async fn decided(&self, request: &Value, allow: bool) -> (StatusCode, Value) {
        let decision =
            json!({"request": request, "allow": allow, "network_id": self.network, "alias": "hosted"});
        self.browser.asks("POST", "/api/oauth/authorization", Some(&decision)).await
    }

    /// The parameters of the way back.
    pub(super) async fn answer_to(&self, request: &Value, allow: bool) -> Vec<(String, String)> {
        let (status, decided) = self.decided(request, allow).await;
        assert_eq!(status, StatusCode::OK, "{decided}");
        parameters(decided["redirect_to"].as_str().unwrap())
    }

    /// A code that the user allowed.
    pub(super) async fn code(&self) -> String {
        value(&self.answer_to(&self.request(), true).await, "code").unwrap()
    }

    /// Presents a code as the honest client does, but for these parameters.
    pub(super) async fn redeem(&self, code: &str, changes: &[(&str, &str)]) -> (StatusCode, Value) {
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("client_id", &*self.client_id),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ];
        fields.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        fields.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        fixture::json(self.browser.form("/oauth/token", &fields).await).await
    }

    pub(super) async fn refresh(&self, token: &str, client_id: &str) -> (StatusCode, Value) {
        let fields = [("grant_type", "refresh_token"), ("client_id", client_id), ("refresh_token", token)];
        fixture::json(self.browser.form("/oauth/token", &fields).await).await
    }

    /// The whole way to a grant.
    pub(super) async fn tokens(&self) -> Tokens {
        tokens(self.redeem(&self.code().await, &[]).await)
    }

    /// A call of the MCP door: its status.
    pub(super) async fn lists_tools(&self, access: &str) -> StatusCode {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        self.mcp(access, &call).await.0
    }

    pub(super) async fn mcp(&self, access: &str, call: &Value) -> (StatusCode, Value) {
        let bearer = format!("Bearer {access}");
        let headers = [("authorization", &*bearer), ("accept", "application/json")];
        self.browser.json("POST", "/mcp", &headers, Some(call)).await
    }
}

pub(super) async fn register(browser: &Browser, uris: &[&str]) -> String {
    let metadata = json!({"client_name": "A client", "redirect_uris": uris});
    let (status, client) = browser.json("POST", "/oauth/register", &[], Some(&metadata)).await;
    assert_eq!(status, StatusCode::CREATED, "{client}");
    assert_eq!(client["token_endpoint_auth_method"], "none");
    client["client_id"].as_str().unwrap().to_owned()
}

/// The tokens of an answer that has some.
pub(super) fn tokens((status, answer): (StatusCode, Value)) -> Tokens {
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!((&answer["token_type"], &answer["expires_in"]), (&json!("Bearer"), &json!(3600)));
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    Tokens { access: text("access_token"), refresh: text("refresh_token") }
}

/// Checks that nothing was issued, and with which code.
#[track_caller]
pub(super) fn refused((status, answer): (StatusCode, Value), error: &str) {
    assert_eq!((status, answer["error"].as_str()), (StatusCode::BAD_REQUEST, Some(error)), "{answer}");
    assert!(answer["access_token"].is_null() && answer["error_description"].is_string(), "{answer}");
}

pub(super) fn parameters(url: &str) -> Vec<(String, String)> {
    let (_, query) = url.split_once('?').unwrap();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// The one value of a parameter.
pub(super) fn value(parameters: &[(String, String)], name: &str) -> Option<String> {
    let mut values = parameters.iter().filter(|(found, _)| found == name).map(|(_, value)| value.clone());
    let first = values.next();
    assert_eq!(values.next(), None, "{name} comes once");
    first
}
