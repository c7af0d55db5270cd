//! List one agent's tasks, those whose status is newest first, as far as the caller sees them.

use baton_core::{Caller, ContextId, Refusal, Status, UnixMillis, limits};
use baton_store::rows::{ChangedFilter, PageBounds};

use super::Error;
use super::agent::AgentAddress;
use super::network_ref::VisibleNetworks;
use super::task_record::{self, TaskRecord};
use crate::hub::Hub;

/// Which tasks, and how much of each.
#[derive(Debug, Clone)]
pub struct Args {
    pub agent: AgentAddress,
    pub standing: Standing,
    pub context: Option<ContextId>,
    /// Whose status is newer than this.
    pub after: Option<UnixMillis>,
    /// Where the page before ended.
    pub before: Option<i64>,
    pub limit: usize,
    /// So many messages of each, the newest.
    pub messages: usize,
    pub with_artifacts: bool,
}

/// Where the tasks stand.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Of one of these statuses; all when there are none.
    pub statuses: Vec<Status>,
    /// Of those that failed: whether their agent declined them.
    pub is_rejected: Option<bool>,
    /// Of those that wait for input: whether their question asks the sender to authenticate.
    pub auth_required: Option<bool>,
    /// Of those in their agent's inbox: whether work on them has begun before.
    pub has_begun: Option<bool>,
}

/// A page.
#[derive(Debug)]
pub struct Page {
    pub tasks: Vec<TaskRecord>,
    /// Where the next begins; a short page may have one too.
    pub next: Option<i64>,
    /// How many there are on all pages, as far as is counted.
    pub total: usize,
}

/// Lists.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Page, Error> {
    args.agent.check_reach(caller)?;
    let asker = caller.clone();
    let (reach, mut page) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let AgentAddress { network_id, alias } = &args.agent;
            let reach = VisibleNetworks::of(rows, &asker, Some(network_id.as_str()))?;
            // One whose token was revoked still has its tasks.
            if !rows.alias_exists(network_id, alias)? && !rows.alias_was_used(network_id, alias)? {
                return Err(Refusal::AliasNotFound.into());
            }
            let network = reach.networks.first().cloned().ok_or(Refusal::NetworkNotFound)?;
            let filter = ChangedFilter {
                network,
                to: alias.clone(),
                statuses: args.standing.statuses.clone(),
                is_rejected: args.standing.is_rejected,
                auth_required: args.standing.auth_required,
                has_begun: args.standing.has_begun,
                context: args.context.clone(),
                after: args.after,
                before: args.before,
                limit: args.limit,
                examined: limits::A2A_LIST_EXAMINED_COUNT,
            };
            let page = rows.changed_tasks(&filter)?;
            let total = rows.count_changed_tasks(&filter, limits::A2A_LIST_COUNTED_MAX)?;
            let (mut tasks, mut next, mut bytes) = (Vec::new(), page.next, 0);
            let mut found = page.tasks.into_iter().peekable();
            while let Some((place, id)) = found.next() {
                let Some(row) = rows.task(&id)? else { continue };
                let left = limits::ANSWER_MAX_BYTES.saturating_sub(bytes);
                let messages = PageBounds { rows: args.messages, bytes: left };
                let record = task_record::listed(rows, row, messages, args.with_artifacts)?;
                bytes += record.bytes();
                tasks.push(record);
                if bytes >= limits::ANSWER_MAX_BYTES && found.peek().is_some() {
                    next = Some(place);
                    break;
                }
            }
            Ok((reach, Page { tasks, next, total }))
        })
        .await?;
    for task in &mut page.tasks {
        task.load_files(hub).await;
    }
    reach.write_down(hub, caller, "tasks").await?;
    Ok(page)
}
