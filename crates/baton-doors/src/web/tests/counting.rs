//! Which requests a cookie counts for. The cookie here opens nothing, so a request that passes is answered 401 and one
//! that does not 403, before anything was looked up.

use axum::http::StatusCode;

use super::browser::{Browser, OWN};
use crate::fixture;

const COOKIE: (&str, &str) = ("cookie", "baton-9200=utok_00112233445566778899aabbccddeeff");
const CONFIGURED: &str = "https://board.example";

const ORIGINS: [Option<&str>; 5] =
    [None, Some(OWN), Some(CONFIGURED), Some("http://localhost:3000"), Some("null")];
const SITES: [Option<&str>; 5] =
    [None, Some("same-origin"), Some("none"), Some("same-site"), Some("cross-site")];
const PAGES: [Option<&str>; 3] = [None, Some("1"), Some("0")];

type Headers = (Option<&'static str>, Option<&'static str>, Option<&'static str>);

/// Origin, site and page of every read that counts; the page's header is not asked for.
const READS: [(Option<&str>, Option<&str>); 6] = [
    (None, None),
    (None, Some("same-origin")),
    (None, Some("none")),
    (Some(OWN), None),
    (Some(OWN), Some("same-origin")),
    (Some(OWN), Some("none")),
];
/// And of every write.
const WRITES: [Headers; 2] = [(Some(OWN), None, Some("1")), (Some(OWN), Some("same-origin"), Some("1"))];

fn all() -> impl Iterator<Item = Headers> {
    let pages = |origin, site| PAGES.into_iter().map(move |page| (origin, site, page));
    let sites = move |origin| SITES.into_iter().flat_map(move |site| pages(origin, site));
    ORIGINS.into_iter().flat_map(sites)
}

fn named<'h>((origin, site, page): Headers, more: &[(&'h str, &'h str)]) -> Vec<(&'h str, &'h str)> {
    let pairs = [("origin", origin), ("sec-fetch-site", site), ("baton-page", page)];
    let named = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
    named.chain(more.iter().copied()).collect()
}

fn at() -> Browser {
    Browser::at(|settings| settings.cors_origins = vec![CONFIGURED.into()])
}

#[tokio::test]
async fn every_combination_of_method_origin_site_and_header_is_decided_as_the_table_says() {
    let browser = at();
    let mut counted = 0;
    for headers in all() {
        for (method, path) in [
            ("GET", "/api/tasks"),
            ("HEAD", "/api/tasks"),
            ("GET", "/events/me"),
            ("POST", "/api/task"),
            ("PUT", "/api/auth/me"),
            ("DELETE", "/api/auth/tokens/x"),
            ("DELETE", "/api/session"),
        ] {
            let counts = match method {
                "GET" | "HEAD" => READS.contains(&(headers.0, headers.1)),
                _ => WRITES.contains(&headers),
            };
            let expected = if counts { StatusCode::UNAUTHORIZED } else { StatusCode::FORBIDDEN };
            let response = browser.send(method, path, &named(headers, &[COOKIE]), None).await;
            assert_eq!(response.status(), expected, "{method} {path} {headers:?}");
            counted += usize::from(counts);
        }
    }
    assert_eq!(counted, 3 * READS.len() * PAGES.len() + 4 * WRITES.len());
}

#[tokio::test]
async fn signing_in_and_up_ask_for_the_same_as_a_write_whether_or_not_there_is_a_cookie() {
    let browser = at();
    for headers in all() {
        for more in [&[][..], &[COOKIE], &[("authorization", "Bearer x")]] {
            for path in ["/api/session", "/api/session/register"] {
                let response = browser.send("POST", path, &named(headers, more), None).await;
                // Without a body it is a bad request; that it is read says that it was let through.
                let expected =
                    if WRITES.contains(&headers) { StatusCode::BAD_REQUEST } else { StatusCode::FORBIDDEN };
                assert_eq!(response.status(), expected, "{path} {headers:?} {more:?}");
            }
        }
    }
}

#[tokio::test]
async fn beside_an_authorization_header_the_cookie_is_not_looked_at() {
    let (browser, _) = Browser::signed_in().await;
    let cookie = ("cookie", browser.cookie.as_deref().unwrap());
    let token = cookie.1.split_once('=').unwrap().1.to_owned();
    let bearer = format!("Bearer {token}");
    // What would be refused by cookie is not: only the header counts.
    for site in ["cross-site", "same-origin"] {
        let headers = [cookie, ("sec-fetch-site", site), ("authorization", bearer.as_str())];
        assert_eq!(browser.send("GET", "/api/auth/me", &headers, None).await.status(), StatusCode::OK);
        for other in ["Bearer utok_00112233445566778899aabbccddeeff", "Basic eDp5", "x"] {
            let headers = [cookie, ("sec-fetch-site", site), ("authorization", other)];
            let response = browser.send("GET", "/api/auth/me", &headers, None).await;
            assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{other}");
        }
    }
}

