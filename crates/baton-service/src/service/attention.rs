//! What somebody should look at in a network: a bounded look at its oldest open and newest failed tasks. Which of them
//! are of concern is `baton_core::attention`'s to say.

use baton_core::attention::{AttentionReason, Group, WatchedTask, concerns};
use baton_core::{NetworkId, Presence, Status, TaskId, limits};
use baton_store::Snapshot;
use baton_store::rows::{End, TaskSummaryRow};
use serde::Serialize;
use utoipa::ToSchema;

use super::stamp::Stamp;
use super::task_view::StatusCount;
use super::{Error, WireTime, presence};

/// The groups.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct Attention {
    waiting_input: AttentionList,
    stuck: AttentionList,
    failing: AttentionList,
    expiring: AttentionList,
}

/// One group: how many, and the first of them.
#[derive(Debug, Default, Serialize, ToSchema)]
struct AttentionList {
    count: i64,
    /// There were more tasks than are looked at.
    count_is_at_least: bool,
    tasks: Vec<Task>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AttentionTask)]
struct Task {
    task_id: TaskId,
    from_name: String,
    to_name: String,
    status: Status,
    why: String,
    created_at: WireTime,
    expires_at: WireTime,
    /// The beginning of its text, read once it is known that the task is shown.
    title: String,
    /// The lowest first: the oldest, the next to expire, the last to fail.
    #[serde(skip)]
    pressing: i64,
}

/// What is looked at, the oldest open tasks and those that failed last.
fn looked_at() -> impl Iterator<Item = (Status, End)> {
    let others = Status::open().filter(|status| *status != Status::WaitingInput);
    let open = std::iter::once(Status::WaitingInput).chain(others);
    let failed = Status::terminal().filter(|status| status.is_failure());
    open.map(|status| (status, End::Oldest)).chain(failed.map(|status| (status, End::Newest)))
}

pub(super) fn of_network(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    network: &NetworkId,
    by_status: &[StatusCount],
) -> Result<Attention, Error> {
    let mut attention = Attention::default();
    for (status, end) in looked_at() {
        // One more than is looked at says that there are more.
        let tasks = rows.glances(network, status, end, limits::ATTENTION_EXAMINED_COUNT + 1)?;
        for task in tasks.iter().take(limits::ATTENTION_EXAMINED_COUNT) {
            for concern in concerns(&watched(rows, stamp, network, task)?, stamp.time.now) {
                attention.group(concern.group()).add(task, concern);
            }
        }
        if tasks.len() > limits::ATTENTION_EXAMINED_COUNT {
            attention.bound(status);
        }
    }
    attention.settle(rows)?;
    // Of these there is a counter.
    let waiting = by_status.iter().find(|counted| counted.status == Status::WaitingInput);
    attention.waiting_input.count = waiting.map_or(0, |counted| counted.count);
    Ok(attention)
}

impl Attention {
    fn group(&mut self, group: Group) -> &mut AttentionList {
        match group {
            Group::WaitingInput => &mut self.waiting_input,
            Group::Stuck => &mut self.stuck,
            Group::Failing => &mut self.failing,
            Group::Expiring => &mut self.expiring,
        }
    }

    /// Shows the most pressing of each group; only their texts are read.
    fn settle(&mut self, rows: &dyn Snapshot) -> Result<(), Error> {
        for listed in [&mut self.waiting_input, &mut self.stuck, &mut self.failing, &mut self.expiring] {
            listed.tasks.sort_by_key(|task| task.pressing);
            listed.tasks.truncate(limits::ATTENTION_SHOWN_COUNT);
            for task in &mut listed.tasks {
                task.title = rows.title(&task.task_id)?.unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Not every task of a status was looked at.
    fn bound(&mut self, status: Status) {
        match status {
            status if status.is_failure() => self.failing.count_is_at_least = true,
            Status::WaitingInput => self.expiring.count_is_at_least = true,
            _ => {
                self.stuck.count_is_at_least = true;
                self.expiring.count_is_at_least = true;
            }
        }
    }
}

impl AttentionList {
    fn add(&mut self, task: &TaskSummaryRow, concern: AttentionReason) {
        self.count += 1;
        self.tasks.push(Task {
            task_id: task.task_id.clone(),
            from_name: task.from.name().to_owned(),
            to_name: task.to.as_str().to_owned(),
            status: task.status,
            why: concern.to_string(),
            created_at: task.created_at.into(),
            expires_at: task.expires_at.into(),
            title: String::new(),
            pressing: match concern.group() {
                Group::WaitingInput | Group::Stuck => task.created_at.get(),
                Group::Expiring => task.expires_at.get(),
                Group::Failing => -task.changed_at.get(),
            },
        });
    }
}

fn watched(
    rows: &dyn Snapshot,
    stamp: &Stamp,
    network: &NetworkId,
    task: &TaskSummaryRow,
) -> Result<WatchedTask, Error> {
    // Whether its agent is there is only asked where it decides.
    let assignee = match task.status == Status::Running && !task.is_leased {
        true => stamp.presences.of_worker(presence::of_agent(rows, stamp, network, &task.to)?),
        false => Presence::NONE,
    };
    Ok(WatchedTask {
        status: task.status,
        delivered_at: task.delivered_at,
        changed_at: task.changed_at,
        expires_at: task.expires_at,
        attempt: task.attempt,
        max_attempts: task.max_attempts,
        is_leased: task.is_leased,
        assignee,
    })
}
