//! Tables of tasks, agents and deliveries, the same in every command.

use crate::cli::moment;
use crate::cli::table::{Cell, Table};
use crate::client::tasks::{Delivery, Session, StatusCount, Task};

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

pub(super) fn agents(sessions: &[Session]) -> Table {
    let mut table = Table::new(&["AGENT", "STATUS", "PROGRESS", "SEEN", "WORKS ON"]);
    for session in sessions {
        let is_working = session.status == "working";
        let progress = session.progress.filter(|_| is_working).map(|percent| format!("{percent} %"));
        table.row([
            (&session.alias).into(),
            Cell::status(&session.status),
            progress.unwrap_or_default().into(),
            moment::ago(session.last_seen_at).into(),
            session.task.as_deref().filter(|_| is_working).unwrap_or_default().into(),
        ]);
    }
    table
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
