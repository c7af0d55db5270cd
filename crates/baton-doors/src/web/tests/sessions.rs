//! Signing in and out, the password, how long a session lasts, rates and streams by cookie.

use axum::http::{StatusCode, header};
use baton_core::{SystemRole, limits};
use futures_util::StreamExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Duration;

use super::browser::{Browser, PASSWORD, set_cookie};
use crate::service::sweep;

#[tokio::test]
async fn signing_in_sets_a_cookie_that_no_script_reads_and_shows_no_token() {
    let mut browser = Browser::new();
    let network = browser.register("ada").await;
    let body = json!({"username": "ada", "password": PASSWORD});
    let response = browser.page("POST", "/api/session", Some(&body)).await;
    let line = set_cookie(&response).unwrap().to_owned();
    let (token, rest) = line.split_once(';').unwrap();
    assert_eq!(rest, " HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000");
    let token = token.strip_prefix("baton-9200=").unwrap().to_owned();
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let (status, answer) = crate::fixture::json(response).await;
    assert_eq!(status, StatusCode::OK);
    let user_id = answer["user"]["user_id"].clone();
    let user =
        json!({"user_id": user_id, "username": "ada", "display_name": null, "email": null, "role": "user"});
    let expected =
        json!({"ok": true, "user": user.clone(), "must_change_password": false, "network_id": network});
    assert_eq!(answer, expected);
    assert!(!answer.to_string().contains(&token));

    browser.cookie = Some(format!("baton-9200={token}"));
    let (status, session) = browser.asks("GET", "/api/session", None).await;
    assert_eq!(status, StatusCode::OK);
    let networks = browser.asks("GET", "/api/networks", None).await.1["networks"].clone();
    assert_eq!(networks[0]["network_id"], network);
    let version = env!("CARGO_PKG_VERSION");
    let expected = json!({"ok": true, "user": user, "must_change_password": false, "networks": networks, "version": version});
    assert_eq!(session, expected);
    let tokens = browser.asks("GET", "/api/auth/tokens", None).await.1["tokens"].clone();
    let names: Vec<_> = tokens.as_array().unwrap().iter().map(|token| &token["name"]).collect();
    assert!(names.contains(&&json!("browser")), "{tokens}");
}

