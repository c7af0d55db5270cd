//! A tool: a use case under the name a model calls it by. The table of all tools is in `tools.rs`.

use baton_core::{Caller, TraceParent};
use futures_util::future::BoxFuture;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, JsonObject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

use super::{answer, schema};
use crate::hub::Hub;
use crate::hub::in_flight::{AnswerShare, Cost};
use crate::service::task_command::{OnTask, TaskCommand};
use crate::service::task_wait::ProgressSink;

/// What a call comes to.
pub(super) type Outcome = Result<CallToolResult, ErrorData>;
type Run = Box<dyn Fn(Arc<Hub>, Who, JsonObject) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// Who calls a tool, and as part of which trace.
pub(super) struct Who {
    pub(super) caller: Caller,
    pub(super) traceparent: Option<TraceParent>,
    /// For a tool that waits before it knows what it answers.
    pub(super) share: AnswerShare,
    /// Who receives the progress of a task that a tool waits for.
    pub(super) progress: ProgressSink,
}

/// A use case, ready to be called.
pub(super) struct Tool {
    /// As clients list it.
    pub(super) listed: rmcp::model::Tool,
    /// How much of the hub's memory its answer may need, reserved before it runs; none if that is little, or if it waits
    /// first and reserves it itself.
    pub(super) cost: Option<Cost>,
    run: Run,
}

/// `tool!("name", module::run(Args), "description")`: a use case is an async function of the hub, the caller and
/// its arguments; with `sharing` before it, for one that may wait, of the share of memory it reserves itself and of whom it tells
/// of progress, and with `traced` of the caller's trace too.
macro_rules! tool {
    ($name:literal, $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::new::<$module::$args, _>($name, $description, |hub, who, args| async move {
            $crate::mcp::answer::of($module::$run(&hub, &who.caller, args).await)
        })
    };
    ($name:literal, traced $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::new::<$module::$args, _>($name, $description, |hub, who, args| async move {
            $crate::mcp::answer::of(
                $module::$run(&hub, &who.caller, args, who.traceparent, &who.share, &who.progress).await,
            )
        })
        .small()
    };
    ($name:literal, sharing $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::new::<$module::$args, _>($name, $description, |hub, who, args| async move {
            $crate::mcp::answer::of($module::$run(&hub, &who.caller, args, &who.share, &who.progress).await)
        })
        .small()
    };
}
pub(super) use tool;

impl Tool {
    /// A tool that reads its arguments as `Args` and hands them to `run`.
    pub(super) fn new<Args, Running>(
        name: &'static str,
        description: &'static str,
        run: impl Fn(Arc<Hub>, Who, Args) -> Running + Clone + Send + Sync + 'static,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + 'static,
        Running: Future<Output = Outcome> + Send + 'static,
    {
        let run: Run = Box::new(move |hub, who, arguments| {
            let run = run.clone();
            Box::pin(async move { run(hub, who, answer::arguments(arguments)?).await })
        });
        Self::listed(name, description, schema::of::<Args>(), run)
    }

    fn listed(name: &'static str, description: &'static str, schema: JsonObject, run: Run) -> Self {
        let listed = rmcp::model::Tool::new(name, description, Arc::new(schema));
        Self { listed, cost: Some(Cost::ToolList), run }
    }

    /// Its answer has a few fields, or one task; or it waits, and reserves the memory afterwards.
    pub(super) fn small(self) -> Self {
        Self { cost: None, ..self }
    }

    /// Calls it; nothing of it runs before the future does.
    pub(super) fn call(&self, hub: Arc<Hub>, who: Who, arguments: JsonObject) -> BoxFuture<'static, Outcome> {
        (self.run)(hub, who, arguments)
    }
}

/// The task that a tool names, beside the command's own arguments.
#[derive(Deserialize, JsonSchema)]
struct TaskNamed {
    task_id: String,
    network_id: Option<String>,
}

/// The tool of a command to one task, if it has one.
pub(super) fn of_command<C: TaskCommand>() -> Option<Tool> {
    let (name, description) = C::ABOUT.tool?;
    let run: Run = Box::new(|hub, who, arguments| {
        Box::pin(async move {
            let TaskNamed { task_id, network_id } = answer::arguments(arguments.clone())?;
            let on = OnTask::of_tool(task_id, network_id.as_deref());
            answer::of(C::run(&hub, &who.caller, on, answer::arguments(arguments)?).await)
        })
    });
    let schema = schema::around(schema::of::<TaskNamed>(), schema::of::<C::Args>());
    Some(Tool::listed(name, description, schema, run).small())
}
