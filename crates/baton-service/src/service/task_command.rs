//! A command to one task, described once. REST's route, its arguments and their bounds in the API's description, the MCP
//! tool with its schema, and the client's call are all made from the description; the use case's file has it.

use baton_core::{Caller, Refusal, TaskId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Error;
use super::network_ref::NetworkRef;
use crate::hub::Hub;

/// One command, as every door offers it.
pub trait TaskCommand: 'static {
    const ABOUT: About;
    /// What it takes beside the task.
    type Args: DeserializeOwned + Serialize + JsonSchema + ToSchema + Send;
    type Response: Serialize + ToSchema + Send;

    fn run(
        hub: &Hub,
        caller: &Caller,
        on: OnTask,
        args: Self::Args,
    ) -> impl Future<Output = Result<Self::Response, Error>> + Send;

    /// Why nothing was done, where that is an answer and not an error.
    fn refusal(_: &Self::Response) -> Option<&Refusal> {
        None
    }
}

/// What the doors print about a command.
#[derive(Debug)]
pub struct About {
    /// The route is `POST /api/tasks/{id}/` and this.
    pub verb: &'static str,
    pub operation_id: &'static str,
    pub summary: &'static str,
    /// Who may call it, and what else is worth knowing.
    pub details: &'static str,
    /// What a success means.
    pub done: &'static str,
    /// What a conflict means, where the answer says more than the error would.
    pub conflict: Option<AnsweredConflict>,
    pub body: BodyRule,
    /// Whether doing it twice comes to the same, so that a client may send it again.
    pub is_repeatable: bool,
    /// The MCP tool, if it has one.
    pub tool: Option<ToolAbout>,
}

/// A command as an MCP tool. Whether it may be repeated is a property of the command.
#[derive(Debug)]
pub struct ToolAbout {
    pub name: &'static str,
    /// What people see in a list of tools.
    pub title: &'static str,
    /// What a model reads about it.
    pub description: &'static str,
    /// Whether it ends or takes away what others have, so that a client may want to ask first.
    pub is_destructive: bool,
}

/// A conflict that is answered with the command's own answer, or with an error.
#[derive(Debug)]
pub struct AnsweredConflict {
    pub means: &'static str,
    /// What its schema says of itself.
    pub schema: &'static str,
}

/// What the body of the REST call may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRule {
    /// It is not read.
    Unread,
    /// Members it does not know are passed over, as the contract has it.
    Open,
    /// Members it does not know are refused: what they hold would be lost.
    Strict,
}

/// A command that takes nothing but the task.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema, ToSchema)]
pub struct NoArgs {}

/// Which task a command is for, and how the call says in which network it is.
#[derive(Debug, Clone)]
pub struct OnTask {
    pub task: String,
    pub place: NetworkRef,
}

impl OnTask {
    /// The task in a path.
    pub fn of_path(task: impl Into<String>) -> Self {
        Self { task: task.into(), place: NetworkRef::TheTasks }
    }

    /// The task a tool names.
    pub fn of_tool(task: String, network_id: Option<&str>) -> Self {
        Self { task, place: NetworkRef::of_task_call(network_id) }
    }

    /// The task's id; what is none belongs to no task.
    pub fn task_id(&self) -> Result<TaskId, Refusal> {
        TaskId::parse(&self.task).ok_or(Refusal::TaskNotFound)
    }
}
