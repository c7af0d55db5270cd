//! Signing in with an OpenID Connect issuer on loopback, which says what a test wants it to say.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use baton_core::limits;
use baton_core::oidc::GroupRole;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};

use super::browser::{Browser, OWN, PASSWORD};
use super::oauth_client::{parameters, value};
use crate::hub::OidcSettings;

/// What the issuer answers next, and the challenge it was given.
struct Issuer {
    url: String,
    claims: Mutex<Value>,
    challenge: Mutex<String>,
    signs_with: Mutex<u8>,
    scopes: Mutex<Vec<&'static str>>,
}

impl Issuer {
    async fn start() -> Arc<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Arc::new(Self {
            url,
            claims: Mutex::default(),
            challenge: Mutex::default(),
            signs_with: Mutex::new(1),
            scopes: Mutex::default(),
        });
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/keys", get(async || Json(json!({"keys": [jwk()]}))))
            .route("/token", post(token))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        issuer
    }
}

async fn metadata(State(issuer): State<Arc<Issuer>>) -> Json<Value> {
    let url = &issuer.url;
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/keys"),
        "scopes_supported": *issuer.scopes.lock().unwrap(),
    }))
}

fn key(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

fn jwk() -> Value {
    let x = URL_SAFE_NO_PAD.encode(key(1).public_key().as_ref());
    json!({"kty": "OKP", "crv": "Ed25519", "kid": "one", "use": "sig", "x": x})
}

/// Gives an ID token to the hub, if it shows its secret and the verifier.
async fn token(
    State(issuer): State<Arc<Issuer>>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Value>, StatusCode> {
    let secret = format!("Basic {}", STANDARD.encode("hub:a%20secret"));
    let fields: Vec<_> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let verifier = value(&fields, "code_verifier").unwrap();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    let is_right = headers.get("authorization").is_some_and(|given| given == secret.as_str())
        && value(&fields, "code").as_deref() == Some("a code")
        && value(&fields, "redirect_uri") == Some(format!("{OWN}/oidc/callback"))
        && challenge == *issuer.challenge.lock().unwrap();
    if !is_right {
        return Err(StatusCode::BAD_REQUEST);
    }
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed =
        format!("{}.{}", part(&json!({"alg": "EdDSA", "kid": "one"})), part(&issuer.claims.lock().unwrap()));
    let signature = key(*issuer.signs_with.lock().unwrap()).sign(signed.as_bytes());
    Ok(Json(json!({"id_token": format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))})))
}

/// A hub with that issuer.
async fn hub_of(issuer: &Issuer, groups: &[&str]) -> Browser {
    let groups = groups.iter().map(|group| GroupRole::parse(group).unwrap()).collect();
    let oidc = OidcSettings {
        issuer: issuer.url.clone(),
        client_id: "hub".into(),
        client_secret: "a secret".into(),
        groups,
    };
    Browser::at(move |settings| {
        let ranges = vec!["127.0.0.0/8".parse().unwrap()];
        settings.outbound = crate::outbound::Policy::new(ranges, Default::default());
        settings.oidc = Some(oidc);
    })
}

/// A sign-in that has begun: what the browser keeps, and what the issuer was asked.
struct Begun {
    cookie: String,
    asked: Vec<(String, String)>,
}

async fn begin(browser: &Browser, issuer: &Issuer) -> Begun {
    let answer = browser.send("GET", "/oidc/login?return_to=/n/net/tasks", &[], None).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let line = answer.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(line.contains("; HttpOnly; SameSite=Lax; ") && line.contains("Max-Age=600"), "{line}");
    let to = answer.headers()[header::LOCATION].to_str().unwrap();
    assert!(to.starts_with(&format!("{}/authorize?", issuer.url)), "{to}");
    let asked = parameters(to);
    assert_eq!(value(&asked, "code_challenge_method").as_deref(), Some("S256"));
    *issuer.challenge.lock().unwrap() = value(&asked, "code_challenge").unwrap();
    Begun { cookie: line.split(';').next().unwrap().to_owned(), asked }
}

/// What an honest issuer says of `ada`.
fn claims(issuer: &Issuer, begun: &Begun, now: i64) -> Value {
    json!({
        "iss": issuer.url, "sub": "subject-1", "aud": "hub", "exp": now / 1000 + 300,
        "nonce": value(&begun.asked, "nonce").unwrap(), "preferred_username": "ada",
        "email": "ada@example.org", "name": "Ada", "groups": ["staff"],
    })
}

