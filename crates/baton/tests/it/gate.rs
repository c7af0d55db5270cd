//! What stands before every door: names, pages, rates, and answers in JSON for whatever is not there.

use serde_json::json;

use super::hub::{ADMIN, Hub, PASSWORD};

const TOKEN: &str = "utok_00112233445566778899aabbccddeeff";

#[test]
fn health_and_readiness_are_public_and_name_nobody() {
    let hub = Hub::start();
    for path in ["/health", "/ready"] {
        let answer = hub.client().get(path);
        assert_eq!(answer.status, 200);
        let mut body = answer.json();
        assert!(body["uptime"].is_u64());
        body["uptime"] = json!(0);
        let version = env!("CARGO_PKG_VERSION");
        let expected = json!({"ok": true, "version": version, "api_version": "v3", "transport": "streamable-http", "uptime": 0});
        assert_eq!(body, expected);
    }
}

#[test]
fn an_unknown_path_and_a_wrong_method_are_told_in_json() {
    let hub = Hub::start();
    let unknown = hub.client().get("/no/such/path");
    assert_eq!((unknown.status, unknown.text().as_str()), (404, r#"{"ok":false,"error":"not found"}"#));
    let wrong = hub.client().post("/health", &json!({}));
    assert_eq!((wrong.status, wrong.json()["error"].as_str()), (405, Some("method not allowed")));
    assert!(wrong.header("allow").unwrap().contains("GET"));
}

#[test]
fn a_name_that_is_not_this_machines_is_refused_on_loopback() {
    let hub = Hub::start();
    let with_host = |host: &str| hub.client().send("GET", "/health", &[("host", host)], None);
    for host in ["localhost", "localhost:9200", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:80", "[::1]:9200"] {
        assert_eq!(with_host(host).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:9200", "10.0.0.1", ""] {
        let answer = with_host(host);
        assert_eq!(answer.status, 403, "{host}");
        assert_eq!(answer.text(), r#"{"ok":false,"error":"host not allowed"}"#);
    }
}

#[test]
fn a_hub_behind_a_proxy_takes_the_proxys_names() {
    let hub = Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--behind-proxy"]);
    let answer = hub.client().send("GET", "/health", &[("host", "hub.example")], None);
    assert_eq!(answer.status, 200);
}

#[test]
fn a_page_of_another_origin_is_refused() {
    let hub = Hub::start();
    let from = |origin: &str| hub.client().send("GET", "/health", &[("origin", origin)], None);
    let answer = from("https://evil.example");
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (403, r#"{"ok":false,"error":"origin not allowed"}"#)
    );
    assert_eq!(from("null").status, 403);
    let own = from(&hub.url());
    assert_eq!(own.status, 200);
    assert_eq!(own.header("access-control-allow-origin"), None);
}

#[test]
fn a_token_that_calls_too_often_is_told_when_to_come_back() {
    let rates = ["--rate-limit", "1", "--rate-burst", "3"];
    let hub = Hub::start_with(&[&["--username", ADMIN, "--password", PASSWORD], &rates[..]].concat());
    let client = hub.client().with_token(TOKEN);
    let answers: Vec<_> = (0..8).map(|_| client.get("/health")).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one call too many");
    assert_eq!(refused.json()["error"], "rate_limited");
    assert!(refused.json()["retry_after_ms"].as_u64().unwrap() <= 1000);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(hub.client().with_token(&TOKEN.replace('0', "1")).get("/health").status, 200);
    assert_eq!(hub.client().get("/health").status, 200);
}

#[test]
fn loopback_has_no_rate_limit_unless_asked_for() {
    let hub = Hub::start();
    let client = hub.client().with_token(TOKEN);
    assert!((0..1_200).all(|_| client.get("/health").status == 200));
}

#[test]
fn no_token_body_or_query_gets_into_the_log() {
    let mut hub =
        Hub::start_with_env(&["--username", ADMIN, "--password", PASSWORD], &[("BATON_LOG", "trace")]);
    let client = hub.client().with_token(TOKEN);
    client.get("/health?a=in-the-query");
    client.post("/no/such/path", &json!({"secret": "in-the-body"}));
    assert!(hub.stop().success());
    let log = hub.log();
    assert!(log.contains("/no/such/path"), "{log}");
    for secret in [TOKEN, "in-the-query", "in-the-body", PASSWORD] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

#[test]
fn a_name_in_a_path_that_is_no_text_is_told_in_json() {
    let hub = Hub::start();
    let answer = hub.admin().get("/api/tasks/%FF");
    assert_eq!((answer.status, answer.json()["error"].as_str()), (400, Some("invalid input")));
}
