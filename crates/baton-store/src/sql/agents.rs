//! A network's agents as a whole, in SQL.

use baton_core::{Alias, NetworkId, Status, TaskId, UnixMillis};
use rusqlite::params;
use std::collections::HashMap;
use std::ops::Range;

use super::columns::{Row, get, optional_time, parsed, principal, time};
use super::edges::{counts, durations};
use super::ends::each;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{AgentFigures, AgentReads, AgentRow, ProgressRow, WorkedTask};

fn agent_row(row: &Row<'_>) -> Result<AgentRow, Error> {
    Ok(AgentRow {
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        last_used_at: optional_time(row, "last_used_at")?,
        queue: get(row, "queue")?,
        leases: get(row, "leases")?,
        has_session: get(row, "has_session")?,
        has_worker: get(row, "has_worker")?,
    })
}

fn worked_task(row: &Row<'_>) -> Result<WorkedTask, Error> {
    Ok(WorkedTask {
        task_id: parsed(row, "task_id", TaskId::parse)?,
        from: principal(row, "from_kind", "from_name")?,
        to: parsed(row, "to_name", |text| Alias::parse(text).ok())?,
        attempt: get(row, "attempt")?,
        since: time(row, "since")?,
        progress: optional_time(row, "progress_at")?.map(|at| progress(row, at)).transpose()?,
    })
}

fn progress(row: &Row<'_>, at: UnixMillis) -> Result<ProgressRow, Error> {
    Ok(ProgressRow {
        n: get(row, "progress_n")?,
        event: get(row, "progress_event")?,
        percent: get(row, "progress_percent")?,
        message: get(row, "progress_message")?,
        at,
    })
}

/// The figures of one edge in one hour, for its assignee.
fn figures(row: &Row<'_>) -> Result<(Alias, AgentFigures), Error> {
    let alias = parsed(row, "to_name", |text| Alias::parse(text).ok())?;
    Ok((alias, AgentFigures { counts: counts(row)?, durations: durations(row)? }))
}

impl AgentReads for Rows<'_> {
    fn agents(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        limit: usize,
    ) -> Result<Vec<AgentRow>, Error> {
        let sql = "SELECT a.alias,
                       (SELECT MAX(t.last_used_at) FROM tokens t
                        WHERE t.network_id = a.network_id AND t.alias = a.alias AND t.revoked_at IS NULL) AS last_used_at,
                       COALESCE(c.count, 0) AS queue, COALESCE(c.leases, 0) AS leases,
                       EXISTS (SELECT 1 FROM sessions s
                               WHERE s.network_id = a.network_id AND s.alias = a.alias) AS has_session,
                       EXISTS (SELECT 1 FROM workers w
                               WHERE w.network_id = a.network_id AND w.alias = a.alias) AS has_worker
                   FROM aliases a LEFT JOIN inbox_counts c
                       ON c.network_id = a.network_id AND c.to_kind = 'node' AND c.to_name = a.alias
                   WHERE a.network_id = ?1 AND a.alias > ?2 ORDER BY a.alias LIMIT ?3";
        let after = after.map_or("", Alias::as_str);
        self.all(sql, params![network.as_str(), after, limit as i64], agent_row)
    }

    fn worked_tasks(&self, network: &NetworkId, limit: usize) -> Result<Vec<WorkedTask>, Error> {
        // The lease is asked for outside: asked for inside, the walk would continue past the limit.
        let sql = "SELECT * FROM
                       (SELECT task_id, from_kind, from_name, to_name, attempt, lease_id, progress_n, progress_event,
                            progress_percent, progress_message, progress_at,
                            COALESCE(started_at, delivered_at) AS since
                        FROM tasks WHERE network = ?1 AND status = ?2 ORDER BY seq DESC LIMIT ?3) worked_subquery
                   WHERE ?4 OR lease_id IS NOT NULL";
        let key = self.key(network)?;
        let mut tasks = Vec::new();
        for (status, without_lease) in [(Status::Running, true), (Status::WaitingInput, false)] {
            let parameters = params![key, status.as_str(), limit as i64, without_lease];
            tasks.extend(self.all(sql, parameters, worked_task)?);
        }
        Ok(tasks)
    }

    fn figures_of_agents(
        &self,
        network: &NetworkId,
        hours: Range<i64>,
    ) -> Result<HashMap<Alias, AgentFigures>, Error> {
        let sql = format!(
            "SELECT to_name, open{}, durations FROM edges
             WHERE network_id = ?1 AND hour >= ?2 AND hour < ?3 AND from_kind <> ''",
            each(|end| format!(", {end}"))
        );
        let rows = self.all(&sql, params![network.as_str(), hours.start, hours.end], figures)?;
        let mut agents: HashMap<Alias, AgentFigures> = HashMap::new();
        for (alias, of_edge) in rows {
            let all = agents.entry(alias).or_default();
            all.counts.add(&of_edge.counts);
            all.durations.add(&of_edge.durations);
        }
        Ok(agents)
    }
}