/// The browser comes back: where it is sent, and its session's cookie if it has one now.
async fn come_back(browser: &Browser, begun: &Begun, query: &str) -> (String, Option<String>) {
    let headers = [("cookie", &*begun.cookie), ("sec-fetch-site", "cross-site")];
    let answer = browser.send("GET", &format!("/oidc/callback?{query}"), &headers, None).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let lines = answer.headers().get_all(header::SET_COOKIE).iter().map(|line| line.to_str().unwrap());
    let mut session = lines.filter(|line| line.starts_with("baton-9200=utok_")).map(|line| {
        assert!(line.contains("SameSite=Strict") && line.contains("HttpOnly"), "{line}");
        line.split(';').next().unwrap().to_owned()
    });
    (answer.headers()[header::LOCATION].to_str().unwrap().to_owned(), session.next_back())
}

/// A whole sign-in with these changes to what the issuer says.
async fn sign_in(browser: &Browser, issuer: &Issuer, changes: Value) -> (String, Option<String>) {
    let begun = begin(browser, issuer).await;
    let mut said = claims(issuer, &begun, browser.test.hub.clock.now().get());
    for (name, value) in changes.as_object().unwrap() {
        said[name] = value.clone();
    }
    *issuer.claims.lock().unwrap() = said;
    let state = value(&begun.asked, "state").unwrap();
    come_back(browser, &begun, &format!("code=a+code&state={state}")).await
}

async fn whoami(browser: &mut Browser, cookie: Option<String>) -> Value {
    browser.cookie = cookie;
    browser.reads("/api/session").await["user"].clone()
}

#[tokio::test]
async fn a_user_of_the_issuer_is_made_at_the_first_sign_in_and_is_the_same_at_the_next() {
    let issuer = Issuer::start().await;
    let mut browser = hub_of(&issuer, &[]).await;
    let (to, cookie) = sign_in(&browser, &issuer, json!({})).await;
    assert_eq!(to, "/n/net/tasks");
    let first = whoami(&mut browser, cookie).await;
    assert_eq!((&first["username"], &first["role"]), (&json!("ada"), &json!("user")));
    assert_eq!((&first["display_name"], &first["email"]), (&json!("Ada"), &json!("ada@example.org")));
    let renamed = json!({"preferred_username": "countess", "email": "other@example.org"});
    let (_, cookie) = sign_in(&browser, &issuer, renamed).await;
    assert_eq!(whoami(&mut browser, cookie).await, first, "the subject is who they are");
    for password in ["", "a quiet harbour"] {
        let login = json!({"username": "ada", "password": password});
        let status = browser.send("POST", "/api/auth/login", &[], Some(&login)).await.status();
        assert_eq!(status, StatusCode::UNAUTHORIZED, "there is no password");
    }
}

#[tokio::test]
async fn a_name_or_an_address_at_the_issuer_takes_over_no_account() {
    let issuer = Issuer::start().await;
    let mut browser = hub_of(&issuer, &[]).await;
    browser.register("ada").await;
    let (_, cookie) = sign_in(&browser, &issuer, json!({})).await;
    assert_eq!(whoami(&mut browser, cookie).await["username"], "ada-2");
    assert_eq!(browser.sign_in("ada", PASSWORD).await.0, StatusCode::OK);
}

#[tokio::test]
async fn groups_give_the_role_at_each_sign_in_and_without_one_nobody_gets_in() {
    let issuer = Issuer::start().await;
    let mut browser = hub_of(&issuer, &["staff=user", "ops=admin"]).await;
    for (groups, role) in
        [(json!(["staff"]), "user"), (json!(["staff", "ops"]), "admin"), (json!("staff"), "user")]
    {
        let (_, cookie) = sign_in(&browser, &issuer, json!({"groups": groups})).await;
        assert_eq!(whoami(&mut browser, cookie).await["role"], role);
    }
    for groups in [json!(["others"]), json!([]), Value::Null] {
        let refused = sign_in(&browser, &issuer, json!({"groups": groups})).await;
        assert_eq!(refused, ("/?sign-in=group".into(), None));
    }
}

#[tokio::test]
async fn an_admin_who_is_in_no_group_any_more_keeps_neither_the_role_nor_the_session() {
    let issuer = Issuer::start().await;
    let mut browser = hub_of(&issuer, &["ops=admin"]).await;
    let (_, cookie) = sign_in(&browser, &issuer, json!({"groups": ["ops"]})).await;
    assert_eq!(whoami(&mut browser, cookie.clone()).await["role"], "admin");
    let refused = sign_in(&browser, &issuer, json!({"groups": ["others"]})).await;
    assert_eq!(refused, ("/?sign-in=group".into(), None));
    browser.cookie = cookie;
    assert_eq!(browser.asks("GET", "/api/session", None).await.0, StatusCode::UNAUTHORIZED);
    let ada = browser.test.hub.store.read(|rows| rows.user_named("ada")).await.unwrap().unwrap();
    assert_eq!(ada.role, baton_core::SystemRole::User);
}

