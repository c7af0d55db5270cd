//! The tree a task stands in: the chain of its ancestors, the task, and all that it led to. A caller sees the part around the
//! task that is connected by tasks it may read: the walk ends, upwards and downwards, at a task that it may not.

use baton_core::access::TaskReach;
use baton_core::{Action, Caller, Kind, NetworkId, Refusal, Status, TaskAction, TaskId, limits};
use baton_store::Snapshot;
use baton_store::rows::{LevelFilter, TreeLevel, TreeTaskRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

use super::network_ref;
use super::permit::Permitted;
use super::wire_time::WireTime;
use super::{Error, audit};
use crate::hub::Hub;

/// Which task.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The task's id
    task_id: String,
}

/// The tree.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskTreeShown {
    ok: bool,
    tree: Tree,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskTree)]
struct Tree {
    /// The task that was asked for.
    task_id: TaskId,
    /// The chain of its ancestors, root first; the task; and all below it, each task followed by what is below it.
    nodes: Vec<Node>,
    /// Whether there are more: at most 1,000 nodes are shown, 32 levels up from the task and 32 down.
    truncated: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskTreeNode)]
struct Node {
    task_id: TaskId,
    parent_task_id: Option<TaskId>,
    from_name: String,
    to_name: String,
    kind: Kind,
    status: Status,
    created_at: WireTime,
    started_at: Option<WireTime>,
    completed_at: Option<WireTime>,
    /// How far below the first node it is.
    depth: usize,
}

/// Shows the tree, by the tool's arguments.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<TaskTreeShown, Error> {
    run_on_path(hub, caller, &args.task_id).await
}

/// Shows the tree of the task in the path; one out of sight is one that does not exist.
pub async fn run_on_path(hub: &Hub, caller: &Caller, task: &str) -> Result<TaskTreeShown, Error> {
    let id = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let stand = network_ref::of_task(rows, &asker, &id)?;
        let task = rows.tree_task(&stand.network, &id)?.ok_or(Refusal::TaskNotFound)?;
        let action = Action::Task { action: TaskAction::Read, parties: Some(task.parties()) };
        let permitted = Permitted::ask(&asker, stand, action)?;
        let walk = Walk { rows, network: permitted.network(), reach: &permitted.reach()? };
        let tree = walk.tree(task)?;
        Ok((tree, permitted.is_audited().then(|| permitted.into_network())))
    });
    let (tree, audited) = read.await?;
    audit::network_read(hub, caller, audited, "task").await?;
    Ok(TaskTreeShown { ok: true, tree })
}

/// Where a walk goes, and what it may see there.
#[derive(Clone, Copy)]
struct Walk<'a> {
    rows: &'a dyn Snapshot,
    network: &'a NetworkId,
    reach: &'a TaskReach,
}

/// What lies above or below a task.
struct Found {
    tasks: Vec<TreeTaskRow>,
    is_cut: bool,
}

