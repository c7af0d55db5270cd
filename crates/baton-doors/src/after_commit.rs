//! What a caller is answered if the hub cannot read what it has just committed: that the outcome is not known. Never that
//! nothing was changed, which would let the caller send it once more.

use axum::http::{HeaderValue, StatusCode};
use baton_core::SystemRole;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::fixture::{TestHub, json as json_of, network, request};

/// A hub with `ada`, who owns network 1, and her agent `bob` there.
struct World {
    test: TestHub,
    ada: String,
}

impl World {
    async fn new() -> Self {
        let test = TestHub::start();
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        test.agent("ada", 1, "bob").await;
        Self { test, ada }
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let mut request = request("POST", path, &self.ada, body.to_string());
        let headers = request.headers_mut();
        headers.insert("host", HeaderValue::from_static("127.0.0.1"));
        headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        let peer = axum::extract::ConnectInfo(std::net::SocketAddr::from(([127, 0, 0, 1], 40_000)));
        request.extensions_mut().insert(peer);
        json_of(crate::server::router(self.test.hub.clone()).oneshot(request).await.unwrap()).await
    }

    /// The same, and from its commit on the hub can read nothing.
    async fn post_and_lose(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        self.test.reads.fail_after_the_next_commit();
        let answer = self.post(path, body).await;
        assert!(self.test.reads.have_failed(), "nothing was committed: {answer:?}");
        self.test.reads.recover();
        answer
    }

    fn a2a(&self, method: &str) -> String {
        format!("/a2a/{}/bob/{method}", network(1))
    }
}

fn message(id: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": "x"}]})
}

/// What an A2A client reads: it says that the outcome is not known.
fn assert_unknown(answer: &(StatusCode, Value)) {
    let said = answer.1.to_string();
    assert!(said.contains("may or may not"), "{answer:?}");
    assert!(!said.contains("nothing was changed"), "{answer:?}");
}

#[tokio::test]
async fn a_send_that_waits_and_cannot_read_its_task_is_answered_outcome_unknown() {
    let world = World::new().await;
    let body = json!({"alias": "bob", "task": "x", "wait_seconds": 1, "idempotency_key": "once"});
    let (status, answer) = world.post_and_lose("/api/task", &body).await;
    assert_eq!(answer["error"], "outcome_unknown", "{status} {answer}");
    // The task is there: the same key finds it.
    let (_, again) =
        world.post("/api/task", &json!({"alias": "bob", "task": "x", "idempotency_key": "once"})).await;
    assert_eq!(again["ok"], true, "{again}");
}

#[tokio::test]
async fn an_a2a_send_that_cannot_read_its_task_does_not_say_that_nothing_was_changed() {
    let world = World::new().await;
    for at_once in [true, false] {
        let configuration = json!({"returnImmediately": at_once});
        let body = json!({"message": message("m"), "configuration": configuration});
        assert_unknown(&world.post_and_lose(&world.a2a("message:send"), &body).await);
    }
}

#[tokio::test]
async fn an_a2a_cancel_that_cannot_read_its_task_does_not_say_that_nothing_was_changed() {
    let world = World::new().await;
    let body = json!({"message": message("m"), "configuration": {"returnImmediately": true}});
    let (_, sent) = world.post(&world.a2a("message:send"), &body).await;
    let id = sent["task"]["id"].as_str().unwrap();
    assert_unknown(&world.post_and_lose(&world.a2a(&format!("tasks/{id}:cancel")), &json!({})).await);
    let (_, again) = world.post(&world.a2a(&format!("tasks/{id}:cancel")), &json!({})).await;
    assert!(again.to_string().contains("already cancelled"), "{again}");
}
