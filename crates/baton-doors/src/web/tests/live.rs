//! What a page that watches a network receives: tasks that continue, by cookie, in passing.

use axum::body::BodyDataStream;
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;

use super::browser::Browser;

const TOO_LONG: Duration = Duration::from_secs(20);

struct Stream {
    body: BodyDataStream,
    read: String,
}

impl Stream {
    async fn open(browser: &Browser, network: &str, last_event_id: Option<&str>) -> Self {
        let cookie = browser.cookie.as_deref().unwrap();
        let mut headers = vec![("cookie", cookie), ("sec-fetch-site", "same-origin")];
        headers.extend(last_event_id.map(|id| ("last-event-id", id)));
        let response = browser.send("GET", &format!("/events/network/{network}"), &headers, None).await;
        assert_eq!(response.status(), StatusCode::OK);
        let mut stream = Self { body: response.into_body().into_data_stream(), read: String::new() };
        assert_eq!(stream.next().await.1["type"], "connected");
        stream
    }

    /// The next frame: its number, if it has one, and what it says.
    async fn next(&mut self) -> (Option<i64>, Value) {
        loop {
            if let Some(end) = self.read.find("\n\n") {
                let frame: String = self.read.drain(..end + 2).collect();
                let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = line("data: ") else { continue };
                return (line("id: ").map(|id| id.parse().unwrap()), serde_json::from_str(data).unwrap());
            }
            let chunk = tokio::time::timeout(TOO_LONG, self.body.next()).await.expect("a silent stream");
            self.read.push_str(std::str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        }
    }

    /// The next frame of a type.
    async fn next_of(&mut self, kind: &str) -> (Option<i64>, Value) {
        loop {
            let frame = self.next().await;
            if frame.1["type"] == kind {
                return frame;
            }
        }
    }
}

#[tokio::test]
async fn a_page_hears_of_every_step_of_a_task_and_nothing_of_its_text() {
    let (browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    let mut stream = Stream::open(&browser, &network, None).await;
    let task = browser.sends(json!({"alias": "worker", "task": "a secret text"})).await;
    worker.posts(&format!("/api/tasks/{task}/ack"), json!({})).await;
    let other = browser.sends(json!({"alias": "worker", "task": "another secret"})).await;
    let claim = worker.posts("/api/claim", json!({})).await;
    assert_eq!(claim["task"]["task_id"], other);
    let question = json!({"question": "which secret?", "lease_id": claim["lease_id"]});
    worker.posts(&format!("/api/tasks/{other}/ask"), question).await;
    browser.page("POST", &format!("/api/tasks/{other}/cancel"), Some(&json!({"reason": "no secret"}))).await;
    let steps = [
        (&task, "delivered"),
        (&task, "acked"),
        (&other, "delivered"),
        (&other, "running"),
        (&other, "waiting_input"),
        (&other, "cancelled"),
    ];
    for (id, status) in steps {
        let frame = stream.next_of("task_changed").await;
        let expected = json!({"type": "task_changed", "task_id": id, "status": status});
        assert_eq!(frame, (None, expected));
    }
}

#[tokio::test]
async fn a_stream_of_one_agent_and_of_another_network_hears_nothing_of_it() {
    let (mut browser, network) = Browser::signed_in().await;
    let ada = browser.cookie.clone();
    let elsewhere = browser.register("eve").await;
    browser.sign_in("eve", super::browser::PASSWORD).await;
    let mut other = Stream::open(&browser, &elsewhere, None).await;
    let eves = browser.agent(&elsewhere, "worker").await;
    drop(eves);
    let refused = browser.asks("GET", &format!("/events/network/{network}"), None).await;
    assert_eq!(refused.0, StatusCode::NOT_FOUND);
    let eve = std::mem::replace(&mut browser.cookie, ada);
    browser.agent(&network, "worker").await;
    browser.sends(json!({"alias": "worker", "task": "x"})).await;
    browser.cookie = eve;
    let own = browser.sends(json!({"alias": "worker", "task": "x"})).await;
    assert_eq!(other.next_of("task_changed").await.1["task_id"], own, "the first one it receives is its own");
}

#[tokio::test]
async fn a_page_that_is_slow_is_told_to_look_again() {
    let (browser, network) = Browser::signed_in().await;
    browser.agent(&network, "worker").await;
    let mut stream = Stream::open(&browser, &network, None).await;
    for _ in 0..70 {
        browser.sends(json!({"alias": "worker", "task": "x"})).await;
    }
    assert_eq!(stream.next_of("reset").await, (None, json!({"type": "reset"})));
    stream.next_of("task_changed").await;
}

#[tokio::test]
async fn a_page_resumes_after_the_last_number_it_has() {
    let (browser, network) = Browser::signed_in().await;
    browser.agent(&network, "worker").await;
    let mut stream = Stream::open(&browser, &network, None).await;
    browser.sends(json!({"alias": "worker", "task": "one"})).await;
    let (number, _) = stream.next_of("new_task").await;
    drop(stream);
    let missed = browser.sends(json!({"alias": "worker", "task": "two"})).await;
    let mut resumed = Stream::open(&browser, &network, Some(&number.unwrap().to_string())).await;
    let (next, frame) = resumed.next_of("new_task").await;
    assert_eq!((next.unwrap(), frame["task_id"].as_str().unwrap()), (number.unwrap() + 1, missed.as_str()));
}