impl Walk<'_> {
    fn tree(&self, mut task: TreeTaskRow) -> Result<Tree, Error> {
        let task_id = task.task_id.clone();
        let above = self.above(&mut task)?;
        let depth = above.tasks.len();
        let below = self.below(&task_id, limits::TREE_TASKS_MAX_COUNT - depth - 1)?;
        let ancestors = above.tasks.into_iter().rev().enumerate();
        let mut nodes: Vec<Node> = ancestors.map(|(depth, task)| Node::of(task, depth)).collect();
        add_with_children(&mut nodes, task, depth, below.tasks);
        Ok(Tree { task_id, nodes, truncated: above.is_cut || below.is_cut })
    }

    /// The ancestors, nearest first. A parent that has left by retention is nobody's any more.
    fn above(&self, task: &mut TreeTaskRow) -> Result<Found, Error> {
        let mut tasks: Vec<TreeTaskRow> = Vec::new();
        loop {
            let top = tasks.last_mut().unwrap_or(task);
            let Some(id) = top.parent_task_id.clone() else { return Ok(Found { tasks, is_cut: false }) };
            let Some(parent) = self.rows.tree_task(self.network, &id)? else {
                top.parent_task_id = None;
                return Ok(Found { tasks, is_cut: false });
            };
            if !self.reach.shows(parent.parties()) {
                return Ok(Found { tasks, is_cut: false });
            }
            if tasks.len() == limits::TREE_DEPTH_MAX_COUNT {
                return Ok(Found { tasks, is_cut: true });
            }
            tasks.push(parent);
        }
    }

    /// The descendants, level by level, as many as there is room for.
    fn below(&self, task: &TaskId, mut room: usize) -> Result<Found, Error> {
        let mut unexamined = limits::TREE_EXAMINED_COUNT;
        let (mut tasks, mut parents) = (Vec::new(), vec![task.clone()]);
        for _ in 0..limits::TREE_DEPTH_MAX_COUNT {
            let level = self.level(&parents, room, unexamined)?;
            (room, unexamined) = (room - level.tasks.len(), unexamined - level.examined);
            parents = level.tasks.iter().map(|task| task.task_id.clone()).collect();
            tasks.extend(level.tasks);
            if level.is_cut || parents.is_empty() {
                return Ok(Found { tasks, is_cut: level.is_cut });
            }
        }
        let deeper = self.level(&parents, 1, unexamined)?;
        Ok(Found { tasks, is_cut: deeper.is_cut || !deeper.tasks.is_empty() })
    }

    fn level(&self, parents: &[TaskId], limit: usize, examined: usize) -> Result<TreeLevel, Error> {
        let Self { rows, network, reach } = *self;
        Ok(rows.tree_level(&LevelFilter { network, reach, parents, limit, examined })?)
    }
}

impl Node {
    fn of(task: TreeTaskRow, depth: usize) -> Self {
        Self {
            task_id: task.task_id,
            parent_task_id: task.parent_task_id,
            from_name: task.from.name().to_owned(),
            to_name: task.to.as_str().to_owned(),
            kind: task.kind,
            status: task.status,
            created_at: WireTime(task.created_at),
            started_at: task.started_at.map(WireTime),
            completed_at: task.completed_at.map(WireTime),
            depth,
        }
    }
}

/// Adds a task, and after it each child with what is below it.
fn add_with_children(nodes: &mut Vec<Node>, task: TreeTaskRow, depth: usize, below: Vec<TreeTaskRow>) {
    let mut children: HashMap<TaskId, Vec<TreeTaskRow>> = HashMap::new();
    for child in below {
        if let Some(parent) = &child.parent_task_id {
            children.entry(parent.clone()).or_default().push(child);
        }
    }
    let mut waiting = vec![(task, depth)];
    while let Some((task, depth)) = waiting.pop() {
        let next = children.remove(&task.task_id).unwrap_or_default();
        waiting.extend(next.into_iter().rev().map(|child| (child, depth + 1)));
        nodes.push(Node::of(task, depth));
    }
}

/// The open descendants of a task, no matter who sent them.
pub(super) struct OpenBelow {
    /// The nearest levels first.
    pub(super) tasks: Vec<TaskId>,
    /// How many descendants were examined, ended ones too: there may be open ones below them.
    pub(super) examined: usize,
    /// Whether there may be more.
    pub(super) is_cut: bool,
}

/// Finds them, level by level, until there are as many as asked for.
pub(super) fn open_below(
    rows: &dyn Snapshot,
    network: &NetworkId,
    task: &TaskId,
    most: usize,
) -> Result<OpenBelow, Error> {
    let walk = Walk { rows, network, reach: &TaskReach::Network };
    let mut below = OpenBelow { tasks: Vec::new(), examined: 0, is_cut: false };
    let mut parents = vec![task.clone()];
    // Each round examines a task at least, so the bound on those ends this.
    while !parents.is_empty() && !below.is_cut {
        let left = limits::TREE_EXAMINED_COUNT - below.examined;
        let level = walk.level(&parents, left, left)?;
        below.examined += level.examined;
        below.is_cut = level.is_cut;
        let open = level.tasks.iter().filter(|task| !task.status.is_terminal());
        below.tasks.extend(open.map(|task| task.task_id.clone()));
        if below.tasks.len() >= most {
            below.tasks.truncate(most);
            below.is_cut = true;
        }
        parents = level.tasks.into_iter().map(|task| task.task_id).collect();
    }
    Ok(below)
}

#[cfg(test)]
mod tests;