#[tokio::test]
async fn the_cookie_opens_the_api_and_the_events_and_no_other_door() {
    let (browser, network) = Browser::signed_in().await;
    let cookie = browser.cookie.as_deref().unwrap();
    let token = cookie.split_once('=').unwrap().1;
    let agent = format!("/a2a/{network}/somebody/v1/tasks");
    for (method, path) in [("POST", "/mcp"), ("GET", agent.as_str()), ("POST", agent.as_str())] {
        let by_cookie = named((Some(OWN), Some("same-origin"), Some("1")), &[("cookie", cookie)]);
        let none = browser.send(method, path, &[], None).await.status();
        let status = browser.send(method, path, &by_cookie, None).await.status();
        assert_eq!(status, none, "{method} {path} as without anything");
        let bearer = format!("Bearer {token}");
        let known = browser.send(method, path, &[("authorization", &bearer)], None).await.status();
        assert_ne!(known, status, "{method} {path} knows the token, just not from a cookie");
    }
    for path in ["/api/auth/me", "/api/stats", "/events/me", &format!("/events/network/{network}")] {
        assert_eq!(browser.page("GET", path, None).await.status(), StatusCode::OK, "{path}");
    }
    // A cookie is not a reason to refuse public resources.
    let foreign = [("cookie", cookie), ("sec-fetch-site", "cross-site")];
    for path in ["/", "/health", "/assets/app.js"] {
        assert_eq!(browser.send("GET", path, &foreign, None).await.status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn a_host_that_is_not_this_machines_is_refused_before_the_cookie() {
    let (browser, _) = Browser::signed_in().await;
    let request = axum::http::Request::get("/api/auth/me")
        .header("host", "evil.example")
        .header("cookie", browser.cookie.as_deref().unwrap())
        .body(axum::body::Body::empty())
        .unwrap();
    let app = crate::server::router(browser.test.hub.clone());
    let response = tower::ServiceExt::oneshot(app, request).await.unwrap();
    assert_eq!(fixture::json(response).await.1["error"], "host not allowed");
}

#[tokio::test]
async fn a_cookie_of_another_name_or_two_of_ours_are_none() {
    let (browser, _) = Browser::signed_in().await;
    let ours = browser.cookie.as_deref().unwrap();
    let token = ours.split_once('=').unwrap().1;
    let cases = [
        (ours.to_owned(), StatusCode::OK),
        (format!("theme=dark; {ours}; zoom=2"), StatusCode::OK),
        (format!("{ours}; baton-9200=utok_other"), StatusCode::UNAUTHORIZED),
        (format!("baton-9201={token}"), StatusCode::UNAUTHORIZED),
        (format!("__Host-baton={token}"), StatusCode::UNAUTHORIZED),
        ("baton-9200=".into(), StatusCode::UNAUTHORIZED),
        ("baton-9200".into(), StatusCode::UNAUTHORIZED),
    ];
    for (cookie, expected) in cases {
        let response = browser.send("GET", "/api/auth/me", &[("cookie", &cookie)], None).await;
        assert_eq!(response.status(), expected, "{cookie}");
    }
}

#[tokio::test]
async fn over_https_the_cookie_is_for_https_pages() {
    let browser = Browser::at(|settings| settings.public_url = "https://localhost:9200".into());
    let cookie = ("cookie", "__Host-baton=utok_00112233445566778899aabbccddeeff");
    let with = |origin| named((Some(origin), None, Some("1")), &[cookie]);
    let status = browser.send("POST", "/api/task", &with(OWN), None).await.status();
    assert_eq!(status, StatusCode::FORBIDDEN);
    let status = browser.send("POST", "/api/task", &with("https://localhost:9200"), None).await.status();
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_refusal_says_what_is_missing() {
    let browser = at();
    let said = async |headers: Headers| {
        let answer = browser.json("POST", "/api/task", &named(headers, &[COOKIE]), None).await.1;
        assert_eq!(answer["error"], "permission_denied");
        answer["message"].as_str().unwrap().to_owned()
    };
    assert!(said((None, None, Some("1"))).await.contains("Origin"));
    assert!(said((Some(OWN), None, None)).await.contains("baton-page: 1"));
    assert!(said((Some(OWN), Some("same-site"), Some("1"))).await.contains("own pages"));
    assert!(said((Some(CONFIGURED), None, Some("1"))).await.contains("own pages"));
}
