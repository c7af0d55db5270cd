//! An agent called by gRPC: the parameters of the other bindings as a message, and the answer as their JSON again, both by
//! the protocol's own protobuf types.

use a2a_pb::protojson as pb;
use a2a_types::error_reason;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;

use super::door::{Door, Outcome, VERSION};

/// What an answer is read as.
type Answer<T> = Result<(T, MetadataMap), Status>;

/// A connection by which an agent is called.
pub(super) struct GrpcDoor {
    runtime: Arc<Runtime>,
    channel: Channel,
    token: Option<String>,
    /// `NETWORK/ALIAS`.
    pub(super) tenant: String,
}

/// A stream of updates.
pub(super) struct Updates {
    /// The connection lives on it.
    runtime: Arc<Runtime>,
    stream: Streaming<pb::StreamResponse>,
    pub(super) metadata: MetadataMap,
}

impl Updates {
    /// The next as JSON; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Value>, Status> {
        let told = self.runtime.block_on(self.stream.message())?;
        Ok(told.map(|told| whole(serde_json::to_value(told).unwrap())))
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

impl GrpcDoor {
    pub(super) fn of(door: &Door) -> Self {
        Self::connected(door, &format!("http://{}", door.client.address), |endpoint| endpoint.connect_lazy())
    }

    /// The same by a channel of the test's own.
    pub(super) fn connected(door: &Door, url: &str, connect: impl FnOnce(&Endpoint) -> Channel) -> Self {
        let tenant = door.base.strip_prefix("/a2a/").unwrap().to_owned();
        let runtime = Arc::new(runtime());
        let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
        let channel = runtime.block_on(async { connect(&endpoint) });
        Self { runtime, channel, token: door.client.token.clone(), tenant }
    }

    /// Calls an operation; none if its parameters cannot be expressed in protobuf.
    pub(super) fn call(&self, method: &str, params: &Value) -> Option<Outcome> {
        self.outcome(method, params, &[VERSION])
    }

    /// The same with these metadata, in the form of the other bindings.
    pub(super) fn outcome(&self, method: &str, params: &Value, metadata: &[(&str, &str)]) -> Option<Outcome> {
        let answer = self.call_with(method, params, metadata)?;
        Some(answer.map(|(answer, _)| complete(method, answer)).map_err(|status| reason(&status)))
    }

    /// The same with these metadata alone beside the token.
    pub(super) fn call_with(
        &self,
        method: &str,
        params: &Value,
        metadata: &[(&str, &str)],
    ) -> Option<Answer<Value>> {
        Some(match method {
            "SendMessage" => self.unary::<pb::SendMessageRequest, pb::SendMessageResponse>(method, params, metadata)?,
            "GetTask" => self.unary::<pb::GetTaskRequest, pb::Task>(method, params, metadata)?,
            "ListTasks" => self.unary::<pb::ListTasksRequest, pb::ListTasksResponse>(method, params, metadata)?,
            "CancelTask" => self.unary::<pb::CancelTaskRequest, pb::Task>(method, params, metadata)?,
            "GetExtendedAgentCard" => {
                self.unary::<pb::GetExtendedAgentCardRequest, pb::AgentCard>(method, params, metadata)?
            }
            "CreateTaskPushNotificationConfig" => {
                self.unary::<pb::TaskPushNotificationConfig, pb::TaskPushNotificationConfig>(method, params, metadata)?
            }
            "GetTaskPushNotificationConfig" => self
                .unary::<pb::GetTaskPushNotificationConfigRequest, pb::TaskPushNotificationConfig>(
                    method, params, metadata,
                )?,
            "ListTaskPushNotificationConfigs" => {
                self.unary::<pb::ListTaskPushNotificationConfigsRequest, pb::ListTaskPushNotificationConfigsResponse>(
                    method, params, metadata,
                )?
            }
            "DeleteTaskPushNotificationConfig" => {
                let config = self.message::<pb::DeleteTaskPushNotificationConfigRequest>(params)?;
                self.send::<_, ()>(method, config, metadata).map(|((), metadata)| (json!({}), metadata))
            }
            "SendStreamingMessage" | "SubscribeToTask" => {
                let (first, metadata) = match self.stream(method, params, metadata)? {
                    Ok(mut stream) => (stream.next(), stream.metadata),
                    Err(status) => return Some(Err(status)),
                };
                first.map(|first| (first.unwrap_or_default(), metadata))
            }
            other => panic!("there is no {other}"),
        })
    }

    /// Opens a stream; none if its parameters cannot be expressed in protobuf.
    pub(super) fn stream(
        &self,
        method: &str,
        params: &Value,
        metadata: &[(&str, &str)],
    ) -> Option<Result<Updates, Status>> {
        Some(match method {
            "SendStreamingMessage" => {
                self.open(method, self.message::<pb::SendMessageRequest>(params)?, metadata)
            }
            _ => self.open(method, self.message::<pb::SubscribeToTaskRequest>(params)?, metadata),
        })
    }

