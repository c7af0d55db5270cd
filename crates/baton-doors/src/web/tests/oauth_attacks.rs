//! The attacks of RFC 9700 that apply to this authorization server, each tried against it.

use axum::http::{StatusCode, header};
use baton_core::{AuthorizationCode, TokenId};
use baton_store::rows::OauthCodeRow;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::browser::{Browser, OWN, PASSWORD};
use super::oauth_client::{REDIRECT, VERIFIER, World, parameters, refused, register, tokens, value};
use crate::fixture;

#[tokio::test]
async fn a_code_presented_twice_gives_nothing_and_ends_what_it_gave() {
    let world = World::new().await;
    let code = world.code().await;
    let first = tokens(world.redeem(&code, &[]).await);
    assert_eq!(world.lists_tools(&first.access).await, StatusCode::OK);
    refused(world.redeem(&code, &[]).await, "invalid_grant");
    assert_eq!(world.lists_tools(&first.access).await, StatusCode::UNAUTHORIZED);
    refused(world.refresh(&first.refresh, &world.client_id).await, "invalid_grant");
}

#[tokio::test]
async fn of_two_calls_that_race_with_one_code_at_most_one_is_issued_tokens() {
    let world = World::new().await;
    let code = world.code().await;
    let (one, other) = tokio::join!(world.redeem(&code, &[]), world.redeem(&code, &[]));
    let issued = [&one, &other].iter().filter(|(status, _)| *status == StatusCode::OK).count();
    assert_eq!(issued, 1, "{one:?} {other:?}");
}

#[tokio::test]
async fn a_wrong_verifier_is_refused_and_so_is_none() {
    let world = World::new().await;
    let code = world.code().await;
    let other = "a".repeat(43);
    refused(world.redeem(&code, &[("code_verifier", &other)]).await, "invalid_grant");
    refused(world.redeem(&code, &[("code_verifier", "short")]).await, "invalid_grant");
    refused(world.redeem(&code, &[("code_verifier", "")]).await, "invalid_request");
    tokens(world.redeem(&code, &[("code_verifier", VERIFIER)]).await);
}

#[tokio::test]
async fn a_request_without_pkce_or_with_the_plain_method_cannot_be_allowed() {
    let world = World::new().await;
    for request in [
        world.request_with("code_challenge", Value::Null),
        world.request_with("code_challenge_method", Value::Null),
        world.request_with("code_challenge_method", json!("plain")),
        world.request_with("code_challenge", json!("short")),
    ] {
        let (status, asked) = world.asked(&request).await;
        assert_eq!(
            (status, &asked["problem"]["error"]),
            (StatusCode::OK, &json!("invalid_request")),
            "{asked}"
        );
        let answer = world.answer_to(&request, true).await;
        assert_eq!(
            (value(&answer, "error").as_deref(), value(&answer, "code")),
            (Some("invalid_request"), None)
        );
    }
}

#[tokio::test]
async fn a_redirect_uri_that_was_not_registered_is_never_sent_to() {
    let world = World::new().await;
    for uri in [
        "https://evil.example/callback",
        "https://client.example/callback/../evil",
        "https://client.example/callback?x=1",
        "https://client.example.evil.example/callback",
        "https://client.example@evil.example/callback",
        "http://client.example/callback",
        "javascript:alert(1)",
    ] {
        let request = world.request_with("redirect_uri", json!(uri));
        for (status, answer) in [world.asked(&request).await, world.decided(&request, true).await] {
            assert_eq!(status, StatusCode::BAD_REQUEST, "{uri}: {answer}");
            assert!(!answer.to_string().contains("redirect_to"), "{answer}");
        }
    }
    let code = world.code().await;
    refused(world.redeem(&code, &[("redirect_uri", "https://client.example/other")]).await, "invalid_grant");
    refused(world.redeem(&code, &[("redirect_uri", "")]).await, "invalid_request");
}

