//! `ListTasks`: the agent's tasks that the caller may see, a page at a time.

use a2a_types::{ListTasksRequest, ListTasksResponse, TaskState};
use baton_core::{ContextId, UnixMillis, limits};

use super::agent_caller::AgentCaller;
use super::error::A2aError;
use super::task::{self, Shown};
use crate::hub::Hub;
use crate::service::agent_tasks::{self, Args};
use crate::service::page::{self, Cursors};

/// Lists. A page may be short and still have a next one.
pub(super) async fn run(
    hub: &Hub,
    visitor: &AgentCaller,
    request: ListTasksRequest,
) -> Result<ListTasksResponse, A2aError> {
    let limit = page_size(request.page_size)?;
    // A list shows no messages unless asked.
    let history = super::call::history_length(Some(request.history_length.unwrap_or(0)))?;
    let shown = Shown { history, artifacts: request.include_artifacts.unwrap_or(false) };
    let context = request.context_id.as_deref().map(ContextId::parse);
    let is_nothing = matches!(context, Some(None)) || is_unknown(request.status.as_ref());
    let cursors = page::cursors(hub, visitor.caller(), "a2a tasks");
    let args = Args {
        agent: visitor.agent.clone(),
        standing: request.status.as_ref().map(task::standing).unwrap_or_default(),
        context: context.flatten(),
        after: request.status_timestamp_after.map(|time| UnixMillis::new(time.timestamp_millis())),
        before: request.page_token.as_deref().map(|token| page_token(&cursors, token)).transpose()?,
        limit,
        messages: history,
        with_artifacts: shown.artifacts,
    };
    // The caller is looked at also when nothing can be found.
    let page = agent_tasks::run(hub, visitor.caller(), args).await?;
    let page_size = i32::try_from(limit).unwrap_or(i32::MAX);
    if is_nothing {
        let next_page_token = String::new();
        return Ok(ListTasksResponse { tasks: Vec::new(), next_page_token, page_size, total_size: 0 });
    }
    Ok(ListTasksResponse {
        tasks: page.tasks.iter().map(|record| task::task(record, shown)).collect(),
        next_page_token: cursors.next(page.next).unwrap_or_default(),
        page_size,
        total_size: i32::try_from(page.total).unwrap_or(i32::MAX),
    })
}

/// A state the hub's tasks never have; no state at all asks for every one.
fn is_unknown(state: Option<&TaskState>) -> bool {
    state.is_some_and(|state| *state != TaskState::Unspecified && task::standing(state).statuses.is_empty())
}

fn page_size(wanted: Option<i32>) -> Result<usize, A2aError> {
    let Some(wanted) = wanted else { return Ok(limits::A2A_LIST_DEFAULT) };
    let size = usize::try_from(wanted).ok().filter(|size| (1..=limits::A2A_LIST_MAX).contains(size));
    size.ok_or_else(|| A2aError::params(format!("pageSize must be 1 to {}", limits::A2A_LIST_MAX)))
}

fn page_token(cursors: &Cursors, token: &str) -> Result<i64, A2aError> {
    cursors
        .opened(token)
        .ok_or_else(|| A2aError::params("pageToken must be the nextPageToken of a page before"))
}
