//! A tool: a use case under the name a model calls it by. The table of all tools is in `tools.rs`.

use baton_core::{Caller, TaskId, TraceParent};
use futures_util::future::BoxFuture;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, JsonObject};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

use super::effect::Effect;
use super::{answer, schema};
use crate::hub::Hub;
use crate::hub::in_flight::{Cost, ResponseReservation};
use crate::service::Error;
use crate::service::task_command::{OnTask, TaskCommand};
use crate::service::task_wait::ProgressSink;

/// What a call comes to.
pub(super) type Outcome = Result<CallToolResult, ErrorData>;
type Run = Box<
    dyn Fn(Arc<Hub>, ToolCaller, JsonObject) -> BoxFuture<'static, Result<Called, ErrorData>> + Send + Sync,
>;

/// What a tool answered.
pub(super) struct Called {
    pub(super) result: CallToolResult,
    /// The task that the call sent and did not see the end of: a client that takes a handle gets one to it.
    pub(super) opened: Option<TaskId>,
}

impl From<CallToolResult> for Called {
    fn from(result: CallToolResult) -> Self {
        Self { result, opened: None }
    }
}

/// Who calls a tool, and as part of which trace.
pub(super) struct ToolCaller {
    pub(super) caller: Caller,
    pub(super) traceparent: Option<TraceParent>,
    /// For a tool that waits before it knows what it answers.
    pub(super) share: ResponseReservation,
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

/// `tool!("name", "Title", Effect, module::run(Args), "description")`: a use case is an async function of the hub, the caller and
/// its arguments; with `sharing` before it, for one that may wait, of the share of memory it reserves itself and of what listens to
/// its progress, and with `traced`, for one that sends a task, of the caller's trace too.
macro_rules! tool {
    ($name:literal, $title:literal, $effect:ident, $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::new::<$module::$args, _, _>(
            ($name, $title, $description),
            $crate::mcp::effect::Effect::$effect,
            |hub, who, args| async move { $module::$run(&hub, &who.caller, args).await },
        )
    };
    ($name:literal, $title:literal, $effect:ident, traced $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::opening::<$module::$args, _, _>(
            ($name, $title, $description),
            $crate::mcp::effect::Effect::$effect,
            |hub, who, args| async move {
                $module::$run(&hub, &who.caller, args, who.traceparent, &who.share, &who.progress).await
            },
            |answer| answer.open_task().cloned(),
        )
        .small()
    };
    ($name:literal, $title:literal, $effect:ident, sharing $module:ident::$run:ident($args:ident), $description:literal) => {
        $crate::mcp::tool::Tool::new::<$module::$args, _, _>(
            ($name, $title, $description),
            $crate::mcp::effect::Effect::$effect,
            |hub, who, args| async move {
                $module::$run(&hub, &who.caller, args, &who.share, &who.progress).await
            },
        )
        .small()
    };
}
pub(super) use tool;

/// A tool's name, its title and its description.
type ToolText = (&'static str, &'static str, &'static str);

impl Tool {
    /// A tool that reads its arguments as `Args` and hands them to `run`, which answers an `Answer`.
    pub(super) fn new<Args, Answer, Running>(
        words: ToolText,
        effect: Effect,
        run: impl Fn(Arc<Hub>, ToolCaller, Args) -> Running + Clone + Send + Sync + 'static,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + 'static,
        Answer: Serialize + ToSchema + Send + 'static,
        Running: Future<Output = Result<Answer, Error>> + Send + 'static,
    {
        Self::opening(words, effect, run, |_| None)
    }

    /// The same for one whose answer may name a task that it opened.
    pub(super) fn opening<Args, Answer, Running>(
        words: ToolText,
        effect: Effect,
        run: impl Fn(Arc<Hub>, ToolCaller, Args) -> Running + Clone + Send + Sync + 'static,
        opened: fn(&Answer) -> Option<TaskId>,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + Send + 'static,
        Answer: Serialize + ToSchema + Send + 'static,
        Running: Future<Output = Result<Answer, Error>> + Send + 'static,
    {
        let run: Run = Box::new(move |hub, who, arguments| {
            let run = run.clone();
            Box::pin(async move {
                let outcome = match answer::arguments(arguments) {
                    Ok(args) => run(hub, who, args).await,
                    Err(broken) => Err(broken),
                };
                let opened = outcome.as_ref().ok().and_then(opened);
                Ok(Called { result: answer::of(outcome)?, opened })
            })
        });
        Self::listed::<Answer>(words, effect, schema::of::<Args>(), run)
    }

    fn listed<Answer: ToSchema>(
        (name, title, description): ToolText,
        effect: Effect,
        arguments: JsonObject,
        run: Run,
    ) -> Self {
        let listed = rmcp::model::Tool::new(name, description, Arc::new(arguments))
            .with_title(title)
            .with_annotations(effect.annotations(title))
            .with_raw_output_schema(Arc::new(schema::of_answer::<Answer>()));
        Self { listed, cost: Some(Cost::ToolList), run }
    }

    /// Its answer has a few fields, or one task; or it waits, and reserves the memory afterwards.
    pub(super) fn small(self) -> Self {
        Self { cost: None, ..self }
    }

    /// Calls it; nothing of it runs before the future does.
    pub(super) fn call(
        &self,
        hub: Arc<Hub>,
        who: ToolCaller,
        arguments: JsonObject,
    ) -> BoxFuture<'static, Result<Called, ErrorData>> {
        (self.run)(hub, who, arguments)
    }
}

/// The task that a tool names, beside the command's own arguments.
#[derive(Deserialize, JsonSchema)]
struct TaskNamed {
    /// The task's id
    task_id: String,
    /// The network; a node token has only its own
    network_id: Option<String>,
}

/// The tool of a command to one task, if it has one.
pub(super) fn of_command<C: TaskCommand>() -> Option<Tool> {
    let about = C::ABOUT.tool?;
    let run: Run = Box::new(|hub, who, arguments| {
        Box::pin(async move {
            let outcome = match command_arguments::<C>(arguments) {
                Ok((on, args)) => C::run(&hub, &who.caller, on, args).await,
                Err(broken) => Err(broken),
            };
            answer::of(outcome).map(Called::from)
        })
    });
    let schema = schema::around(schema::of::<TaskNamed>(), schema::of::<C::Args>());
    let effect = Effect::of_command(about.is_destructive, C::ABOUT.is_repeatable);
    let words = (about.name, about.title, about.description);
    Some(Tool::listed::<C::Response>(words, effect, schema, run).small())
}

fn command_arguments<C: TaskCommand>(arguments: JsonObject) -> Result<(OnTask, C::Args), Error> {
    let TaskNamed { task_id, network_id } = answer::arguments(arguments.clone())?;
    Ok((OnTask::of_tool(task_id, network_id.as_deref()), answer::arguments(arguments)?))
}
