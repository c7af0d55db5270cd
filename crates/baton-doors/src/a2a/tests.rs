//! Waiting for a task, on a real store: how long, how many at once, and what is left of somebody who hangs up; and how
//! much of a task is read for what is shown of it.

use axum::http::HeaderMap;
use axum::http::HeaderValue;
use baton_core::{Status, SystemRole, TaskId, limits};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;
use tower::ServiceExt;

use super::agent_caller::AgentCaller;
use super::router;
use super::watch::until_settled;
use crate::fixture::{TestHub, json as json_of, network, request};
use crate::service::agent_tasks::Standing;
use crate::service::ask_sender::AskSender;
use crate::service::follow_up::AnswerTask;
use crate::service::push_configs::receiver::NewPush;
use crate::service::task_command::{OnTask, TaskCommand};
use crate::service::task_record::{self, Extent, TaskRecord};
use crate::service::{agent_tasks, ask_sender, claim_task, follow_up, send_task};

/// A hub with `ada`, who owns network 1, and her agent `bob` there.
struct World {
    test: TestHub,
    ada: String,
    bob: String,
}

impl World {
    async fn new() -> Self {
        let test = TestHub::start();
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        let bob = test.agent("ada", 1, "bob").await;
        Self { test, ada, bob }
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
        let door = axum::Router::from(router()).with_state(self.test.hub.clone());
        async move { door.oneshot(request).await.unwrap() }
    }

    async fn send_at_once(&self) -> TaskId {
        let answer = self.send("message:send", &json!({"returnImmediately": true})).await;
        let (_, sent) = json_of(answer).await;
        TaskId::parse(sent["task"]["id"].as_str().unwrap()).unwrap()
    }

    /// All tasks of `bob`, with so many messages each.
    async fn listed(&self, messages: usize) -> Vec<TaskRecord> {
        let visitor = self.visitor().await;
        let args = agent_tasks::Args {
            agent: visitor.agent.clone(),
            standing: Standing::default(),
            context: None,
            after: None,
            before: None,
            limit: 100,
            messages,
            with_artifacts: false,
        };
        agent_tasks::run(&self.test.hub, visitor.caller(), args).await.unwrap().tasks
    }

    async fn visitor(&self) -> AgentCaller {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {}", self.ada).parse().unwrap());
        AgentCaller::admit(&self.test.hub, (network(1).as_str(), "bob"), &headers, &Default::default())
            .await
            .unwrap()
    }
}

fn said(record: &TaskRecord) -> Vec<&str> {
    record.messages.iter().map(|message| &*message.content).collect()
}

/// The questions that were read, each with the number of its event.
fn asked(record: &TaskRecord) -> Vec<(i64, &str)> {
    record.questions.iter().map(|(n, question)| (*n, &*question.content)).collect()
}

#[tokio::test]
async fn a_blocking_send_that_has_waited_long_enough_is_answered_with_the_task_as_it_is() {
    let world = World::new().await;
    let (task, visitor) = (world.send_at_once().await, world.visitor().await);
    let hub = &world.test.hub;
    let record = until_settled(hub, &visitor, &task, Duration::from_millis(20), 0).await.unwrap();
    assert_eq!(record.row.snapshot.status, Status::Delivered);
    assert_eq!(hub.bells.ear_count(), 0);
}

#[tokio::test]
async fn a_hub_that_stops_answers_those_who_wait() {
    let world = World::new().await;
    let (task, visitor) = (world.send_at_once().await, world.visitor().await);
    let hub = &world.test.hub;
    let waiting = until_settled(hub, &visitor, &task, Duration::from_secs(600), 0);
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

#[tokio::test]
async fn a_token_without_a_wait_left_sends_nothing_that_blocks() {
    let world = World::new().await;
    let (hub, token) = (&world.test.hub, world.visitor().await.identity.token_id.clone());
    let most = limits::WAITS_PER_TOKEN_MAX_COUNT;
    let mut waits: Vec<_> = (0..most).map(|_| hub.streams.take_wait(&token).unwrap()).collect();
    let refused = world.send("message:send", &json!({}));
    let refused = timeout(Duration::from_secs(20), refused).await.expect("refused at once");
    assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (429, true));
    assert_eq!(world.listed(0).await.len(), 0, "nothing was sent");
    world.send_at_once().await;
    let stream = world.send("message:stream", &json!({})).await;
    assert_eq!(stream.status().as_u16(), 200, "streams have seats of their own");
    drop((stream, waits.pop()));
    // One that is free is taken for as long as the send waits, and is free again when the client hangs up.
    let sending = tokio::spawn(world.send("message:send", &json!({})));
    while hub.streams.take_wait(&token).is_ok() {
        tokio::task::yield_now().await;
    }
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    assert!(hub.streams.take_wait(&token).is_ok());
}

