//! What the SDK asks of a server: who it is, which tools, resources and prompts it has, and to call, read or watch one.

use axum::http::request::Parts;
use baton_core::{TraceParent, limits};
use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{Instrument, Span};

use super::progress::Notifier;
use super::tool::{Called, Tool, ToolCaller};
use super::{Framed, answer, prompt, resource, subscription, task};
use crate::hub::in_flight::{Cost, ReservationSlot, ResponseReservation};
use crate::hub::{Hub, Identity};
use crate::metrics::Door;
use crate::request_trace;
use crate::service::Error;
use crate::service::task_wait::ProgressSink;

const INSTRUCTIONS: &str = "Baton hands tasks between agents. Work: claim_task, then send_reply with in_reply_to = \
    task_id and the lease_id; extend_lease while you work, and stop at lease_lost. Delegate: send_task to an alias \
    (get_all_status lists them) with wait_seconds for the result, or get_inbox for the reply later. ok:false says why in error and message.";

/// The hub and its tools.
#[derive(Clone)]
pub(super) struct Handler {
    hub: Arc<Hub>,
    tools: Arc<Vec<Tool>>,
    /// How long a call that waits may be silent.
    pub(super) silence: Duration,
}

impl Handler {
    pub(super) fn new(hub: Arc<Hub>, tools: Vec<Tool>) -> Self {
        Self { hub, tools: Arc::new(tools), silence: limits::MCP_PROGRESS_SILENCE_MAX }
    }

    /// Reserves memory for the tool's answer; the reservation goes with the answer's body.
    async fn take_share(
        &self,
        cost: Option<Cost>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), Error> {
        let parts = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let place = parts.and_then(|parts| parts.get::<ReservationSlot>().zip(parts.get::<Identity>()));
        if let Some((cost, (place, who))) = cost.zip(place) {
            place.put(self.hub.in_flight.reserve(who, cost).await?);
        }
        Ok(())
    }

    /// What notifies the caller of progress, if it gave a token and its answer is a stream of messages.
    fn notifier(&self, context: &RequestContext<RoleServer>, who: &mut ToolCaller) -> Option<Notifier> {
        let parts = context.extensions.get::<Parts>()?;
        parts.extensions.get::<Framed>()?;
        let token = context.meta.get_progress_token()?;
        let (sink, reported) = ProgressSink::channel();
        who.progress = sink;
        Some(Notifier::new(context.peer.clone(), token, reported, self.silence))
    }

