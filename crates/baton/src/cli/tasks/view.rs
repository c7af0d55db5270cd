//! Tables of tasks, agents and deliveries, the same in every command.

use crate::cli::moment;
use crate::cli::table::{Cell, Table};
use crate::client::agents::Agent;
use crate::client::tasks::{Delivery, StatusCount, Task};

use super::task_id;

pub(super) fn tasks(tasks: &[Task], is_terminal: bool) -> Table {
    let mut table = Table::new(&["ID", "STATUS", "FROM", "TO", "SENT", "TASK"]);
    let ids = task_id::shown(tasks.iter().map(|task| &*task.task_id), is_terminal);
    for (task, id) in tasks.iter().zip(ids) {
        table.row([
            Cell::id(id),
            Cell::status(task.status.as_str()),
            (&task.from_name).into(),
            (&task.to_name).into(),
            moment::ago(task.created_at).into(),
            (&task.content).into(),
        ]);
    }
    table
}

pub(super) fn agents(agents: &[Agent]) -> Table {
    let mut table = Table::new(&["AGENT", "STATUS", "PROGRESS", "QUEUE", "DAY", "P50", "SEEN", "WORKS ON"]);
    for agent in agents {
        let progress = agent.progress.map(|percent| format!("{percent} %"));
        table.row([
            name(agent).into(),
            Cell::status(&agent.status),
            progress.unwrap_or_default().into(),
            agent.queue.to_string().into(),
            day(agent).into(),
            agent.day.p50_seconds.map(moment::short_seconds).unwrap_or_default().into(),
            agent.last_seen_at.map(moment::ago).unwrap_or_default().into(),
            works_on(agent).into(),
        ]);
    }
    table
}

/// `coder`, or `coder (2 workers)`.
fn name(agent: &Agent) -> String {
    match agent.workers.len() {
        0 | 1 => agent.alias.clone(),
        count => format!("{} ({count} workers)", agent.alias),
    }
}

/// `97 % of 120`; all of them is 100 %, and nothing less.
fn day(agent: &Agent) -> String {
    match agent.day.ended {
        0 => String::new(),
        ended => format!("{} % of {ended}", agent.day.replied * 100 / ended),
    }
}

/// The newest task an agent works on, and how many more there are; or what its session says.
fn works_on(agent: &Agent) -> String {
    let more = agent.leases.max(agent.works_on.len()).saturating_sub(1);
    match agent.works_on.first() {
        Some(task) if more > 0 => format!("{} (+{more}) {}", task.task_id, task.content),
        Some(task) => format!("{} {}", task.task_id, task.content),
        None => {
            let session = agent.session.as_ref().filter(|_| agent.status == "working");
            session.and_then(|session| session.task.clone()).unwrap_or_default()
        }
    }
}

pub(super) fn deliveries(messages: &[Delivery]) -> Table {
    let mut table = Table::new(&["ID", "TYPE", "PRIORITY", "FROM", "CAME", "TEXT"]);
    for message in messages {
        table.row([
            Cell::id(&message.id),
            (&message.kind).into(),
            message.priority.as_str().into(),
            (&message.from_session).into(),
            moment::ago(message.created_at).into(),
            (&message.content).into(),
        ]);
    }
    table
}

/// `3 delivered, 8 replied`.
pub(super) fn counts(stats: &[StatusCount]) -> String {
    if stats.is_empty() {
        return "none".into();
    }
    stats.iter().map(|counted| format!("{} {}", counted.count, counted.status)).collect::<Vec<_>>().join(", ")
}
