//! Receivers of events in SQL.

use baton_core::{NetworkId, TaskId, TokenId, UnixMillis, UserId};
use rusqlite::params;

use super::columns::{Row, get, optional, optional_time, parsed, principal, time};
use super::history;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{EventRow, PushConfigRow, PushFailures, PushReads, PushSecrets, PushWrites};

fn config_row(row: &Row<'_>) -> Result<PushConfigRow, Error> {
    Ok(PushConfigRow {
        task_id: parsed(row, "task_id", TaskId::parse)?,
        config_id: get(row, "config_id")?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        owner: principal(row, "owner_kind", "owner")?,
        user_id: parsed(row, "user_id", UserId::parse)?,
        token_id: optional(row, "token_id", TokenId::parse)?,
        url: get(row, "url")?,
        secrets: PushSecrets {
            token: get(row, "token")?,
            scheme: get(row, "scheme")?,
            credentials: get(row, "credentials")?,
        },
        created_at: time(row, "created_at")?,
        delivered: get(row, "delivered")?,
        trouble: PushFailures {
            failures: get(row, "failures")?,
            failing_since: optional_time(row, "failing_since")?,
            next_at: optional_time(row, "next_at")?,
        },
        is_open: get(row, "is_open")?,
    })
}

impl PushReads for Rows<'_> {
    fn push_config(&self, task: &TaskId, config_id: &str) -> Result<Option<PushConfigRow>, Error> {
        let sql = "SELECT * FROM push_configs WHERE task_id = ?1 AND config_id = ?2";
        self.one(sql, params![task.as_str(), config_id], config_row)
    }

    fn push_configs(&self, task: &TaskId) -> Result<Vec<PushConfigRow>, Error> {
        let sql = "SELECT * FROM push_configs WHERE task_id = ?1 ORDER BY config_id";
        self.all(sql, [task.as_str()], config_row)
    }

    fn tasks_with_open_pushes(&self, after: &str, limit: usize) -> Result<Vec<TaskId>, Error> {
        let sql = "SELECT DISTINCT task_id FROM push_configs INDEXED BY push_configs_open
                   WHERE is_open AND task_id > ?1 ORDER BY task_id LIMIT ?2";
        self.all(sql, params![after, limit as i64], |row| parsed(row, "task_id", TaskId::parse))
    }

    fn network_with_failing_pushes(&self, after: &str) -> Result<Option<NetworkId>, Error> {
        let sql = "SELECT network_id FROM push_configs INDEXED BY push_configs_failing
                   WHERE next_at IS NOT NULL AND network_id > ?1 ORDER BY network_id LIMIT 1";
        self.one(sql, [after], |row| parsed(row, "network_id", NetworkId::parse))
    }

    fn due_pushes(
        &self,
        network: &NetworkId,
        now: UnixMillis,
        after: Option<&PushConfigRow>,
        limit: usize,
    ) -> Result<Vec<PushConfigRow>, Error> {
        let sql = "SELECT * FROM push_configs INDEXED BY push_configs_failing
                   WHERE network_id = ?1 AND next_at IS NOT NULL AND next_at <= ?2
                     AND (next_at, task_id, config_id) > (?3, ?4, ?5)
                   ORDER BY next_at, task_id, config_id LIMIT ?6";
        let at = after.and_then(|row| row.trouble.next_at).map_or(i64::MIN, UnixMillis::get);
        let (task, config) = after.map_or(("", ""), |row| (row.task_id.as_str(), &*row.config_id));
        self.all(sql, params![network.as_str(), now.get(), at, task, config, limit as i64], config_row)
    }

    fn event_after(&self, task: &TaskId, n: i64) -> Result<Option<EventRow>, Error> {
        history::after(self, task, n)
    }
}

impl PushWrites for Rows<'_> {
    fn put_push_config(&mut self, config: &PushConfigRow) -> Result<(), Error> {
        self.execute_in(
            &config.network_id,
            "INSERT INTO push_configs (task_id, config_id, network_id, owner_kind, owner, user_id, token_id,
                url, token, scheme, credentials, created_at, delivered, failures, failing_since, next_at, is_open)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             ON CONFLICT (task_id, config_id) DO UPDATE SET network_id = excluded.network_id,
                owner_kind = excluded.owner_kind, owner = excluded.owner, user_id = excluded.user_id,
                token_id = excluded.token_id, url = excluded.url, token = excluded.token,
                scheme = excluded.scheme, credentials = excluded.credentials, created_at = excluded.created_at,
                delivered = excluded.delivered, failures = excluded.failures,
                failing_since = excluded.failing_since, next_at = excluded.next_at, is_open = excluded.is_open",
            params![
                config.task_id.as_str(),
                config.config_id,
                config.network_id.as_str(),
                config.owner.kind().as_str(),
                config.owner.name(),
                config.user_id.as_str(),
                config.token_id.as_ref().map(TokenId::as_str),
                config.url,
                config.secrets.token,
                config.secrets.scheme,
                config.secrets.credentials,
                config.created_at.get(),
                config.delivered,
                config.trouble.failures,
                config.trouble.failing_since.map(UnixMillis::get),
                config.trouble.next_at.map(UnixMillis::get),
                config.is_open,
            ],
        )?;
        Ok(())
    }

    fn delete_push_config(&mut self, task: &TaskId, config_id: &str) -> Result<bool, Error> {
        let sql = "SELECT network_id FROM push_configs WHERE task_id = ?1 AND config_id = ?2";
        let network = self
            .one(sql, params![task.as_str(), config_id], |row| parsed(row, "network_id", NetworkId::parse))?;
        let Some(network) = network else { return Ok(false) };
        let sql = "DELETE FROM push_configs WHERE task_id = ?1 AND config_id = ?2";
        Ok(self.execute_in(&network, sql, params![task.as_str(), config_id])? > 0)
    }

    fn note_push(
        &mut self,
        config: &PushConfigRow,
        delivered: i64,
        trouble: PushFailures,
        is_open: bool,
    ) -> Result<(), Error> {
        self.execute_beside(
            &config.network_id,
            "UPDATE push_configs SET delivered = ?4, failures = ?5, failing_since = ?6, next_at = ?7, is_open = ?8,
                token = CASE WHEN ?8 THEN token END, credentials = CASE WHEN ?8 THEN credentials END
             WHERE task_id = ?1 AND config_id = ?2 AND created_at = ?3",
            params![
                config.task_id.as_str(),
                config.config_id,
                config.created_at.get(),
                delivered,
                trouble.failures,
                trouble.failing_since.map(UnixMillis::get),
                trouble.next_at.map(UnixMillis::get),
                is_open,
            ],
        )?;
        Ok(())
    }
}