#[tokio::test]
async fn of_what_was_said_only_as_much_is_read_as_is_shown() {
    let world = World::new().await;
    let task = world.send_at_once().await;
    let hub = &world.test.hub;
    let ada = world.visitor().await.identity.caller.clone();
    for text in ["one", "two", "three"] {
        let args = follow_up::Args { text: text.into(), artifacts: None };
        AnswerTask::run(hub, &ada, OnTask::of_path(task.as_str()), args).await.unwrap();
    }
    let bob = hub.identity_of(&world.bob).await.unwrap().caller.clone();
    claim_task::run(hub, &bob, claim_task::Args::default()).await.unwrap();
    let ask = ask_sender::Args { question: "which?".into(), ..ask_sender::Args::default() };
    AskSender::run(hub, &bob, OnTask::of_path(task.as_str()), ask).await.unwrap();
    let question = [(3, "which?")];
    for (extent, messages) in [
        (Extent::now(0), &[][..]),
        (Extent::now(2), &["three", "which?"]),
        (Extent::now(usize::MAX), &["one", "two", "three", "which?"]),
        (Extent::told_from(2), &[]),
    ] {
        let record = task_record::read_again(hub, hub.store_for_anybody(), &task, extent).await.unwrap();
        assert_eq!((&*said(&record), &*asked(&record)), (messages, &question[..]));
    }
    for (messages, shown) in [(0, 0), (3, 3)] {
        let listed = world.listed(messages).await;
        assert_eq!((listed[0].messages.len(), &*asked(&listed[0])), (shown, &question[..]));
    }
}

#[tokio::test]
async fn a_receiver_is_told_also_when_the_sender_hangs_up_while_it_is_written() {
    let world = World::new().await;
    let (hub, visitor) = (&world.test.hub, world.visitor().await);
    let receiver = NewPush { url: "https://8.8.8.8/".into(), ..NewPush::default() };
    let push = Some(receiver.check(hub, &visitor.agent.network_id).await.unwrap());
    let said = follow_up::MessageContent { text: "x".into(), push, ..follow_up::MessageContent::default() };
    let message =
        send_task::NewMessage { agent: visitor.agent.clone(), said, context_id: None, traceparent: None };
    tokio::select! {
        biased;
        sent = send_task::send_message(hub, visitor.caller(), message) => panic!("no time to hang up: {sent:?}"),
        () = std::future::ready(()) => {}
    }
    let told = async {
        loop {
            match &*hub.bells.pushes.take_rung() {
                [] => tokio::task::yield_now().await,
                rung => return rung.to_vec(),
            }
        }
    };
    let rung = timeout(Duration::from_secs(20), told).await.unwrap();
    assert_eq!(rung, [world.listed(0).await[0].row.snapshot.id.clone()]);
}

#[tokio::test]
async fn a_task_takes_a_thousand_messages_and_no_more() {
    let world = World::new().await;
    let (hub, task, ada) =
        (&world.test.hub, world.send_at_once().await, world.visitor().await.identity.caller.clone());
    let say = || {
        AnswerTask::run(
            hub,
            &ada,
            OnTask::of_path(task.as_str()),
            follow_up::Args { text: "x".into(), artifacts: None },
        )
    };
    let said = futures_util::future::join_all((0..limits::TASK_MESSAGES_MAX_COUNT).map(|_| say())).await;
    assert!(said.iter().all(Result::is_ok));
    let refused = say().await.unwrap_err().to_string();
    assert!(refused.contains("is one too many: a task takes 1000 messages"), "{refused}");
    let record =
        task_record::read_again(hub, hub.store_for_anybody(), &task, Extent::now(usize::MAX)).await.unwrap();
    assert_eq!(record.messages.len(), 1_000, "it was not said");
}
