//! What the SDK asks of a server: who it is, which tools it has, and to call one.

use axum::http::request::Parts;
use baton_core::TraceParent;
use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use tracing::{Instrument, Span};

use super::progress::Teller;
use super::tool::{Tool, Who};
use super::{Framed, answer};
use crate::hub::in_flight::{AnswerShare, Cost, SharePlace};
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
}

impl Handler {
    pub(super) fn new(hub: Arc<Hub>, tools: Vec<Tool>) -> Self {
        Self { hub, tools: Arc::new(tools) }
    }

    /// Reserves memory for the tool's answer; the reservation goes with the answer's body.
    async fn take_share(&self, tool: &Tool, context: &RequestContext<RoleServer>) -> Result<(), Error> {
        let parts = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let place = parts.and_then(|parts| parts.get::<SharePlace>().zip(parts.get::<Identity>()));
        if let Some((cost, (place, who))) = tool.cost.zip(place) {
            place.put(self.hub.in_flight.reserve(who, cost).await?);
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.listed.name == name)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("baton", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.into());
        info
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
        let mut teller = teller(&context, &mut who);
        let call = tool.call(self.hub.clone(), who, request.arguments.unwrap_or_default());
        let share = self.take_share(tool, &context);
        let call = async {
            if let Err(busy) = share.await {
                return Ok(answer::of::<()>(Err(busy)));
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
        // And it goes on with a call whose client has hung up: such a call must not claim a task for nobody. What it
        // has handed to the store is done whole all the same.
        let outcome = tokio::select! {
            outcome = call.instrument(span(&context)) => outcome,
            () = tell(teller.as_mut()) => return Err(ErrorData::internal_error("nobody answers", None)),
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the caller has gone", None)),
        };
        match outcome {
            Ok(outcome) => outcome.map(CallToolResponse::from),
            Err(_) => Err(ErrorData::internal_error("the hub failed inside", None)),
        }
    }
}

/// Who calls, as was settled at the door; the trace is in MCP's own place for it, or else in the request's.
fn who(context: &RequestContext<RoleServer>) -> Result<Who, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let identity = parts.and_then(|parts| parts.extensions.get::<Identity>());
    let identity = identity.ok_or_else(|| ErrorData::internal_error("nobody calls", None))?.clone();
    let in_meta = context.meta.get_traceparent().and_then(TraceParent::parse);
    let traceparent = in_meta.or_else(|| request_trace::of_headers(&parts?.headers));
    let place = parts.and_then(|parts| parts.extensions.get::<SharePlace>()).cloned().unwrap_or_default();
    let caller = identity.caller.clone();
    let share = AnswerShare::new(place, identity, Cost::List);
    Ok(Who { caller, traceparent, share, progress: ProgressSink::default() })
}

/// What notifies the caller of progress, if it gave a token and its answer is a stream of messages.
fn teller(context: &RequestContext<RoleServer>, who: &mut Who) -> Option<Teller> {
    let parts = context.extensions.get::<Parts>()?;
    parts.extensions.get::<Framed>()?;
    let token = context.meta.get_progress_token()?;
    let (sink, told) = ProgressSink::channel();
    who.progress = sink;
    Some(Teller::new(context.peer.clone(), token, told))
}

/// Sends progress for as long as the call runs; never ends.
async fn tell(teller: Option<&mut Teller>) {
    match teller {
        Some(teller) => teller.tell().await,
        None => std::future::pending().await,
    }
}

/// What the log says of the request: the SDK calls a tool in a task of its own.
fn span(context: &RequestContext<RoleServer>) -> Span {
    let parts = context.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<Span>()).cloned().unwrap_or_else(Span::none)
}
