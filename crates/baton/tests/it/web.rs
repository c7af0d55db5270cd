//! The dashboard's door of the real binary: a session by cookie, over a restart, and nothing of it in the log.

use serde_json::{Value, json};

use super::http::Response;
use super::hub::{ADMIN, Hub, PASSWORD};

/// A browser that is signed in.
struct Browser {
    cookie: String,
}

impl Browser {
    fn sign_in(hub: &Hub) -> Self {
        let body = json!({"username": ADMIN, "password": PASSWORD});
        let headers = [("origin", &*hub.url()), ("baton-page", "1")];
        let answer = hub.client().send("POST", "/api/session", &headers, Some(&body));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert!(!answer.text().contains(secret(&cookie)));
        Self { cookie }
    }

    fn send(&self, hub: &Hub, method: &str, path: &str, body: Option<&Value>) -> Response {
        let url = hub.url();
        let headers = [("cookie", &*self.cookie), ("origin", &url), ("baton-page", "1")];
        hub.client().send(method, path, &headers, body)
    }
}

fn secret(cookie: &str) -> &str {
    cookie.split_once('=').unwrap().1
}

#[test]
fn a_session_outlives_the_hub_and_ends_when_its_browser_signs_out() {
    let mut hub = Hub::start();
    let browser = Browser::sign_in(&hub);
    assert!(browser.cookie.starts_with(&format!("baton-{}=", hub.address().port())));
    hub.restart();
    let session = browser.send(&hub, "GET", "/api/session", None);
    assert_eq!((session.status, session.json()["user"]["username"].as_str()), (200, Some(ADMIN)));
    let page = hub.client().get("/");
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert_eq!(browser.send(&hub, "DELETE", "/api/session", None).status, 200);
    hub.restart();
    assert_eq!(browser.send(&hub, "GET", "/api/session", None).status, 401);
}

#[test]
fn no_cookie_gets_into_the_log() {
    let mut hub =
        Hub::start_with_env(&["--username", ADMIN, "--password", PASSWORD], &[("BATON_LOG", "trace")]);
    let browser = Browser::sign_in(&hub);
    browser.send(&hub, "GET", "/api/session", None);
    browser.send(&hub, "POST", "/mcp", Some(&json!({})));
    let refused =
        hub.client().send("GET", "/api/stats", &[("cookie", &browser.cookie), ("sec-fetch-site", "x")], None);
    assert_eq!(refused.status, 403);
    assert!(hub.stop().success());
    let log = hub.log();
    assert!(log.contains("/api/session"), "{log}");
    for secret in [secret(&browser.cookie), PASSWORD] {
        assert!(!log.contains(secret), "{log}");
    }
}