    /// What a call is answered: a handle to the task that it sent, if its client takes one. The task is on disk, so where
    /// its state cannot be read now, the answer is the tool's own, which names the task too.
    async fn response(&self, called: Called, context: &RequestContext<RoleServer>) -> CallToolResponse {
        let Called { result, opened } = called;
        let takes_handles = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        let (Some(task), true, Ok(who)) = (opened, takes_handles, who(context)) else { return result.into() };
        match task::created(&self.hub, &who, &task).instrument(span(context)).await {
            Ok(created) => created.into(),
            Err(_) => result.into(),
        }
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.listed.name == name)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(offered);
        info.server_info = Implementation::new("baton", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.into());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        // `resources/subscribe` belongs to a session, and there is none; `subscriptions/listen` needs no initialize.
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        // A client declares extensions with each request, and before revision 2026-07-28 requests had no place for that.
        info.capabilities.extensions = None;
        Ok(info)
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompt::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompt::filled_in(&request.name, request.arguments.as_ref()).map(GetPromptResponse::from)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resource::listed()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let who = who(&context)?;
        let read = async {
            let cost = resource::cost(&request.uri);
            let share = self.take_share(cost, &context).await;
            share.map_err(|busy| resource::failed(&request.uri, &busy))?;
            resource::read(&self.hub, &who, &request.uri).await
        };
        read.instrument(span(&context)).await.map(ReadResourceResponse::from)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let named = requested.resource_subscriptions.iter().flatten();
        let ours = named.filter(|uri| resource::parse(uri).is_some());
        let ours: Vec<String> = ours.take(limits::MCP_SUBSCRIBED_MAX_COUNT).cloned().collect();
        Some(SubscriptionFilter::builder().resource_subscriptions(ours).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let parts = request.extensions.get::<Parts>();
        if parts.is_none_or(|parts| parts.extensions.get::<Framed>().is_none()) {
            let why = "a subscription is answered with an event stream; accept text/event-stream";
            return Err(ErrorData::invalid_request(why, None));
        }
        let (who, span) = (identity(request)?, span(request));
        subscription::run(&self.hub, &who, context).instrument(span).await
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.find(name).map(|tool| tool.listed.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.listed.clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // MCP, tools: an unknown tool is a protocol error, -32602.
        let tool = self
            .find(&request.name)
            .ok_or_else(|| ErrorData::invalid_params(format!("unknown tool: {}", request.name), None))?;
        let mut who = who(&context)?;
        let mut notifier = self.notifier(&context, &mut who);
        let call = tool.call(self.hub.clone(), who, request.arguments.unwrap_or_default());
        let share = self.take_share(tool.cost, &context);
        let call = async {
            if let Err(busy) = share.await {
                return Ok(answer::of::<()>(Err(busy)).map(Called::from));
            }
            let began = Instant::now();
            // The SDK leaves a call that panics without an answer.
            let outcome = AssertUnwindSafe(call).catch_unwind().await;
            self.hub.metrics.requests.took(Door::Mcp, began.elapsed());
            match &outcome {
                Ok(_) => tracing::debug!(tool = %request.name, elapsed = ?began.elapsed(), "called"),
                Err(_) => tracing::error!(tool = %request.name, "a tool panicked"),
            }
            outcome
        };
        // And it continues with a call whose client has hung up: such a call must not claim a task for nobody. What it
        // has handed to the store is done whole anyway.
        let outcome = tokio::select! {
            outcome = call.instrument(span(&context)) => outcome,
            () = notify(notifier.as_mut()) => return Err(ErrorData::internal_error("nobody answers", None)),
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the caller has gone", None)),
        };
        match outcome {
            Ok(Ok(called)) => Ok(self.response(called, &context).await),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ErrorData::internal_error("the hub failed inside", None)),
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let who = who(&context)?;
        let asks = task::AsksBy::of(context.client_capabilities().as_ref());
        let looking = task::get(&self.hub, &who, &request.task_id, asks);
        looking.instrument(span(&context)).await.map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let who = who(&context)?;
        let answering = task::update(&self.hub, &who, &request.task_id, request.input_responses);
        answering.instrument(span(&context)).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let who = who(&context)?;
        task::cancel(&self.hub, &who, request.task_id).instrument(span(&context)).await
    }
}

/// Who calls, as was settled at the door; the trace is in MCP's own place for it, or else in the request's.
fn who(context: &RequestContext<RoleServer>) -> Result<ToolCaller, ErrorData> {
    let (parts, identity) = (context.extensions.get::<Parts>(), identity(context)?);
    let in_meta = context.meta.get_traceparent().and_then(TraceParent::parse);
    let traceparent = in_meta.or_else(|| request_trace::of_headers(&parts?.headers));
    let place =
        parts.and_then(|parts| parts.extensions.get::<ReservationSlot>()).cloned().unwrap_or_default();
    let caller = identity.caller.clone();
    let share = ResponseReservation::new(place, identity, Cost::List);
    Ok(ToolCaller { caller, traceparent, share, progress: ProgressSink::default() })
}

/// Who calls, as was settled at the door.
fn identity(context: &RequestContext<RoleServer>) -> Result<Identity, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let identity = parts.and_then(|parts| parts.extensions.get::<Identity>());
    identity.cloned().ok_or_else(|| ErrorData::internal_error("nobody calls", None))
}

/// Sends progress for as long as the call runs; never ends.
async fn notify(notifier: Option<&mut Notifier>) {
    match notifier {
        Some(notifier) => notifier.notify().await,
        None => std::future::pending().await,
    }
}

/// What the log says of the request: the SDK calls a tool in a task of its own.
fn span(context: &RequestContext<RoleServer>) -> Span {
    let parts = context.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<Span>()).cloned().unwrap_or_else(Span::none)
}
