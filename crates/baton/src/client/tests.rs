//! The client against a hub that answers by script: what is sent again and what is not, where tokens go, and how a
//! stream comes back.

use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

use super::fake_hub::{Fake, TOKEN, answer, stream};
use super::{Channel, Client, Error, HubAddress, HubEvent, Options, StreamEvent, Token};
use crate::service::send_task;

/// Longer than anything here takes; only a failure waits for it.
const TOO_LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_redirect_is_not_followed_so_no_token_goes_elsewhere() {
    let elsewhere = Fake::start(&[&answer("200 OK", &json!({"ok": true}))]).await;
    let moved =
        format!("HTTP/1.1 307 Moved\r\nlocation: {}/x\r\ncontent-length: 0\r\n\r\n", elsewhere.address);
    let hub = Fake::start(&[&moved]).await;
    let error = hub.client().me().await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
    assert_eq!((error.exit_code(), elsewhere.received().len()), (5, 0));
    assert!(hub.received()[0].contains(TOKEN));
}

#[tokio::test]
async fn a_read_is_sent_again_when_the_hub_has_no_time() {
    let busy = answer("503 Busy", &json!({"ok": false, "error": "busy", "message": "come back"}));
    let there = answer("200 OK", &json!({"ok": true, "networks": []}));
    let hub = Fake::start(&[&busy, "", &there]).await;
    assert!(hub.client().networks().await.unwrap().networks.is_empty());
    assert_eq!(hub.received().len(), 3);
}

#[tokio::test]
async fn a_change_the_hub_may_have_seen_is_sent_once_unless_it_has_a_key() {
    let args = |key: Option<&str>| send_task::Args {
        alias: "a".into(),
        task: "t".into(),
        idempotency_key: key.map(str::to_owned),
        ..Default::default()
    };
    let there =
        answer("202 OK", &json!({"ok": true, "queued": true, "task_id": "x", "session_status": "offline"}));
    let hub = Fake::start(&["", &there]).await;
    let error = hub.client().send_task(&args(None), None).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { is_unsent: false, .. }), "{error:?}");
    assert_eq!(hub.received().len(), 1);

    let hub = Fake::start(&["", &there]).await;
    let sent = hub.client().send_task(&args(Some("k")), None).await.unwrap();
    assert!(sent.queued);
    let bodies: Vec<_> =
        hub.received().iter().map(|text| text.split_once("\r\n\r\n").unwrap().1.to_owned()).collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1]);
    assert!(bodies[0].contains(r#""idempotency_key":"k""#), "{bodies:?}");
}

#[tokio::test]
async fn errors_are_told_apart_by_what_there_is_to_do() {
    let hub =
        Fake::start(&[&answer("401 Unauthorized", &json!({"ok": false, "error": "unauthorized"}))]).await;
    let error = hub.client().me().await.unwrap_err();
    assert!(matches!(error, Error::Unauthorized { .. }));
    assert!(error.to_string().contains("unknown, revoked or expired; start the command again"), "{error}");

    let body = json!({"ok": false, "error": "rate_limited", "message": "too many", "retry_after_ms": 5});
    let hub = Fake::start(&[&answer("429 Slow", &body)]).await;
    let error = hub.client().me().await.unwrap_err();
    assert_eq!((error.exit_code(), error.code(), error.status()), (6, Some("rate_limited"), Some(429)));
    assert!(error.is_transient());

    let hub = Fake::start(&["HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>"]).await;
    let error = hub.client().me().await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error:?}");

    let hub = Fake::start(&[]).await;
    hub.is_gone().await;
    let error = hub.client().me().await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("baton hub start"), "{error}");
    assert_eq!(error.exit_code(), 5);
}

#[tokio::test]
async fn a_stream_comes_back_after_the_last_id_it_heard_and_ends_when_the_hub_says_no() {
    let connected = r#"data: {"type":"connected","session":"a","network_id":"n","inbox_count":0}"#;
    let first = stream(&format!(
        "{connected}\n\nid: 7\ndata: {{\"type\":\"task_reassigned\",\"task_id\":\"x\"}}\n\nid: 8\ndata: {{\"ty"
    ));
    let second = stream(": still here\n\nid: 9\ndata: {\"type\":\"unheard_of\"}\n\n");
    let no = answer("401 Unauthorized", &json!({"ok": false, "error": "unauthorized"}));
    let hub = Fake::start(&[&first, &second, &no]).await;
    let mut follower = hub.client().follow(Channel::Alias("a".into()), None);
    let mut told = Vec::new();
    while let Some(heard) = timeout(TOO_LONG, follower.next()).await.unwrap() {
        told.push(match heard {
            Ok(StreamEvent::HubEvent { news: HubEvent::Connected { .. }, .. }) => "connected",
            Ok(StreamEvent::HubEvent { news: HubEvent::TaskReassigned { .. }, .. }) => "reassigned",
            Ok(StreamEvent::HubEvent { news: HubEvent::Other, .. }) => "other",
            Ok(StreamEvent::HubEvent { .. }) => "news",
            Ok(StreamEvent::Lost(_)) => "lost",
            Err(Error::Unauthorized { .. }) => "no",
            Err(error) => panic!("{error}"),
        });
    }
    assert_eq!(told, ["connected", "reassigned", "lost", "other", "lost", "no"]);
    let ids: Vec<_> = hub
        .received()
        .iter()
        .map(|text| text.lines().find_map(|line| line.strip_prefix("last-event-id: ").map(str::to_owned)))
        .collect();
    assert_eq!(ids, [None, Some("7".into()), Some("9".into())]);
    assert!(hub.received()[0].starts_with("GET /events/a HTTP/1.1"));
}

#[tokio::test]
async fn a_stream_outlives_answers_that_are_no_hubs() {
    let page = |status: &str| {
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 15\r\n\r\n<html>no</html>")
    };
    let broken = answer("500 Internal Server Error", &json!({"ok": false, "error": "internal"}));
    let unread = stream("id: 4\ndata: {\"type\":\n\n");
    let there = stream("id: 5\ndata: {\"type\":\"unheard_of\"}\n\n");
    let no = answer("404 Not Found", &json!({"ok": false, "error": "not_found"}));
    let pages = ["404 Not Found", "401 Unauthorized"].map(page);
    let script: Vec<&str> =
        pages.iter().map(|page| &**page).chain([&*broken, &*unread, &*there, &*no]).collect();
    let hub = Fake::start(&script).await;
    let mut follower = hub.client().follow(Channel::Alias("a".into()), None);
    let mut told = Vec::new();
    while let Some(heard) = timeout(TOO_LONG, follower.next()).await.unwrap() {
        told.push(match heard {
            Ok(StreamEvent::HubEvent { .. }) => "news",
            Ok(StreamEvent::Lost(_)) => "lost",
            Err(Error::Refused(_)) => "no",
            Err(error) => panic!("{error}"),
        });
    }
    assert_eq!(told, ["lost", "lost", "lost", "lost", "news", "lost", "no"]);
    let after =
        hub.received()[4].lines().find_map(|line| line.strip_prefix("last-event-id: ").map(str::to_owned));
    assert_eq!(after.as_deref(), Some("4"), "what cannot be read is not asked for again");
}

#[test]
fn a_client_prints_no_secret() {
    let hub = HubAddress::local().unwrap();
    let client = Client::new(hub, Token::parse(TOKEN), &Options::default()).unwrap();
    assert!(!format!("{client:?}").contains(&TOKEN[5..]));
}
