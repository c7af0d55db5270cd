//! `baton task tree`: what a task is part of and what it led to, indented, with each task's status and duration.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::{Screen, note};
use crate::cli::table::{Cell, Table};
use crate::client::tasks::{self, TreeNode};
use crate::service::WireTime;

#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// The task's id, or its beginning
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Tree {
    pub(super) async fn show(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let answer = link.client.task_tree(&id).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.table(&table(&answer.tree, screen.is_terminal()))?;
        if answer.tree.truncated {
            note("the tree has more tasks than are shown here");
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(tree: &tasks::Tree, is_terminal: bool) -> Table {
    let mut table = Table::new(&["ID", "STATUS", "TOOK", "AGENT"]);
    let ids = task_id::shown(tree.nodes.iter().map(|node| &*node.task_id), is_terminal);
    for (node, id) in tree.nodes.iter().zip(ids) {
        let mark = if node.task_id == tree.task_id { " (this task)" } else { "" };
        let agent = format!("{}{}{mark}", "  ".repeat(node.depth), node.to_name);
        table.row([Cell::id(id), Cell::status(node.status.as_str()), took(node).into(), agent.into()]);
    }
    table
}

/// From when it was sent to its end, or until now.
fn took(node: &TreeNode) -> String {
    let end = node.completed_at.unwrap_or_else(|| WireTime(moment::now()));
    moment::between(node.created_at, end)
}