#[tokio::test]
async fn every_answer_names_its_issuer_so_that_a_client_of_two_servers_cannot_be_mixed_up() {
    let world = World::new().await;
    let (_, server) = world.browser.json("GET", "/.well-known/oauth-authorization-server", &[], None).await;
    assert_eq!(server["authorization_response_iss_parameter_supported"], true);
    let broken = world.request_with("response_type", json!("token"));
    for (request, allow) in [(world.request(), true), (world.request(), false), (broken, true)] {
        let answer = world.answer_to(&request, allow).await;
        assert_eq!(value(&answer, "iss").as_deref(), server["issuer"].as_str());
        assert_eq!(value(&answer, "state").as_deref(), Some("the state"));
    }
}

#[tokio::test]
async fn a_token_or_a_code_in_a_query_counts_for_nothing() {
    let world = World::new().await;
    let tokens = world.tokens().await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let path = format!("/mcp?access_token={}", tokens.access);
    let status = world.browser.send("POST", &path, &[], Some(&call)).await.status();
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let code = world.code().await;
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", &*world.client_id),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let answer = world.browser.form(&format!("/oauth/token?code={code}"), &fields).await;
    refused(fixture::json(answer).await, "invalid_request");
    let answer = world.browser.form(&format!("/oauth/token?access_token={}", tokens.access), &fields).await;
    refused(fixture::json(answer).await, "invalid_request");
}

#[tokio::test]
async fn a_refresh_token_that_is_replayed_ends_its_whole_family() {
    let world = World::new().await;
    let first = world.tokens().await;
    let second = tokens(world.refresh(&first.refresh, &world.client_id).await);
    let third = tokens(world.refresh(&second.refresh, &world.client_id).await);
    refused(world.refresh(&first.refresh, &world.client_id).await, "invalid_grant");
    for stolen in [&second, &third] {
        assert_eq!(world.lists_tools(&stolen.access).await, StatusCode::UNAUTHORIZED);
        refused(world.refresh(&stolen.refresh, &world.client_id).await, "invalid_grant");
    }
}

#[tokio::test]
async fn of_two_calls_that_race_with_one_refresh_token_one_is_issued_tokens_and_the_grant_ends() {
    let world = World::new().await;
    let first = world.tokens().await;
    let refresh = async || world.refresh(&first.refresh, &world.client_id).await;
    let (one, other) = tokio::join!(refresh(), refresh());
    let (issued, replayed) = if one.0 == StatusCode::OK { (one, other) } else { (other, one) };
    let issued = tokens(issued);
    refused(replayed, "invalid_grant");
    // Which of the two was the client cannot be known.
    assert_eq!(world.lists_tools(&issued.access).await, StatusCode::UNAUTHORIZED);
    refused(world.refresh(&issued.refresh, &world.client_id).await, "invalid_grant");
}

#[tokio::test]
async fn a_code_and_a_refresh_token_whose_time_is_over_give_nothing() {
    let world = World::new().await;
    let code = world.code().await;
    let (hash, hub) = (secret_hash(&code), &world.browser.test.hub);
    let honest = hub.store.read(move |rows| rows.oauth_code(&hash)).await.unwrap().unwrap();
    let (late, now) = (AuthorizationCode::from_random([7; 32]), hub.clock.now());
    let row = OauthCodeRow { hash: secret_hash(late.expose()), expires_at: now, ..honest };
    world.browser.test.write(move |tx| tx.insert_oauth_code(&row, 10)).await;
    let answer = world.redeem(late.expose(), &[]).await;
    assert!(answer.1["error_description"].as_str().unwrap().contains("expired"), "{answer:?}");
    refused(answer, "invalid_grant");
    // The same in time; and a grant that was not used for too long.
    let grant = tokens(world.redeem(&code, &[]).await);
    let listed = world.browser.reads("/api/auth/tokens").await;
    let of_client = |token: &&Value| token["client_id"] == *world.client_id;
    let row = listed["tokens"].as_array().unwrap().iter().find(of_client).unwrap();
    let id = TokenId::parse(row["token_id"].as_str().unwrap()).unwrap();
    world
        .browser
        .test
        .write(move |tx| {
            tx.touch_access();
            tx.renew_token(&id, now)
        })
        .await;
    let answer = world.refresh(&grant.refresh, &world.client_id).await;
    assert!(answer.1["error_description"].as_str().unwrap().contains("expired"), "{answer:?}");
    refused(answer, "invalid_grant");
}

