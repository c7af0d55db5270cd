//! `a2a-client-lf` from crates.io: the same steps as the driver scripts, in this process.

use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::jsonrpc::{JsonRpcTransport, JsonRpcTransportFactory};
use a2a_client::rest::{RestTransport, RestTransportFactory};
use a2a_client::{A2AClient, A2AClientFactory, BoxStream, ServiceParams, Transport};
use a2a_grpc::{GrpcTransport, GrpcTransportFactory};
use a2a_types::{
    A2AError, AgentCard, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, Message,
    SVC_PARAM_VERSION, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    error_reason,
};
use futures_util::StreamExt;
use serde_json::{Value, json, to_value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::stage::Stage;
use super::steps::{Names, assert_steps};

mod conversation;
mod request;
mod seen;

use request::{cancel, get, list, request, says, subscribe};
use seen::{all, card_line, followed, kind, shown, state};

const NAMES: Names = Names {
    task_not_found: "TASK_NOT_FOUND",
    task_not_cancelable: "TASK_NOT_CANCELABLE",
    unsupported_operation: "UNSUPPORTED_OPERATION",
    invalid_params: "INVALID_PARAMS",
    version_not_supported: "VERSION_NOT_SUPPORTED",
};

type Client = A2AClient<Box<dyn Transport>>;
type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

#[test]
fn the_rust_client_hands_work_to_an_agent_over_json_rpc() {
    drive(super::BINDINGS[0]);
}

#[test]
fn the_rust_client_hands_work_to_an_agent_over_http_json() {
    drive(super::BINDINGS[1]);
}

#[test]
fn the_rust_client_hands_work_to_an_agent_over_grpc() {
    drive(super::BINDINGS[2]);
}

fn drive(binding: &str) {
    let stage = Stage::set();
    let token = stage.token();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let lines = runtime.block_on(async {
        let driver = Driver::connect(&stage.base, &token, stage.release(), binding);
        driver.await.drive().await
    });
    assert_steps(&lines, &NAMES);
}

/// The client, and what it printed so far.
struct Driver {
    client: Client,
    stranger: Client,
    /// For calls whose headers are ours to choose.
    transport: Box<dyn Transport>,
    /// What the card's interface wants in every message; the client sends it by itself.
    tenant: Option<String>,
    token: String,
    release: PathBuf,
    lines: Vec<Value>,
}

impl Driver {
    async fn connect(base: &str, token: &str, release: &Path, binding: &str) -> Self {
        let http = http_client(None);
        let resolver = AgentCardResolver::new(Some(http_client(Some(token))));
        let card = resolver.resolve(base).await.unwrap();
        let interface = card.supported_interfaces.iter().find(|face| face.protocol_binding == binding);
        let (url, tenant) = (interface.unwrap().url.clone(), interface.unwrap().tenant.clone());
        let transport: Box<dyn Transport> = match binding {
            "JSONRPC" => Box::new(JsonRpcTransport::new(http, url)),
            "GRPC" => Box::new(GrpcTransport::connect(url).await.unwrap()),
            _ => Box::new(RestTransport::new(http, url)),
        };
        Self {
            client: client(&card, binding, Some(token)).await,
            stranger: client(&card, binding, None).await,
            transport,
            tenant,
            token: token.into(),
            release: release.into(),
            lines: vec![card_line(&card)],
        }
    }

    async fn drive(mut self) -> Vec<Value> {
        let card = self.client.get_extended_agent_card(&GetExtendedAgentCardRequest { tenant: None }).await;
        self.say("extended card", json!({"name": card.unwrap().name}));
        let sent = self.sends().await;
        self.reads(&sent).await;
        self.subscribes().await;
        self.cancels().await;
        self.follows_up().await;
        self.errors(&sent).await;
        self.say("done", json!({}));
        self.lines
    }

    fn say(&mut self, step: &str, mut fields: Value) {
        fields["step"] = json!(step);
        self.lines.push(fields);
    }

    fn refused<T>(&mut self, what: &str, outcome: Result<T, A2AError>) {
        let fields = match outcome {
            Ok(_) => json!({"what": what, "type": null, "message": "it was answered"}),
            Err(error) => {
                let reason =
                    error.details.iter().flatten().find_map(|detail| detail.value.get("reason")).cloned();
                let A2AError { code, message, .. } = error;
                json!({"what": what, "type": error_reason(code), "code": code, "reason": reason, "message": message})
            }
        };
        self.say("error", fields);
    }

    async fn send(&self, message: Message, immediately: bool) -> Result<Task, A2AError> {
        match self.client.send_message(&request(message, immediately)).await? {
            SendMessageResponse::Task(task) => Ok(task),
            SendMessageResponse::Message(message) => panic!("a bare message: {message:?}"),
        }
    }

    async fn subscribe(&self, id: &str) -> Result<Events, A2AError> {
        self.client.subscribe_to_task(&subscribe(id)).await
    }

    async fn sends(&mut self) -> Task {
        let sent = self.send(says("say hello"), false).await.unwrap();
        self.say("send", shown(&sent));
        let stream =
            self.client.send_streaming_message(&request(says("hold rust-stream"), false)).await.unwrap();
        let followed = followed(stream, &self.release.join("rust-stream")).await.unwrap();
        self.say("stream", followed);
        let again = Message { context_id: Some(sent.context_id.clone()), ..says("say again") };
        let refined = self.send(again, false).await.unwrap();
        let mut line = shown(&refined);
        line["new"] = json!(refined.id != sent.id);
        self.say("refine", line);
        sent
    }

    async fn reads(&mut self, sent: &Task) {
        let got = self.client.get_task(&get(&sent.id, None)).await.unwrap();
        let bare = self.client.get_task(&get(&sent.id, Some(0))).await.unwrap();
        let mut line = shown(&got);
        line["roles"] = got.history.iter().flatten().map(|said| to_value(&said.role).unwrap()).collect();
        line["without"] = json!(bare.history.unwrap_or_default().len());
        self.say("get", line);
        let (mut tasks, mut pages, mut next) = (Vec::new(), 0, None);
        let total = loop {
            let listed = ListTasksRequest { page_token: next, ..list(Some(&sent.context_id), 1) };
            let page = self.client.list_tasks(&listed).await.unwrap();
            tasks.extend(page.tasks);
            pages += 1;
            if page.next_page_token.is_empty() {
                break page.total_size;
            }
            next = Some(page.next_page_token);
        };
        let states: Vec<Value> = tasks.iter().map(|task| to_value(&task.status.state).unwrap()).collect();
        let oldest = tasks.last().is_some_and(|task| task.id == sent.id);
        self.say("list", json!({"pages": pages, "total": total, "states": states, "oldest": oldest}));
    }

    async fn subscribes(&mut self) {
        let task = self.send(says("hold rust-subscribe"), true).await.unwrap();
        let mut left = self.subscribe(&task.id).await.unwrap();
        let mut event = left.next().await.unwrap().unwrap();
        let first = kind(&event);
        while state(&event) != "TASK_STATE_WORKING" {
            event = left.next().await.unwrap().unwrap();
        }
        drop(left);
        self.say("subscribe", json!({"first": first, "left_at": state(&event)}));
        // The client keeps no ids of frames; a task's events are numbered from 1.
        let after_first = self.params([(SVC_PARAM_VERSION, a2a_types::VERSION), ("Last-Event-ID", "1")]);
        let asked = SubscribeToTaskRequest { tenant: self.tenant.clone(), ..subscribe(&task.id) };
        let again = self.transport.subscribe_to_task(&after_first, &asked).await.unwrap();
        let followed = followed(again, &self.release.join("rust-subscribe")).await.unwrap();
        self.say("resume", followed);
    }

    async fn cancels(&mut self) {
        let task = self.send(says("hold rust-cancel"), true).await.unwrap();
        let cancelled = self.client.cancel_task(&cancel(&task.id)).await.unwrap();
        let mut line = shown(&cancelled);
        line["same"] = json!(cancelled.id == task.id);
        self.say("cancel", line);
    }

    async fn follows_up(&mut self) {
        let parked = self.send(says("ask which colour?"), false).await.unwrap();
        self.say("parked", shown(&parked));
        let first = self.subscribe(&parked.id).await.unwrap().next().await.unwrap().unwrap();
        // The task is named, its context is not: the server knows it.
        let answer = Message { task_id: Some(parked.id.clone()), ..says("blue") };
        let elsewhere = Message { context_id: Some(a2a_types::new_context_id()), ..answer.clone() };
        let mismatch = self.send(elsewhere, false).await;
        self.refused("mismatching context", mismatch);
        let answered = self.send(answer, false).await.unwrap();
        let mut line = shown(&answered);
        line["same"] = json!(answered.id == parked.id && answered.context_id == parked.context_id);
        line["parked_stream"] = state(&first);
        self.say("answered", line);
    }

    async fn errors(&mut self, sent: &Task) {
        let unknown = a2a_types::new_task_id();
        let to = |id: &str| Message { task_id: Some(id.into()), ..says("x") };
        let got = self.client.get_task(&get(&unknown, None)).await;
        self.refused("get unknown", got);
        let cancelled = self.client.cancel_task(&cancel(&unknown)).await;
        self.refused("cancel unknown", cancelled);
        let answer = self.send(to(&unknown), false).await;
        self.refused("send to unknown", answer);
        let answer = self.send(to(&sent.id), false).await;
        self.refused("send to ended", answer);
        let cancelled = self.client.cancel_task(&cancel(&sent.id)).await;
        self.refused("cancel ended", cancelled);
        let events = all(self.subscribe(&sent.id).await).await;
        self.refused("subscribe ended", events);
        let listed = self.client.list_tasks(&list(None, 1000)).await;
        self.refused("page too large", listed);
        let params = self.params([(SVC_PARAM_VERSION, "9.9")]);
        let asked = GetTaskRequest { tenant: self.tenant.clone(), ..get(&sent.id, None) };
        let got = self.transport.get_task(&params, &asked).await;
        self.refused("version", got);
        let send = request(says("say x"), false);
        let asked = SendMessageRequest { tenant: self.tenant.clone(), ..send.clone() };
        let events = all(self.transport.send_streaming_message(&params, &asked).await).await;
        self.refused("version of a stream", events);
        let got = self.stranger.get_task(&get(&sent.id, None)).await;
        self.refused("no token", got);
        let events = all(self.stranger.send_streaming_message(&send).await).await;
        self.refused("no token for a stream", events);
    }

    fn params<const N: usize>(&self, headers: [(&str, &str); N]) -> ServiceParams {
        let bearer = format!("Bearer {}", self.token);
        let headers = headers.into_iter().chain([("Authorization", &*bearer)]);
        headers.map(|(name, value)| (name.to_owned(), vec![value.to_owned()])).collect()
    }
}

/// A client of the card's interface with this binding.
async fn client(card: &AgentCard, binding: &str, token: Option<&str>) -> Client {
    let http = Some(http_client(None));
    let factory = A2AClientFactory::builder().no_defaults();
    let factory = match binding {
        "JSONRPC" => factory.register(Arc::new(JsonRpcTransportFactory::new(http))),
        "GRPC" => factory.register(Arc::new(GrpcTransportFactory::default())),
        _ => factory.register(Arc::new(RestTransportFactory::new(http))),
    };
    let factory = match token {
        Some(token) => factory.with_interceptor(Arc::new(AuthInterceptor::bearer(token))),
        None => factory,
    };
    factory.build().create_from_card(card).await.unwrap()
}

/// Straight to loopback, with a token where the client knows no other way to send one.
fn http_client(token: Option<&str>) -> reqwest::Client {
    // The first test of the process installs it for all.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let headers = token.map(|token| ("authorization".to_owned(), format!("Bearer {token}")));
    let headers: std::collections::HashMap<String, String> = headers.into_iter().collect();
    reqwest::Client::builder().no_proxy().default_headers((&headers).try_into().unwrap()).build().unwrap()
}
