//! The attacks of RFC 9700 that apply to this authorization server, each tried against it.

use axum::http::{StatusCode, header};
use serde_json::{Value, json};

use super::browser::OWN;
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
    for path in
        ["/api/auth/me", "/api/tasks", "/events/session/hosted", &format!("/a2a/{network}/hosted/v1/card")]
    {
        let answer = world.browser.send("GET", path, &[("authorization", &bearer)], None).await;
        assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
    }
    let answer = world.browser.send("GET", "/api/auth/me", &[("authorization", &bearer)], None).await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
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