#[tokio::test]
async fn sign_ins_that_fail_count_for_their_address_and_those_that_work_do_not() {
    let issuer = Issuer::start().await;
    let browser = hub_of(&issuer, &["staff=user"]).await;
    let limit = limits::OIDC_SIGN_INS_PER_MINUTE;
    for _ in 0..=limit {
        assert!(sign_in(&browser, &issuer, json!({})).await.1.is_some());
    }
    for _ in 0..limit {
        assert_eq!(sign_in(&browser, &issuer, json!({"nonce": "x"})).await.0, "/?sign-in=issuer");
    }
    assert_eq!(sign_in(&browser, &issuer, json!({})).await, ("/?sign-in=hub".into(), None));
}

#[tokio::test]
async fn the_scope_groups_is_asked_for_where_the_issuer_knows_it_and_groups_count() {
    for (scopes, groups, is_asked) in [
        (&["openid", "groups"][..], &["staff=user"][..], true),
        (&["openid"], &["staff=user"], false),
        (&["groups"], &[], false),
    ] {
        let issuer = Issuer::start().await;
        *issuer.scopes.lock().unwrap() = scopes.to_vec();
        let browser = hub_of(&issuer, groups).await;
        let asked = begin(&browser, &issuer).await.asked;
        assert_eq!(value(&asked, "scope").unwrap().contains("groups"), is_asked, "{scopes:?} {groups:?}");
    }
}

#[tokio::test]
async fn a_place_to_return_to_that_no_cookie_can_hold_is_left_and_the_sign_in_goes_on() {
    let issuer = Issuer::start().await;
    let browser = hub_of(&issuer, &[]).await;
    let path = format!("/oidc/login?return_to=/{}", "x".repeat(limits::COOKIE_LINE_MAX_BYTES));
    let answer = browser.send("GET", &path, &[], None).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let line = answer.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(line.len() < 1_000 && line.contains(".%2F;"), "{line}");
}

#[tokio::test]
async fn an_id_token_that_is_not_for_this_sign_in_signs_nobody_in() {
    let issuer = Issuer::start().await;
    let browser = hub_of(&issuer, &[]).await;
    for change in [
        json!({"nonce": "of another sign-in"}),
        json!({"nonce": null}),
        json!({"aud": "another client"}),
        json!({"aud": ["hub", "another client"]}),
        json!({"iss": "https://evil.example"}),
        json!({"exp": 1}),
        json!({"sub": ""}),
    ] {
        let refused = sign_in(&browser, &issuer, change.clone()).await;
        assert_eq!(refused, ("/?sign-in=issuer".into(), None), "{change}");
    }
    *issuer.signs_with.lock().unwrap() = 2;
    assert_eq!(sign_in(&browser, &issuer, json!({})).await, ("/?sign-in=issuer".into(), None));
    let users = browser.test.hub.store.read(|rows| rows.has_users()).await.unwrap();
    assert!(!users, "nobody was made");
}

#[tokio::test]
async fn an_answer_that_this_browser_did_not_ask_for_signs_nobody_in() {
    let issuer = Issuer::start().await;
    let browser = hub_of(&issuer, &[]).await;
    let begun = begin(&browser, &issuer).await;
    *issuer.claims.lock().unwrap() = claims(&issuer, &begun, browser.test.hub.clock.now().get());
    let state = value(&begun.asked, "state").unwrap();
    let again = ("/?sign-in=again".to_owned(), None);
    assert_eq!(come_back(&browser, &begun, "code=a+code&state=another").await, again);
    assert_eq!(come_back(&browser, &begun, "code=a+code").await, again);
    let mixed_up = format!("code=a+code&state={state}&iss=https%3A%2F%2Fevil.example");
    assert_eq!(come_back(&browser, &begun, &mixed_up).await, again, "another issuer's answer");
    let stranger = Begun { cookie: "x=y".into(), asked: vec![] };
    assert_eq!(come_back(&browser, &stranger, &format!("code=a+code&state={state}")).await, again);
    let refused = come_back(&browser, &begun, &format!("error=access_denied&state={state}")).await;
    assert_eq!(refused, ("/?sign-in=refused".into(), None));
    let (_, cookie) = come_back(&browser, &begun, &format!("code=a+code&state={state}")).await;
    assert!(cookie.is_some(), "the browser that asked is signed in");
}

#[tokio::test]
async fn a_hub_without_an_issuer_offers_none() {
    let browser = Browser::new();
    assert_eq!(browser.reads("/api/session/options").await["issuer"], Value::Null);
    let answer = browser.send("GET", "/oidc/login", &[], None).await;
    assert_eq!(answer.headers()[header::LOCATION], "/?sign-in=off");
}