    /// Any method of any service.
    pub(super) fn status_of(&self, path: &'static str, metadata: &[(&str, &str)], bytes: usize) -> Status {
        let asked =
            pb::GetTaskRequest { id: "x".repeat(bytes), tenant: self.tenant.clone(), ..Default::default() };
        let asked = self.request(asked, metadata);
        let codec = ProstCodec::<pb::GetTaskRequest, pb::Task>::default();
        self.runtime
            .block_on(async {
                let mut client = Grpc::new(self.channel.clone());
                client.ready().await.unwrap();
                client.unary(asked, PathAndQuery::from_static(path), codec).await
            })
            .unwrap_err()
    }

    fn message<Q: DeserializeOwned>(&self, params: &Value) -> Option<Q> {
        let mut params = params.clone();
        // Another agent's name is no parameter here.
        if params.get("tenant").is_some_and(|tenant| tenant != "") {
            return None;
        }
        params["tenant"] = json!(self.tenant);
        serde_json::from_value(params).ok()
    }

    fn request<Q>(&self, asked: Q, metadata: &[(&str, &str)]) -> Request<Q> {
        let mut request = Request::new(asked);
        let bearer = self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}")));
        let given = metadata.iter().map(|(name, value)| (*name, (*value).to_owned()));
        for (name, value) in bearer.into_iter().chain(given) {
            let name = tonic::metadata::MetadataKey::from_bytes(name.as_bytes()).unwrap();
            request.metadata_mut().append(name, value.parse().unwrap());
        }
        request
    }

    fn unary<Q, R>(&self, method: &str, params: &Value, metadata: &[(&str, &str)]) -> Option<Answer<Value>>
    where
        Q: prost::Message + DeserializeOwned + 'static,
        R: prost::Message + Default + Serialize + 'static,
    {
        let answer = self.send::<Q, R>(method, self.message(params)?, metadata);
        Some(answer.map(|(answer, metadata)| (whole(serde_json::to_value(answer).unwrap()), metadata)))
    }

    fn send<Q, R>(&self, method: &str, asked: Q, metadata: &[(&str, &str)]) -> Answer<R>
    where
        Q: prost::Message + 'static,
        R: prost::Message + Default + 'static,
    {
        let asked = self.request(asked, metadata);
        let answer = self.runtime.block_on(async {
            let mut client = Grpc::new(self.channel.clone());
            client.ready().await.unwrap();
            client.unary(asked, path(method), ProstCodec::<Q, R>::default()).await
        })?;
        let (metadata, answer, _) = answer.into_parts();
        Ok((answer, metadata))
    }

    fn open<Q: prost::Message + 'static>(
        &self,
        method: &str,
        asked: Q,
        metadata: &[(&str, &str)],
    ) -> Result<Updates, Status> {
        let asked = self.request(asked, metadata);
        let answer = self.runtime.block_on(async {
            let mut client = Grpc::new(self.channel.clone());
            client.ready().await.unwrap();
            client.server_streaming(asked, path(method), ProstCodec::<Q, pb::StreamResponse>::default()).await
        })?;
        let (metadata, stream, _) = answer.into_parts();
        Ok(Updates { runtime: self.runtime.clone(), stream, metadata })
    }
}

/// Protobuf has one kind of number: a whole one is written as JSON has it. And its JSON writes UTC in another way.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() && double.fract() == 0.0 => json!(double as i64),
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        Value::String(text) => match text.strip_suffix("+00:00") {
            Some(time) => json!(format!("{time}Z")),
            None => json!(text),
        },
        other => other,
    }
}

/// Protobuf leaves out what has its default: fields that the other bindings always have are added.
fn complete(method: &str, answer: Value) -> Value {
    let always = match method {
        "ListTasks" => json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0}),
        _ => json!({}),
    };
    let (Value::Object(mut whole), Value::Object(given)) = (always, answer) else { panic!("{method}") };
    whole.extend(given);
    whole.into()
}

fn path(method: &str) -> PathAndQuery {
    format!("/lf.a2a.v1.A2AService/{method}").parse().unwrap()
}

/// The reason of an error, as the official client reads it from the details; its form is held here for every test.
pub(super) fn reason(status: &Status) -> String {
    let own = match status.code() {
        Code::Unauthenticated => "UNAUTHENTICATED",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::Unavailable => "UNAVAILABLE",
        _ => return error_reason(a2a_grpc::errors::status_to_a2a_error(status).code).to_owned(),
    };
    let told = String::from_utf8_lossy(status.details()).into_owned();
    assert!(told.contains("google.rpc.ErrorInfo") && told.contains(own), "{status:?}");
    own.to_owned()
}