#[tokio::test]
async fn signing_up_makes_a_user_whose_only_token_is_the_cookie() {
    let mut browser = Browser::new();
    assert_eq!(
        browser.reads("/api/session/options").await,
        json!({"ok": true, "open_registration": true, "issuer": null})
    );
    let body = json!({"username": "ada", "password": PASSWORD});
    let response = browser.page("POST", "/api/session/register", Some(&body)).await;
    let line = set_cookie(&response).unwrap().to_owned();
    assert!(line.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"), "{line}");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let (status, answer) = crate::fixture::json(response).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["must_change_password", "network_id", "ok", "user"]);
    assert!(!answer.to_string().contains("tok_"), "{answer}");

    browser.cookie = Some(line.split(';').next().unwrap().to_owned());
    let session = browser.reads("/api/session").await;
    assert_eq!(session["user"]["username"], "ada");
    assert_eq!(
        (&session["networks"][0]["network_id"], &session["networks"][0]["member_role"]),
        (&answer["network_id"], &json!("owner"))
    );
    let tokens = browser.reads("/api/auth/tokens").await["tokens"].clone();
    let names: Vec<_> = tokens.as_array().unwrap().iter().map(|token| &token["name"]).collect();
    assert_eq!(names, ["browser"]);
    let (status, answer) = browser.asks("POST", "/api/session/register", Some(&body)).await;
    assert_eq!((status, answer["error"].as_str()), (StatusCode::BAD_REQUEST, Some("username already taken")));
}

#[tokio::test]
async fn signing_up_holds_to_the_rules_of_registering() {
    let browser = Browser::new();
    for (username, password, error) in [
        ("a", PASSWORD, "username must be at least 2 characters"),
        ("a b", PASSWORD, "username contains invalid characters"),
        ("bob", "short", "password must be at least 8 characters"),
        ("bob", "PassWord123", "password is too common"),
    ] {
        let body = json!({"username": username, "password": password});
        let response = browser.page("POST", "/api/session/register", Some(&body)).await;
        assert_eq!(set_cookie(&response), None);
        let (status, answer) = crate::fixture::json(response).await;
        assert_eq!((status, answer["error"].as_str()), (StatusCode::BAD_REQUEST, Some(error)));
    }
    let closed = Browser::at(|settings| settings.open_registration = false);
    assert_eq!(closed.reads("/api/session/options").await["open_registration"], false);
    let body = json!({"username": "bob", "password": PASSWORD});
    let response = closed.page("POST", "/api/session/register", Some(&body)).await;
    assert_eq!(set_cookie(&response), None);
    let (status, answer) = crate::fixture::json(response).await;
    assert_eq!((status, answer["error"].as_str()), (StatusCode::FORBIDDEN, Some("registration is closed")));
}

#[tokio::test]
async fn over_tls_or_an_https_proxy_the_cookie_is_secure_and_bound_to_its_host() {
    let https: [fn(&mut crate::hub::Settings); 2] = [
        |settings| settings.serves_tls = true,
        |settings| settings.public_url = "https://hub.example".into(),
    ];
    for change in https {
        let browser = Browser::at(change);
        browser.register("ada").await;
        let body = json!({"username": "ada", "password": PASSWORD});
        let headers = [("origin", "https://localhost:9200"), ("baton-page", "1")];
        let response = browser.send("POST", "/api/session", &headers, Some(&body)).await;
        let line = set_cookie(&response).unwrap();
        assert!(line.starts_with("__Host-baton=utok_"), "{line}");
        assert!(line.ends_with("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000; Secure"), "{line}");
    }
}

#[tokio::test]
async fn a_generated_password_is_said_once_and_apart_from_the_user() {
    let mut browser = Browser::new();
    browser.register("ada").await;
    browser
        .test
        .write(|tx| {
            let user = tx.user_named("ada")?.unwrap();
            tx.change_password(&user.user_id, &user.password_hash, true)
        })
        .await;
    let (_, answer) = browser.sign_in("ada", PASSWORD).await;
    let (_, session) = browser.asks("GET", "/api/session", None).await;
    for said in [answer, session] {
        assert_eq!(said["must_change_password"], true);
        assert_eq!(said["user"].get("must_change_password"), None);
    }
}

#[tokio::test]
async fn a_wrong_password_sets_no_cookie_and_is_counted_like_any_login() {
    let mut browser = Browser::new();
    browser.register("ada").await;
    for _ in 0..limits::LOGIN_FAILURES_BEFORE_LOCK {
        let (status, answer) = browser.sign_in("ada", "another harbour").await;
        assert_eq!(
            (status, answer["error"].as_str().unwrap()),
            (StatusCode::UNAUTHORIZED, "invalid username or password")
        );
    }
    assert_eq!(browser.cookie, None);
    let (status, answer) = browser.sign_in("ada", PASSWORD).await;
    assert_eq!((status, answer["error"].as_str().unwrap()), (StatusCode::TOO_MANY_REQUESTS, "login_locked"));
    let login = json!({"username": "ada", "password": PASSWORD});
    assert_eq!(browser.json("POST", "/api/auth/login", &[], Some(&login)).await.1["error"], "login_locked");
}

#[tokio::test]
async fn signing_out_ends_the_session_and_clears_the_cookie() {
    let (browser, _) = Browser::signed_in().await;
    let response = browser.page("DELETE", "/api/session", None).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(set_cookie(&response), Some("baton-9200=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"));
    for (method, path) in [("GET", "/api/session"), ("DELETE", "/api/session"), ("GET", "/api/tasks")] {
        assert_eq!(
            browser.page(method, path, None).await.status(),
            StatusCode::UNAUTHORIZED,
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn without_a_session_there_is_none_to_show_and_a_node_token_has_none() {
    let browser = Browser::new();
    assert_eq!(browser.asks("GET", "/api/session", None).await.0, StatusCode::UNAUTHORIZED);
    browser.test.person("bob", SystemRole::User, &[1]).await;
    let token = format!("Bearer {}", browser.test.agent("bob", 1, "worker").await);
    let (status, answer) = browser.json("GET", "/api/session", &[("authorization", &token)], None).await;
    assert_eq!((status, answer["error"].as_str().unwrap()), (StatusCode::FORBIDDEN, "user_token_required"));
}

#[tokio::test]
async fn a_new_password_ends_every_user_token_and_gives_this_browser_a_fresh_cookie() {
    let (mut browser, _) = Browser::signed_in().await;
    let first = browser.cookie.clone();
    browser.sign_in("ada", PASSWORD).await;
    let second = browser.cookie.clone();
    let wrong = json!({"old_password": "another harbour", "new_password": "a new harbour"});
    let response = browser.page("POST", "/api/session/password", Some(&wrong)).await;
    assert_eq!((response.status(), set_cookie(&response)), (StatusCode::BAD_REQUEST, None));
    let change = json!({"old_password": PASSWORD, "new_password": "a new harbour"});
    let response = browser.page("POST", "/api/session/password", Some(&change)).await;
    let fresh = set_cookie(&response).unwrap().split(';').next().unwrap().to_owned();
    // The token of the registration, and two browsers.
    assert_eq!(crate::fixture::json(response).await, (StatusCode::OK, json!({"ok": true, "revoked": 3})));
    for (cookie, expected) in
        [(first, StatusCode::UNAUTHORIZED), (second, StatusCode::UNAUTHORIZED), (Some(fresh), StatusCode::OK)]
    {
        browser.cookie = cookie;
        assert_eq!(browser.asks("GET", "/api/session", None).await.0, expected);
    }
    assert_eq!(browser.sign_in("ada", PASSWORD).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(browser.sign_in("ada", "a new harbour").await.0, StatusCode::OK);
}

const DAY: i64 = 86_400_000;

/// Lets the signed-in browser's session have begun, and been used last, so many milliseconds ago.
async fn age(browser: &Browser, began: i64, used: Option<i64>) {
    let now = browser.test.hub.clock.now();
    let secret = browser.cookie.as_deref().unwrap().split_once('=').unwrap().1;
    let hash: [u8; 32] = Sha256::digest(secret).into();
    browser
        .test
        .write(move |tx| {
            let mut row = tx.token_by_hash(&hash)?.unwrap();
            tx.delete_user_token(&row.token_id)?;
            row.created_at = now.plus_millis(-began);
            tx.insert_token(&row)?;
            if let Some(used) = used {
                tx.use_tokens(&[(row.token_id, now.plus_millis(-used))])?;
            }
            tx.touch_access();
            Ok(())
        })
        .await;
}

#[tokio::test]
async fn a_session_is_over_after_a_week_unused_and_a_month_in_all_and_is_swept() {
    // Its age, its last use, and whether it is over; a minute is room for a slow machine.
    let minute = 60_000;
    let cases = [
        (6 * DAY, None, false),
        (7 * DAY + 1, None, true),
        (20 * DAY, Some(7 * DAY - minute), false),
        (20 * DAY, Some(7 * DAY), true),
        (30 * DAY - minute, Some(0), false),
        (30 * DAY, Some(0), true),
    ];
    for (began, used, is_over) in cases {
        let (browser, _) = Browser::signed_in().await;
        browser.test.hub.presences.take_unwritten();
        age(&browser, began, used).await;
        let expected = if is_over { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
        assert_eq!(browser.asks("GET", "/api/session", None).await.0, expected, "{began} {used:?}");
        assert_eq!(
            sweep::browsers(&browser.test.hub).await.unwrap(),
            usize::from(is_over),
            "{began} {used:?}"
        );
        assert_eq!(sweep::browsers(&browser.test.hub).await.unwrap(), 0);
        assert_eq!(browser.asks("GET", "/api/session", None).await.0, expected, "{began} {used:?}");
    }
}

#[tokio::test]
async fn tokens_of_tools_do_not_end_by_themselves() {
    let browser = Browser::new();
    let token = browser.test.person("bob", SystemRole::User, &[1]).await; // made in 2023, never used
    assert_eq!(sweep::browsers(&browser.test.hub).await.unwrap(), 0);
    let bearer = format!("Bearer {token}");
    let answer = browser.json("GET", "/api/auth/me", &[("authorization", &bearer)], None).await;
    assert_eq!(answer.0, StatusCode::OK);
}

#[tokio::test]
async fn rates_count_a_cookie_as_they_count_a_token() {
    let mut browser = Browser::at(|settings| settings.rate_limit = Some((1, 3)));
    browser.register("ada").await;
    browser.sign_in("ada", PASSWORD).await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(browser.page("GET", "/api/session", None).await.status());
    }
    assert_eq!(statuses[..3], [StatusCode::OK; 3]);
    assert!(statuses[3..].contains(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
}

#[tokio::test]
async fn a_stream_by_cookie_ends_when_its_browser_signs_out() {
    let (browser, network) = Browser::signed_in().await;
    let path = format!("/events/network/{network}");
    let mut streams = Vec::new();
    for path in ["/events/me", path.as_str()] {
        let response = browser.page("GET", path, None).await;
        assert_eq!(response.status(), StatusCode::OK);
        let mut frames = response.into_body().into_data_stream();
        let first = frames.next().await.unwrap().unwrap();
        assert!(first.starts_with(b"data: {\"type\":\"connected\""), "{first:?}");
        streams.push(frames);
    }
    assert_eq!(browser.page("DELETE", "/api/session", None).await.status(), StatusCode::OK);
    let patience = Duration::from_secs(limits::REVOKED_STREAM_ENDS_SECONDS.into());
    for mut frames in streams {
        let ended = tokio::time::timeout(patience, async { while frames.next().await.is_some() {} });
        ended.await.expect("the stream ends");
    }
}

#[tokio::test]
async fn answers_by_cookie_are_not_kept_by_the_browser() {
    let (browser, _) = Browser::signed_in().await;
    let response = browser.page("GET", "/api/stats", None).await;
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    let value: Value = crate::fixture::json(response).await.1;
    assert_eq!(value["ok"], true);
}
