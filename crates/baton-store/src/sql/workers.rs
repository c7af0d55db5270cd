//! Workers in SQL. Their count is kept by triggers, and so is that a revoked token has none; see the migration.

use baton_core::{Alias, NetworkId, TokenId, UnixMillis};
use rusqlite::params;

use super::columns::{Row, get, parsed, time};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{WorkerReads, WorkerRow, WorkerSummaryRow, WorkerWrites};

fn worker_row(row: &Row<'_>) -> Result<WorkerRow, Error> {
    Ok(WorkerRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        worker_id: get(row, "worker_id")?,
        token_id: parsed(row, "token_id", TokenId::parse)?,
        hostname: get(row, "hostname")?,
        project_dir: get(row, "project_dir")?,
        version: get(row, "version")?,
        concurrency: get(row, "concurrency")?,
        description: get(row, "description")?,
        skills: get(row, "skills")?,
        started_at: time(row, "started_at")?,
        last_seen_at: time(row, "last_seen_at")?,
    })
}

fn glance_row(row: &Row<'_>) -> Result<WorkerSummaryRow, Error> {
    Ok(WorkerSummaryRow {
        worker_id: get(row, "worker_id")?,
        hostname: get(row, "hostname")?,
        project_dir: get(row, "project_dir")?,
        version: get(row, "version")?,
        concurrency: get(row, "concurrency")?,
        started_at: time(row, "started_at")?,
        last_seen_at: time(row, "last_seen_at")?,
    })
}

impl WorkerReads for Rows<'_> {
    fn worker(
        &self,
        network: &NetworkId,
        alias: &Alias,
        worker_id: &str,
    ) -> Result<Option<WorkerRow>, Error> {
        let sql = "SELECT * FROM workers WHERE network_id = ?1 AND alias = ?2 AND worker_id = ?3";
        self.one(sql, params![network.as_str(), alias.as_str(), worker_id], worker_row)
    }

    fn workers(
        &self,
        network: &NetworkId,
        alias: &Alias,
        limit: usize,
    ) -> Result<Vec<WorkerSummaryRow>, Error> {
        let sql = "SELECT worker_id, hostname, project_dir, version, concurrency, started_at, last_seen_at
                   FROM workers WHERE network_id = ?1 AND alias = ?2
                   ORDER BY last_seen_at DESC, worker_id LIMIT ?3";
        self.all(sql, params![network.as_str(), alias.as_str(), limit as i64], glance_row)
    }
}

impl WorkerWrites for Rows<'_> {
    fn put_worker(&mut self, worker: &WorkerRow, most: usize) -> Result<(), Error> {
        let (network, alias) = (worker.network_id.as_str(), worker.alias.as_str());
        self.execute_beside(
            &worker.network_id,
            "INSERT INTO workers (network_id, alias, worker_id, token_id, hostname, project_dir, version, concurrency,
                description, skills, started_at, last_seen_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (network_id, alias, worker_id) DO UPDATE SET token_id = excluded.token_id,
                hostname = excluded.hostname, project_dir = excluded.project_dir, version = excluded.version,
                concurrency = excluded.concurrency, description = excluded.description, skills = excluded.skills,
                started_at = excluded.started_at, last_seen_at = excluded.last_seen_at",
            params![
                network,
                alias,
                worker.worker_id,
                worker.token_id.as_str(),
                worker.hostname,
                worker.project_dir,
                worker.version,
                worker.concurrency,
                worker.description,
                worker.skills,
                worker.started_at.get(),
                worker.last_seen_at.get(),
            ],
        )?;
        let sql = "DELETE FROM workers WHERE network_id = ?1 AND alias = ?2 AND worker_id IN
                   (SELECT worker_id FROM workers WHERE network_id = ?1 AND alias = ?2
                    ORDER BY last_seen_at DESC, worker_id = ?3 DESC LIMIT 9223372036854775807 OFFSET ?4)";
        self.execute_beside(&worker.network_id, sql, params![network, alias, worker.worker_id, most as i64])?;
        Ok(())
    }

    fn remove_worker(&mut self, network: &NetworkId, alias: &Alias, worker_id: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM workers WHERE network_id = ?1 AND alias = ?2 AND worker_id = ?3";
        Ok(self.execute_beside(network, sql, params![network.as_str(), alias.as_str(), worker_id])? > 0)
    }

    fn forget_workers(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        let sql = "DELETE FROM workers WHERE (network_id, alias, worker_id) IN
                   (SELECT network_id, alias, worker_id FROM workers WHERE last_seen_at < ?1 LIMIT ?2)";
        self.execute(sql, params![before.get(), limit as i64])
    }
}