/// As the hub keeps a secret.
fn secret_hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[tokio::test]
async fn metadata_and_issuer_are_those_of_the_public_url_whatever_host_a_request_names() {
    const PUBLIC: &str = "https://hub.example.org";
    let browser = Browser::at(|settings| {
        settings.public_url = PUBLIC.into();
        settings.behind_proxy = true;
    });
    let network = browser.register("ada").await;
    let login = json!({"username": "ada", "password": PASSWORD});
    let (_, login) = browser.json("POST", "/api/auth/login", &[], Some(&login)).await;
    let client_id = register(&browser, &[REDIRECT]).await;
    let world = World { browser, network, client_id };
    let request = world.request_with("resource", json!(format!("{PUBLIC}/mcp")));
    let bearer = format!("Bearer {}", login["token"].as_str().unwrap());
    for host in ["evil.example", "localhost:9200", "127.0.0.1", "hub.example.org:8443", "hub.example.org"] {
        let asked = async |path: &str| {
            let forwarded =
                [("host", host), ("x-forwarded-host", "evil.example"), ("forwarded", "host=evil.example")];
            world.browser.json("GET", path, &forwarded, None).await.1
        };
        let resource = asked("/.well-known/oauth-protected-resource/mcp").await;
        assert_eq!(
            (&resource["resource"], &resource["authorization_servers"]),
            (&json!(format!("{PUBLIC}/mcp")), &json!([PUBLIC]))
        );
        let server = asked("/.well-known/oauth-authorization-server").await;
        for (name, value) in server
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, value)| value.as_str().is_some_and(|value| value.contains("//")))
        {
            assert!(value.as_str().unwrap().starts_with(PUBLIC), "{host}, {name}: {value}");
        }
        assert_eq!(server["issuer"], PUBLIC);
        let refused = world.browser.send("POST", "/mcp", &[("host", host)], Some(&json!({}))).await;
        let challenge = refused.headers()[header::WWW_AUTHENTICATE].to_str().unwrap();
        assert!(
            challenge.contains(&format!("resource_metadata=\"{PUBLIC}/.well-known")),
            "{host}: {challenge}"
        );
        let decision =
            json!({"request": request, "allow": true, "network_id": world.network, "alias": "hosted"});
        let headers = [("host", host), ("authorization", &*bearer)];
        let (status, decided) =
            world.browser.json("POST", "/api/oauth/authorization", &headers, Some(&decision)).await;
        assert_eq!(status, StatusCode::OK, "{decided}");
        let answer = parameters(decided["redirect_to"].as_str().unwrap());
        assert_eq!(value(&answer, "iss").as_deref(), Some(PUBLIC), "{host}");
    }
}

#[tokio::test]
async fn a_flood_of_registrations_is_answered_429() {
    let world = World::new().await;
    let metadata = json!({"client_name": "flood", "redirect_uris": [REDIRECT]});
    let mut answers = Vec::new();
    for _ in 0..baton_core::limits::OAUTH_REGISTRATIONS_PER_MINUTE {
        let answer = world.browser.send("POST", "/oauth/register", &[], Some(&metadata)).await;
        answers.push(answer.status());
    }
    assert_eq!(answers.pop(), Some(StatusCode::TOO_MANY_REQUESTS), "the world's own client was the first");
    assert!(answers.iter().all(|status| *status == StatusCode::CREATED), "{answers:?}");
}

