//! Waiting for a task, on a real store: how long, and what is left of somebody who hangs up.

use axum::http::HeaderMap;
use axum::http::HeaderValue;
use baton_core::{Status, SystemRole, TaskId};
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt;

use super::router;
use super::visitor::Visitor;
use super::watch::until_settled;
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

    fn send(
        &self,
        path: &str,
        configuration: &Value,
    ) -> impl Future<Output = axum::response::Response> + use<> {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]});
        let body = json!({"message": message, "configuration": configuration}).to_string();
        let path = format!("/a2a/{}/bob/{path}", network(1));
        let mut request = request("POST", &path, &self.ada, body);
        request.headers_mut().insert("a2a-version", HeaderValue::from_static("1.0"));
        request.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
        let door = router().with_state(self.test.hub.clone());
        async move { door.oneshot(request).await.unwrap() }
    }

    async fn send_at_once(&self) -> TaskId {
        let answer = self.send("message:send", &json!({"returnImmediately": true})).await;
        let (_, sent) = json_of(answer).await;
        TaskId::parse(sent["task"]["id"].as_str().unwrap()).unwrap()
    }

    async fn visitor(&self) -> Visitor {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {}", self.ada).parse().unwrap());
        Visitor::admit(&self.test.hub, (network(1).as_str(), "bob"), &headers).await.unwrap()
    }
}

#[tokio::test]
async fn a_blocking_send_that_has_waited_long_enough_is_answered_with_the_task_as_it_is() {
    let world = World::new().await;
    let (task, visitor) = (world.send_at_once().await, world.visitor().await);
    let hub = &world.test.hub;
    let record = until_settled(hub, &visitor, &task, Duration::from_millis(20)).await.unwrap();
    assert_eq!(record.row.snapshot.status, Status::Delivered);
    assert_eq!(hub.bells.ear_count(), 0);
}

#[tokio::test]
async fn a_hub_that_stops_answers_those_who_wait() {
    let world = World::new().await;
    let (task, visitor) = (world.send_at_once().await, world.visitor().await);
    let hub = &world.test.hub;
    let waiting = until_settled(hub, &visitor, &task, Duration::from_secs(600));
    let stopping = async {
        while hub.bells.ear_count() == 0 {
            tokio::task::yield_now().await;
        }
        hub.shutdown.begin();
    };
    let (record, ()) = tokio::join!(waiting, stopping);
    assert_eq!(record.unwrap().row.snapshot.status, Status::Delivered);
}

#[tokio::test]
async fn a_blocking_sender_and_a_subscriber_who_hang_up_leave_nothing_behind() {
    let world = World::new().await;
    let hub = &world.test.hub;
    let sending = tokio::spawn(world.send("message:send", &json!({})));
    while hub.bells.ear_count() == 0 {
        tokio::task::yield_now().await;
    }
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    assert_eq!(hub.bells.ear_count(), 0);
    let stream = world.send("message:stream", &json!({})).await;
    assert_eq!(hub.bells.ear_count(), 1);
    drop(stream);
    assert_eq!(hub.bells.ear_count(), 0);
}
