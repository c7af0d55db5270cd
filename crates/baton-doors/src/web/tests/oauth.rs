//! An MCP client asks a user and acts for them: the whole way, how long it lasts, and what ends it. And tokens that expire.

use axum::http::{StatusCode, header};
use axum::response::Response;
use baton_core::{AccessToken, limits};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::browser::{Browser, OWN, PASSWORD};
use super::oauth_client::{REDIRECT, World, parameters, refused, register, tokens, value};
use crate::service::sweep;

#[tokio::test]
async fn a_client_that_was_allowed_acts_as_the_alias_the_user_chose() {
    let world = World::new().await;
    let (status, asked) = world.asked(&world.request()).await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    let shown = ["username", "client_name", "returns_to", "is_on_this_machine", "suggested_alias"];
    let shown: Vec<_> = shown.iter().map(|name| asked[*name].clone()).collect();
    assert_eq!(
        shown,
        [json!("ada"), json!("A client"), json!("client.example"), json!(false), json!("a-client")]
    );
    assert!(asked["problem"].is_null());

    let answer = world.answer_to(&world.request(), true).await;
    assert_eq!(value(&answer, "state").as_deref(), Some("the state"));
    let tokens = tokens(world.redeem(&value(&answer, "code").unwrap(), &[]).await);
    world.browser.agent(&world.network, "worker").await;
    let arguments = json!({"alias": "worker", "task": "from a hosted client"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "send_task", "arguments": arguments}});
    let (status, sent) = world.mcp(&tokens.access, &call).await;
    assert_eq!(status, StatusCode::OK, "{sent}");
    let task = sent["result"]["structuredContent"]["task_id"].as_str().unwrap_or_else(|| panic!("{sent}"));
    let task = world.browser.reads(&format!("/api/tasks/{task}")).await;
    assert!(task.to_string().contains(r#""from_name":"hosted""#), "{task}");
}

#[tokio::test]
async fn a_401_of_the_mcp_door_leads_to_where_a_client_asks_for_tokens() {
    let browser = Browser::new();
    for (token, expected) in [
        (None, r#"Bearer realm="baton", "#),
        (Some("Bearer oat_00"), r#"Bearer realm="baton", error="invalid_token", "#),
    ] {
        let headers: Vec<_> = token.map(|token| ("authorization", token)).into_iter().collect();
        let refused = browser.send("POST", "/mcp", &headers, Some(&json!({}))).await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        let challenge = refused.headers()[header::WWW_AUTHENTICATE].to_str().unwrap();
        let metadata = format!(r#"resource_metadata="{OWN}/.well-known/oauth-protected-resource/mcp""#);
        assert_eq!(challenge, format!("{expected}{metadata}"));
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let (status, resource) = browser.json("GET", path, &[], None).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(
            (&resource["resource"], &resource["authorization_servers"]),
            (&json!(format!("{OWN}/mcp")), &json!([OWN]))
        );
    }
    let (_, server) = browser.json("GET", "/.well-known/oauth-authorization-server", &[], None).await;
    assert_eq!(
        (&server["issuer"], &server["code_challenge_methods_supported"]),
        (&json!(OWN), &json!(["S256"]))
    );
    for (name, method) in [
        ("authorization_endpoint", "GET"),
        ("token_endpoint", "POST"),
        ("registration_endpoint", "POST"),
        ("revocation_endpoint", "POST"),
    ] {
        let path = server[name].as_str().unwrap().strip_prefix(OWN).unwrap();
        let status = browser.send(method, path, &[], None).await.status();
        assert!(![StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&status), "{path}");
    }
}

#[tokio::test]
async fn a_user_who_refuses_sends_the_client_back_with_nothing() {
    let world = World::new().await;
    let answer = world.answer_to(&world.request(), false).await;
    assert_eq!((value(&answer, "error").as_deref(), value(&answer, "code")), (Some("access_denied"), None));
    assert_eq!(value(&answer, "state").as_deref(), Some("the state"));
}

#[tokio::test]
async fn a_refresh_token_gives_new_tokens_and_the_access_token_before_works_to_its_end() {
    let world = World::new().await;
    let first = world.tokens().await;
    let second = tokens(world.refresh(&first.refresh, &world.client_id).await);
    assert!(second.refresh != first.refresh && second.access != first.access);
    for access in [&first.access, &second.access] {
        assert_eq!(world.lists_tools(access).await, StatusCode::OK);
    }
    let listed = world.browser.reads("/api/auth/tokens").await;
    let grants: Vec<_> = grants(&listed);
    assert_eq!(grants.len(), 1, "one grant, however often it is refreshed: {listed}");
}

#[tokio::test]
async fn a_grant_is_refreshed_so_often_a_minute_and_then_its_client_is_asked_to_wait() {
    let world = World::new().await;
    let (mut grant, other) = (world.tokens().await, world.tokens().await);
    for _ in 0..limits::OAUTH_REFRESHES_PER_MINUTE {
        grant = tokens(world.refresh(&grant.refresh, &world.client_id).await);
    }
    let (status, answer) = world.refresh(&grant.refresh, &world.client_id).await;
    assert_eq!((status, &answer["error"]), (StatusCode::TOO_MANY_REQUESTS, &json!("rate_limited")));
    assert_eq!(world.lists_tools(&grant.access).await, StatusCode::OK, "the grant goes on");
    tokens(world.refresh(&other.refresh, &world.client_id).await);
}

#[tokio::test]
async fn oauths_endpoints_count_for_the_clients_address_whatever_token_it_shows() {
    let browser = Browser::at(|settings| settings.rate_limit = Some((1, 3)));
    let mut statuses = Vec::new();
    for n in 0..6 {
        let bearer = format!("Bearer oat_{n}");
        let headers = [("authorization", &*bearer), ("content-type", "application/x-www-form-urlencoded")];
        let path = if n % 2 == 0 { "/oauth/token" } else { "/oauth/revoke" };
        statuses.push(browser.send("POST", path, &headers, None).await.status());
    }
    assert!(!statuses[..3].contains(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
    assert!(statuses[3..].contains(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
}

#[tokio::test]
async fn a_new_password_ends_grants_and_codes_that_wait_to_be_redeemed() {
    let world = World::new().await;
    let (grant, code) = (world.tokens().await, world.code().await);
    let change = json!({"old_password": PASSWORD, "new_password": "another quiet harbour"});
    let (status, changed) = world.browser.asks("POST", "/api/session/password", Some(&change)).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert_eq!(world.lists_tools(&grant.access).await, StatusCode::UNAUTHORIZED);
    refused(world.refresh(&grant.refresh, &world.client_id).await, "invalid_grant");
    refused(world.redeem(&code, &[]).await, "invalid_grant");
    assert!(sweep::oauth(&world.browser.test.hub).await.unwrap() > 0, "its refresh token is removed");
    assert_eq!(sweep::oauth(&world.browser.test.hub).await.unwrap(), 0);
}

#[tokio::test]
async fn a_client_that_was_allowed_and_took_no_token_still_counts_as_one_that_makes_room() {
    let world = World::new().await;
    let used_at = async || {
        let id = world.client_id.clone();
        let find = move |rows: &dyn baton_store::Snapshot| rows.oauth_client(&id);
        world.browser.test.hub.store.read(find).await.unwrap().unwrap().used_at
    };
    let code = world.code().await;
    assert_eq!(used_at().await, None);
    tokens(world.redeem(&code, &[]).await);
    assert!(used_at().await.is_some());
}

#[tokio::test]
async fn a_client_document_is_read_up_to_its_bound_and_not_asked_for_again_at_once() {
    let mut browser = Browser::at(|settings| {
        let ranges = vec!["127.0.0.0/8".parse().unwrap()];
        settings.outbound = crate::outbound::Policy::new(ranges, Default::default());
    });
    let network = browser.register("ada").await;
    browser.sign_in("ada", PASSWORD).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client_id = format!("http://{}/client.json", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    // It never ends: only a reader that stops gets an answer that names its length.
    let endless = async move || {
        count.fetch_add(1, Ordering::SeqCst);
        let spaces = || Ok::<_, std::io::Error>(" ".repeat(1024));
        axum::body::Body::from_stream(futures_util::stream::repeat_with(spaces))
    };
    let app = axum::Router::new().route("/client.json", axum::routing::get(endless));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let world = World { browser, network, client_id };
    for _ in 0..3 {
        let (status, asked) = world.asked(&world.request()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let rule = format!("more than {} bytes", limits::OAUTH_CLIENT_DOCUMENT_MAX_BYTES);
        assert!(asked["message"].as_str().unwrap().contains(&rule), "{asked}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

fn grants(listed: &Value) -> Vec<Value> {
    let tokens = listed["tokens"].as_array().unwrap();
    tokens.iter().filter(|token| token["client_id"].is_string()).cloned().collect()
}

#[tokio::test]
async fn an_access_token_that_expired_opens_nothing() {
    let world = World::new().await;
    world.tokens().await;
    let listed = world.browser.reads("/api/auth/tokens").await;
    let grant = grants(&listed).remove(0)["token_id"].as_str().unwrap().to_owned();
    let (old, now) = (AccessToken::from_random([7; 32]), world.browser.test.hub.clock.now());
    let hash: [u8; 32] = Sha256::digest(old.expose()).into();
    world
        .browser
        .test
        .write(move |tx| {
            let grant = baton_core::TokenId::parse(&grant).unwrap();
            tx.insert_oauth_access(&grant, &hash, now)
        })
        .await;
    assert_eq!(world.lists_tools(old.expose()).await, StatusCode::UNAUTHORIZED);
    assert_eq!(sweep::oauth(&world.browser.test.hub).await.unwrap(), 1);
}

#[tokio::test]
async fn a_grant_ends_when_its_user_revokes_it_or_its_client_gives_it_back_or_the_member_leaves() {
    let world = World::new().await;
    let by_user = world.tokens().await;
    let listed = world.browser.reads("/api/auth/tokens").await;
    let grant = grants(&listed).remove(0);
    assert_eq!((&grant["name"], &grant["client_id"]), (&json!("oauth:A client"), &json!(world.client_id)));
    let path = format!("/api/auth/tokens/{}", grant["token_id"].as_str().unwrap());
    assert_eq!(world.browser.asks("DELETE", &path, None).await.0, StatusCode::OK);
    assert_eq!(world.lists_tools(&by_user.access).await, StatusCode::UNAUTHORIZED);
    refused(world.refresh(&by_user.refresh, &world.client_id).await, "invalid_grant");

    for is_access in [true, false] {
        let by_client = world.tokens().await;
        let token = if is_access { by_client.access.clone() } else { by_client.refresh.clone() };
        let foreign =
            world.browser.form("/oauth/revoke", &[("token", &token), ("client_id", "another")]).await;
        assert_eq!(foreign.status(), StatusCode::OK);
        assert_eq!(world.lists_tools(&by_client.access).await, StatusCode::OK, "another client's is left");
        let fields = [("token", &*token), ("client_id", &*world.client_id)];
        assert_eq!(world.browser.form("/oauth/revoke", &fields).await.status(), StatusCode::OK);
        assert_eq!(world.lists_tools(&by_client.access).await, StatusCode::UNAUTHORIZED);
    }

    let of_member = world.tokens().await;
    let (network, user) = (world.network.clone(), ada(&world).await);
    world
        .browser
        .test
        .write(move |tx| {
            let network = baton_core::NetworkId::parse(&network).unwrap();
            tx.delete_member(&network, &user)?;
            tx.revoke_node_tokens(&user, &network, baton_core::UnixMillis::new(1))?;
            tx.touch_access();
            Ok(())
        })
        .await;
    assert_eq!(world.lists_tools(&of_member.access).await, StatusCode::UNAUTHORIZED);
}

async fn ada(world: &World) -> baton_core::UserId {
    let store = &world.browser.test.hub.store;
    store.read(|rows| rows.user_named("ada")).await.unwrap().unwrap().user_id
}

#[tokio::test]
async fn a_user_can_allow_only_what_they_may_do_themselves() {
    let world = World::new().await;
    let mut other = Browser::new();
    let foreign = other.register("bob").await;
    assert_eq!(other.sign_in("bob", PASSWORD).await.0, StatusCode::OK);
    for (network, alias, status) in [
        (&*foreign, "hosted", 404),
        ("net_000000000000", "hosted", 404),
        (&*world.network, "ada", 409),
        (&*world.network, " ", 400),
    ] {
        let decision =
            json!({"request": world.request(), "allow": true, "network_id": network, "alias": alias});
        let (answered, answer) =
            world.browser.asks("POST", "/api/oauth/authorization", Some(&decision)).await;
        assert!(answered.is_client_error(), "{network} {alias} ({status}): {answer}");
        assert!(answer["redirect_to"].is_null(), "{answer}");
    }
    let agent = world.browser.agent(&world.network, "worker").await;
    let decision =
        json!({"request": world.request(), "allow": true, "network_id": world.network, "alias": "worker"});
    let (status, answer) = agent.calls("POST", "/api/oauth/authorization", Some(&decision)).await;
    assert_eq!((status, &answer["error"]), (StatusCode::FORBIDDEN, &json!("user_token_required")));
}

#[tokio::test]
async fn a_client_on_the_users_machine_may_listen_at_any_port() {
    let mut world = World::new().await;
    world.client_id = register(&world.browser, &["http://127.0.0.1/callback"]).await;
    let request = world.request_with("redirect_uri", json!("http://127.0.0.1:49152/callback"));
    let (_, asked) = world.asked(&request).await;
    assert_eq!((&asked["returns_to"], &asked["is_on_this_machine"]), (&json!("127.0.0.1"), &json!(true)));
    let (_, decided) = world.decided(&request, true).await;
    let url = decided["redirect_to"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:49152/callback?code=oac_"), "{url}");
    let code = value(&parameters(url), "code").unwrap();
    let changed = [("redirect_uri", "http://127.0.0.1:49152/callback")];
    tokens(world.redeem(&code, &changed).await);
}

/// A web server on loopback that serves one JSON document, and its address.
async fn serves(document: impl Fn(&str) -> Value) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/client.json", listener.local_addr().unwrap());
    let document = document(&url);
    let app =
        axum::Router::new().route("/client.json", axum::routing::get(async move || axum::Json(document)));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    url
}

#[tokio::test]
async fn a_client_whose_id_is_a_url_is_known_by_its_document() {
    let mut browser = Browser::at(|settings| {
        let ranges = vec!["127.0.0.0/8".parse().unwrap()];
        settings.outbound = crate::outbound::Policy::new(ranges, Default::default());
    });
    let network = browser.register("ada").await;
    browser.sign_in("ada", PASSWORD).await;
    let client_id =
        serves(|url| json!({"client_id": url, "client_name": "Hosted", "redirect_uris": [REDIRECT]})).await;
    let mut world = World { browser, network, client_id };
    let (status, asked) = world.asked(&world.request()).await;
    assert_eq!((status, &asked["client_name"]), (StatusCode::OK, &json!("Hosted")), "{asked}");
    assert_eq!(world.lists_tools(&world.tokens().await.access).await, StatusCode::OK);

    world.client_id =
        serves(|_| json!({"client_id": "https://other.example/c", "redirect_uris": [REDIRECT]})).await;
    let (status, asked) = world.asked(&world.request()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(asked["message"].as_str().unwrap().contains("another client_id"), "{asked}");
}

#[tokio::test]
async fn a_client_document_inside_is_not_read_unless_the_operator_said_so() {
    let mut world = World::new().await;
    world.client_id =
        serves(|url| json!({"client_id": url, "client_name": "Inside", "redirect_uris": [REDIRECT]})).await;
    let (status, asked) = world.asked(&world.request()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(asked["message"].as_str().unwrap().contains("the hub may not call"), "{asked}");
}

/// What an answer says of the token that it was asked with.
fn seconds_left(answer: &Response) -> Option<u32> {
    let left = answer.headers().get("baton-token-expires-in");
    left.map(|seconds| seconds.to_str().unwrap().parse().unwrap())
}

#[tokio::test]
async fn a_token_that_expires_is_listed_announced_and_refused_from_its_last_moment_on() {
    let (browser, network) = Browser::signed_in().await;
    let mint =
        |seconds: Value| json!({"network_id": network, "node_name": "worker", "expires_in_seconds": seconds});
    for wrong in [json!(0), json!(-1), json!(315_360_001), json!("90d")] {
        let (status, answer) = browser.asks("POST", "/api/auth/node-token", Some(&mint(wrong))).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains("expires_in_seconds"), "{answer}");
    }
    let minted = async |seconds: i64| {
        let (status, minted) =
            browser.asks("POST", "/api/auth/node-token", Some(&mint(json!(seconds)))).await;
        assert!(status.is_success() && minted["expires_at"].is_string(), "{minted}");
        (
            format!("Bearer {}", minted["token"].as_str().unwrap()),
            minted["token_id"].as_str().unwrap().to_owned(),
        )
    };
    let announced = async |bearer: &str| {
        let answer = browser.send("GET", "/api/auth/me", &[("authorization", bearer)], None).await;
        assert_eq!(answer.status(), StatusCode::OK);
        seconds_left(&answer)
    };
    let (soon, _) = minted(6 * 86_400).await;
    let (later, token_id) = minted(90 * 86_400).await;
    assert_eq!(
        (announced(&later).await, announced(&soon).await.is_some_and(|left| left > 500_000)),
        (None, true)
    );
    let listed = browser.reads(&format!("/api/networks/{network}/tokens")).await;
    let one =
        listed["tokens"].as_array().unwrap().iter().find(|token| token["token_id"] == *token_id).unwrap();
    assert!(one["expires_at"].is_string(), "{listed}");

    let (hub, id) = (&browser.test.hub, baton_core::TokenId::parse(&token_id).unwrap());
    let now = hub.clock.now();
    browser
        .test
        .write(move |tx| {
            tx.touch_access();
            tx.renew_token(&id, now)
        })
        .await;
    let refused = browser.send("GET", "/api/auth/me", &[("authorization", &later)], None).await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        (sweep::tokens(hub).await.unwrap(), sweep::tokens(hub).await.unwrap()),
        (1, 0),
        "revoked once"
    );
    let listed = browser.reads(&format!("/api/networks/{network}/tokens")).await;
    assert!(!listed.to_string().contains(&token_id), "{listed}");
}

#[tokio::test]
async fn every_door_announces_that_a_token_expires_soon() {
    let (browser, network) = Browser::signed_in().await;
    browser.agent(&network, "worker").await;
    let mint = json!({"network_id": network, "node_name": "sender", "expires_in_seconds": 6 * 86_400});
    let (_, minted) = browser.asks("POST", "/api/auth/node-token", Some(&mint)).await;
    let bearer = format!("Bearer {}", minted["token"].as_str().unwrap());
    let base = format!("/a2a/{network}/worker");
    let rpc =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let calls = [
        ("REST", "GET", "/api/inbox".to_owned(), None),
        ("REST, refused", "GET", "/api/tasks/nonsense".into(), None),
        ("a stream of events", "GET", "/events/sender".into(), None),
        ("MCP", "POST", "/mcp".into(), Some(rpc("tools/list", json!({})))),
        ("JSON-RPC", "POST", base.clone(), Some(rpc("ListTasks", json!({})))),
        ("JSON-RPC, refused", "POST", base.clone(), Some(rpc("GetTask", json!({"id": "nonsense"})))),
        ("HTTP+JSON", "GET", format!("{base}/tasks"), None),
        ("HTTP+JSON, refused", "GET", format!("{base}/tasks/nonsense"), None),
        ("a card", "GET", base.clone(), None),
        ("the catalog", "GET", "/.well-known/ai-catalog.json".into(), None),
    ];
    for (door, method, path, body) in calls {
        let headers = [("authorization", &*bearer), ("a2a-version", "1.0"), ("accept", "*/*")];
        let answer = browser.send(method, &path, &headers, body.as_ref()).await;
        assert!(seconds_left(&answer).is_some_and(|left| left > 500_000), "{door}: {answer:?}");
    }
    let tenant = format!("{network}/worker");
    let message = [&[0x0a, u8::try_from(tenant.len()).unwrap()], tenant.as_bytes()].concat();
    for (method, ended) in [("ListTasks", None), ("GetTask", Some("3"))] {
        let answer = browser.grpc(method, &bearer, &message).await;
        assert_eq!(
            answer.headers().get("grpc-status").map(|code| code.to_str().unwrap()),
            ended,
            "{answer:?}"
        );
        assert!(seconds_left(&answer).is_some_and(|left| left > 500_000), "gRPC, {method}: {answer:?}");
    }
}

#[tokio::test]
async fn a_login_can_be_for_a_while() {
    let browser = Browser::new();
    browser.register("ada").await;
    let login = json!({"username": "ada", "password": PASSWORD, "expires_in_seconds": 3600});
    let (status, answer) = browser.json("POST", "/api/auth/login", &[], Some(&login)).await;
    assert_eq!(status, StatusCode::OK);
    assert!(answer["expires_at"].is_string(), "{answer}");
}