#[tokio::test]
async fn the_consent_page_cannot_be_shown_in_a_frame_and_loads_nothing_from_elsewhere() {
    let world = World::new().await;
    let page = world.browser.send("GET", "/oauth/authorize?client_id=x", &[], None).await;
    assert_eq!(page.status(), StatusCode::OK);
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    for part in ["frame-ancestors 'none'", "default-src 'none'", "script-src 'self'", "form-action 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.headers()[header::X_FRAME_OPTIONS], "DENY");
    assert_eq!(page.headers()[header::REFERRER_POLICY], "no-referrer");
}

#[tokio::test]
async fn another_sites_page_cannot_make_the_users_browser_allow_a_client() {
    let world = World::new().await;
    let cookie = world.browser.cookie.clone().unwrap();
    let decision =
        json!({"request": world.request(), "allow": true, "network_id": world.network, "alias": "hosted"});
    for headers in [
        vec![("cookie", &*cookie), ("origin", OWN), ("sec-fetch-site", "same-origin")], // a form: no header of the page
        vec![("cookie", &cookie), ("origin", "https://evil.example"), ("baton-page", "1")],
        vec![("cookie", &cookie), ("origin", OWN), ("baton-page", "1"), ("sec-fetch-site", "cross-site")],
        vec![("cookie", &cookie), ("baton-page", "1")],
    ] {
        let answer = world.browser.send("POST", "/api/oauth/authorization", &headers, Some(&decision)).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{headers:?}");
    }
    let shown = [("cookie", &*cookie), ("sec-fetch-site", "cross-site")];
    let answer = world.browser.send("GET", "/api/oauth/authorization?client_id=x", &shown, None).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert_eq!(world.decided(&world.request(), true).await.0, StatusCode::OK, "the page itself can");
}

#[tokio::test]
async fn a_code_or_a_refresh_token_of_another_client_is_refused() {
    let world = World::new().await;
    let other = register(&world.browser, &[REDIRECT]).await;
    let code = world.code().await;
    refused(world.redeem(&code, &[("client_id", &other)]).await, "invalid_grant");
    let tokens = tokens(world.redeem(&code, &[]).await);
    refused(world.refresh(&tokens.refresh, &other).await, "invalid_grant");
    assert_eq!(world.lists_tools(&tokens.access).await, StatusCode::OK);
}

#[tokio::test]
async fn a_token_is_for_the_mcp_door_and_opens_no_other() {
    let world = World::new().await;
    let request = world.request_with("resource", json!("https://other.example/mcp"));
    let (_, asked) = world.asked(&request).await;
    assert_eq!(asked["problem"]["error"], "invalid_target", "{asked}");
    let answer = world.answer_to(&request, true).await;
    assert_eq!((value(&answer, "error").as_deref(), value(&answer, "code")), (Some("invalid_target"), None));
    let code = world.code().await;
    refused(world.redeem(&code, &[("resource", "https://other.example/mcp")]).await, "invalid_target");
    let tokens = tokens(world.redeem(&code, &[("resource", &format!("{OWN}/mcp"))]).await);
    let bearer = format!("Bearer {}", tokens.access);
    let network = &world.network;
    for path in [
        "/api/auth/me",
        "/api/tasks",
        "/events/hosted",
        &format!("/a2a/{network}/hosted"),
        &format!("/a2a/{network}/hosted/tasks"),
    ] {
        let headers = [("authorization", &*bearer), ("a2a-version", "1.0")];
        let answer = world.browser.send("GET", path, &headers, None).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
    }
    // So no agent's card lists OAuth among the ways in.
    let agent = world.browser.agent(network, "worker").await;
    let (status, card) = agent.calls("GET", &format!("/a2a/{network}/hosted"), None).await;
    assert_eq!(status, StatusCode::OK, "{card}");
    let schemes: Vec<&str> =
        card["securitySchemes"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(schemes, ["bearer"]);
    assert_eq!(card["securityRequirements"], json!([{"schemes": {"bearer": {"list": []}}}]));
}

#[tokio::test]
async fn a_parameter_that_comes_twice_is_refused() {
    let world = World::new().await;
    let code = world.code().await;
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "another"),
        ("client_id", &*world.client_id),
        ("code", &*code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    refused(fixture::json(world.browser.form("/oauth/token", &fields).await).await, "invalid_request");
    let path = format!("/api/oauth/authorization?client_id=a&client_id={}", world.client_id);
    assert_eq!(world.browser.asks("GET", &path, None).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn what_a_state_holds_stays_one_parameter() {
    let world = World::new().await;
    let state = "x&code=stolen&iss=https://evil.example#y=1 \u{e9}";
    let request = world.request_with("state", json!(state));
    let (_, decided) = world.decided(&request, true).await;
    let answer = parameters(decided["redirect_to"].as_str().unwrap());
    assert_eq!(
        (value(&answer, "state").as_deref(), value(&answer, "iss").as_deref()),
        (Some(state), Some(OWN))
    );
}
