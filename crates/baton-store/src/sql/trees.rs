//! Trees of tasks in SQL, along the index of tasks by their parent.

use baton_core::access::TaskReach;
use baton_core::{Alias, NetworkId, Status, TaskId, TaskSnapshot};
use rusqlite::params;

use super::columns::{Row, get, optional, optional_time, parsed, principal, time};
use super::rows::Rows;
use super::task_row::Task;
use crate::error::Error;
use crate::rows::{LevelFilter, TreeLevel, TreeReads, TreeTaskRow, kind_of};

/// What is read of a task, without its texts.
macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT t.task_id, t.parent_task_id, t.from_kind, t.from_name, t.to_name, t.kind, t.status,
                 t.created_at, t.started_at, t.completed_at
             FROM ",
            $from
        )
    };
}

fn tree_task(row: &Row<'_>) -> Result<TreeTaskRow, Error> {
    Ok(TreeTaskRow {
        task_id: parsed(row, "task_id", TaskId::parse)?,
        parent_task_id: optional(row, "parent_task_id", TaskId::parse)?,
        from: principal(row, "from_kind", "from_name")?,
        to: parsed(row, "to_name", |text| Alias::parse(text).ok())?,
        kind: kind_of(&get::<String>(row, "kind")?)?,
        status: parsed(row, "status", Status::parse)?,
        created_at: time(row, "created_at")?,
        started_at: optional_time(row, "started_at")?,
        completed_at: optional_time(row, "completed_at")?,
    })
}

/// The same of a task that is in memory.
fn of_known(task: &Task) -> TreeTaskRow {
    let TaskSnapshot { id, from, to, kind, status, .. } = task.row.snapshot.clone();
    TreeTaskRow {
        task_id: id,
        parent_task_id: task.parent_task_id.clone(),
        from,
        to,
        kind,
        status,
        created_at: task.row.created_at,
        started_at: task.row.started_at,
        completed_at: task.row.completed_at,
    }
}

impl TreeReads for Rows<'_> {
    fn tree_task(&self, network: &NetworkId, id: &TaskId) -> Result<Option<TreeTaskRow>, Error> {
        let known = self.work().and_then(|work| work.borrow().task(id));
        if let Some(own) = known.filter(|task| task.row.snapshot.network_id == *network) {
            return Ok(Some(of_known(&own)));
        }
        let sql = select!(
            "tasks t WHERE t.task_id = ?1 AND t.network = ?2
                 AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)"
        );
        self.look_up(sql, params![id.as_str(), self.key(network)?], tree_task)
    }

    fn tree_level(&self, filter: &LevelFilter<'_>) -> Result<TreeLevel, Error> {
        let sql = select!(
            "tasks t INDEXED BY tasks_by_parent
             WHERE t.parent_task_id = ?1 AND t.network = ?2 ORDER BY t.seq LIMIT ?3"
        );
        let (network, mut level) = (self.key(filter.network)?, TreeLevel::default());
        for parent in filter.parents {
            let unexamined = filter.examined - level.examined;
            // One more than fits shows that there are more.
            let most = match filter.reach {
                TaskReach::Network => unexamined.min(filter.limit - level.tasks.len()) + 1,
                TaskReach::Own(_) => unexamined + 1,
            };
            let children = self.all(sql, params![parent.as_str(), network, most as i64], tree_task)?;
            for child in children {
                if level.examined == filter.examined || level.tasks.len() == filter.limit {
                    level.is_cut = true;
                    return Ok(level);
                }
                level.examined += 1;
                if filter.reach.shows(child.parties()) {
                    level.tasks.push(child);
                }
            }
        }
        Ok(level)
    }
}
