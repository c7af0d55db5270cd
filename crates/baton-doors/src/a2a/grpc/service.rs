//! The service's eleven methods. Each hands its message to the one way all of them go.

use axum::http::{HeaderMap, HeaderValue, Uri};
use futures_util::stream as streams;
use futures_util::stream::{BoxStream, StreamExt};
use std::sync::Arc;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Request, Response, Status};

use super::deadline::Deadline;
use super::generated::a2a_service_server::A2aService;
use super::request::{Asked, Streamed, agent, without_agent};
use super::{A2aError, Kind, card, generated as pb, reply};
use crate::a2a::agent_caller::{AgentCaller, check_version};
use crate::a2a::call::{A2aResponse, Reply};
use crate::a2a::extension;
use crate::a2a::stream::TaskStream;
use crate::hub::Hub;

/// The binding over a hub.
pub(super) struct Binding {
    pub(super) hub: Arc<Hub>,
}

/// A call as it came: whose it is, what it asks, and until when.
struct Arrived<T> {
    headers: HeaderMap,
    /// What the gate gave it.
    attached: Extensions,
    asked: T,
    deadline: Deadline,
    extensions: Option<HeaderValue>,
}

impl<T: Asked> Arrived<T> {
    fn of(request: Request<T>) -> Self {
        let (metadata, attached, asked) = request.into_parts();
        let headers = metadata.into_headers();
        let (deadline, extensions) = (Deadline::of(&headers), extension::asked_for(&headers));
        Self { headers, attached, asked, deadline, extensions }
    }

    async fn run(self, hub: &Arc<Hub>) -> Result<A2aResponse, Status> {
        let tenant = self.asked.tenant();
        let named = agent(tenant).unwrap_or_default();
        let caller = AgentCaller::admit(hub, named, &self.headers, &self.attached).await;
        let caller = caller.map_err(|fault| match fault.kind {
            Kind::TaskNotFound if tenant.is_empty() => without_agent(),
            _ => fault,
        })?;
        // In the metadata alone: there is no query.
        check_version(&self.headers, &Uri::default())?;
        let call = self.asked.into_call()?;
        Ok(Box::pin(call.run(hub, caller)).await?)
    }
}

/// An answer, with those of the named extensions that are in use.
fn answered<T>(extensions: Option<HeaderValue>, message: T) -> Response<T> {
    let mut headers = HeaderMap::new();
    extension::name_in(extensions, &mut headers);
    Response::from_parts(MetadataMap::from_headers(headers), message, Extensions::default())
}

/// No operation answers with what another one answers.
fn mixed_up() -> Status {
    A2aError::new(Kind::InternalError, "the hub failed inside").into()
}

impl Binding {
    async fn answer<T: Asked, R>(
        &self,
        request: Request<T>,
        print: fn(Reply) -> Option<R>,
    ) -> Result<Response<R>, Status> {
        let arrived = Arrived::of(request);
        let (deadline, extensions) = (arrived.deadline, arrived.extensions.clone());
        match deadline.bound(arrived.run(&self.hub)).await? {
            A2aResponse::Value(reply) => {
                print(*reply).map(|said| answered(extensions, said)).ok_or_else(mixed_up)
            }
            A2aResponse::Stream(_) => Err(mixed_up()),
        }
    }

    async fn follow<T: Asked>(&self, request: Request<T>) -> Result<Response<Updates>, Status> {
        let arrived = Arrived::of(request);
        let (deadline, extensions) = (arrived.deadline, arrived.extensions.clone());
        match deadline.bound(arrived.run(&self.hub)).await? {
            A2aResponse::Stream(stream) => Ok(answered(extensions, updates(*stream, deadline))),
            A2aResponse::Value(_) => Err(mixed_up()),
        }
    }
}

type Updates = BoxStream<'static, Result<pb::StreamResponse, Status>>;

/// A stream's updates, one message each, until the call's time is up.
fn updates(stream: TaskStream, deadline: Deadline) -> Updates {
    let batches = stream.updates().map(|batch| match batch {
        Ok(batch) => batch.into_iter().map(|update| Ok(reply::update(update))).collect(),
        Err(fault) => vec![Err(Status::from(fault))],
    });
    let late = Box::pin(deadline.wait());
    let each = Some((batches.flat_map(streams::iter).boxed(), late));
    streams::unfold(each, |state| async {
        let (mut each, mut late) = state?;
        tokio::select! {
            biased;
            update = each.next() => update.map(|update| (update, Some((each, late)))),
            status = &mut late => Some((Err(status), None)),
        }
    })
    .boxed()
}

#[tonic::async_trait]
impl A2aService for Binding {
    type SendStreamingMessageStream = Updates;
    type SubscribeToTaskStream = Updates;

    async fn send_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<pb::SendMessageResponse>, Status> {
        self.answer(request, |reply| match reply {
            Reply::Sent(sent) => Some(reply::sent(sent)),
            _ => None,
        })
        .await
    }

    async fn send_streaming_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<Updates>, Status> {
        self.follow(request.map(Streamed)).await
    }

    async fn get_task(&self, request: Request<pb::GetTaskRequest>) -> Result<Response<pb::Task>, Status> {
        self.answer(request, task).await
    }

    async fn list_tasks(
        &self,
        request: Request<pb::ListTasksRequest>,
    ) -> Result<Response<pb::ListTasksResponse>, Status> {
        self.answer(request, |reply| match reply {
            Reply::Tasks(tasks) => Some(reply::tasks(tasks)),
            _ => None,
        })
        .await
    }

    async fn cancel_task(
        &self,
        request: Request<pb::CancelTaskRequest>,
    ) -> Result<Response<pb::Task>, Status> {
        self.answer(request, task).await
    }

    async fn subscribe_to_task(
        &self,
        request: Request<pb::SubscribeToTaskRequest>,
    ) -> Result<Response<Updates>, Status> {
        self.follow(request).await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<pb::TaskPushNotificationConfig>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        self.answer(request, push_config).await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<pb::GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        self.answer(request, push_config).await
    }

    async fn list_task_push_notification_configs(
        &self,
        request: Request<pb::ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<pb::ListTaskPushNotificationConfigsResponse>, Status> {
        self.answer(request, |reply| match reply {
            Reply::PushConfigs(configs) => Some(reply::push_configs(configs)),
            _ => None,
        })
        .await
    }

    async fn get_extended_agent_card(
        &self,
        request: Request<pb::GetExtendedAgentCardRequest>,
    ) -> Result<Response<pb::AgentCard>, Status> {
        self.answer(request, |reply| match reply {
            Reply::Card(card) => Some(card::card(card)),
            _ => None,
        })
        .await
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<pb::DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        self.answer(request, |reply| matches!(reply, Reply::Nothing {}).then_some(())).await
    }
}

fn task(reply: Reply) -> Option<pb::Task> {
    match reply {
        Reply::Task(task) => Some(reply::task(task)),
        _ => None,
    }
}

fn push_config(reply: Reply) -> Option<pb::TaskPushNotificationConfig> {
    match reply {
        Reply::PushConfig(config) => Some(reply::push_config(config)),
        _ => None,
    }
}
