//! Agents of others in SQL.

use baton_core::{Alias, LeaseId, NetworkId, TaskId, TokenId};
use rusqlite::{Row, params};

use super::columns::{get, optional, parsed, time};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{RemoteCredential, RemoteReads, RemoteRow, RemoteTaskRow, RemoteWrites};

fn remote_row(row: &Row<'_>) -> Result<RemoteRow, Error> {
    Ok(RemoteRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        card_url: get(row, "card_url")?,
        credential: get::<Option<String>>(row, "credential")?.map(RemoteCredential),
        token_id: parsed(row, "token_id", TokenId::parse)?,
        created_by: get(row, "created_by")?,
        created_at: time(row, "created_at")?,
    })
}

fn remote_task_row(row: &Row<'_>) -> Result<RemoteTaskRow, Error> {
    Ok(RemoteTaskRow {
        task_id: parsed(row, "task_id", TaskId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        lease_id: optional(row, "lease_id", LeaseId::parse)?,
        remote_task_id: get(row, "remote_task_id")?,
        remote_context_id: get(row, "remote_context_id")?,
        asked: get(row, "asked")?,
        passed_on: get(row, "passed_on")?,
        began_at: time(row, "began_at")?,
    })
}

impl RemoteReads for Rows<'_> {
    fn remote(&self, network: &NetworkId, alias: &Alias) -> Result<Option<RemoteRow>, Error> {
        let sql = "SELECT * FROM remotes WHERE network_id = ?1 AND alias = ?2";
        self.one(sql, params![network.as_str(), alias.as_str()], remote_row)
    }

    fn remotes(&self, network: &NetworkId, limit: usize) -> Result<Vec<RemoteRow>, Error> {
        let sql = "SELECT * FROM remotes WHERE network_id = ?1 ORDER BY alias LIMIT ?2";
        self.all(sql, params![network.as_str(), limit as i64], remote_row)
    }

    fn all_remotes(&self) -> Result<Vec<RemoteRow>, Error> {
        self.all("/* scans */ SELECT * FROM remotes", [], remote_row)
    }

    fn remote_task(&self, task: &TaskId) -> Result<Option<RemoteTaskRow>, Error> {
        self.one("SELECT * FROM remote_tasks WHERE task_id = ?1", [task.as_str()], remote_task_row)
    }

    fn remote_tasks(&self, network: &NetworkId, alias: &Alias) -> Result<Vec<RemoteTaskRow>, Error> {
        let sql = "SELECT * FROM remote_tasks WHERE network_id = ?1 AND alias = ?2";
        self.all(sql, params![network.as_str(), alias.as_str()], remote_task_row)
    }
}

impl RemoteWrites for Rows<'_> {
    fn insert_remote(&mut self, remote: &RemoteRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO remotes (network_id, alias, card_url, credential, token_id, created_by, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                remote.network_id.as_str(),
                remote.alias.as_str(),
                remote.card_url,
                remote.credential.as_ref().map(|credential| &credential.0),
                remote.token_id.as_str(),
                remote.created_by,
                remote.created_at.get(),
            ],
        )?;
        Ok(())
    }

    fn delete_remote(&mut self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        let sql = "DELETE FROM remote_tasks WHERE network_id = ?1 AND alias = ?2";
        self.execute(sql, params![network.as_str(), alias.as_str()])?;
        let sql = "DELETE FROM remotes WHERE network_id = ?1 AND alias = ?2";
        Ok(self.execute(sql, params![network.as_str(), alias.as_str()])? > 0)
    }

    fn put_remote_task(&mut self, task: &RemoteTaskRow) -> Result<(), Error> {
        self.execute(
            "INSERT OR REPLACE INTO remote_tasks (task_id, network_id, alias, lease_id, remote_task_id,
                remote_context_id, asked, passed_on, began_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                task.task_id.as_str(),
                task.network_id.as_str(),
                task.alias.as_str(),
                task.lease_id.as_ref().map(LeaseId::as_str),
                task.remote_task_id,
                task.remote_context_id,
                task.asked,
                task.passed_on,
                task.began_at.get(),
            ],
        )?;
        Ok(())
    }

    fn delete_remote_task(&mut self, task: &TaskId) -> Result<(), Error> {
        self.execute("DELETE FROM remote_tasks WHERE task_id = ?1", [task.as_str()])?;
        Ok(())
    }
}
