//! Remote agents in SQL.

use baton_core::{Alias, LeaseId, MessageId, NetworkId, TaskId, TokenId};
use rusqlite::params;

use super::columns::{Row, get, optional, parsed, time};
use super::query::Parameters;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{Page, PageBounds, RemoteCredential, RemoteReads, RemoteRow, RemoteTaskRow, RemoteWrites};

fn remote_row(row: &Row<'_>) -> Result<RemoteRow, Error> {
    Ok(RemoteRow {
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        card_url: get(row, "card_url")?,
        credential: get::<Option<String>>(row, "credential")?.map(RemoteCredential),
        token_id: parsed(row, "token_id", TokenId::parse)?,
        created_by: get(row, "created_by")?,
        created_at: time(row, "created_at")?,
        pinned_key: get(row, "pinned_key")?,
        card_error: get(row, "card_error")?,
    })
}

fn remote_task_row(row: &Row<'_>) -> Result<RemoteTaskRow, Error> {
    Ok(RemoteTaskRow {
        errand_id: parsed(row, "errand_id", MessageId::parse)?,
        task_id: parsed(row, "task_id", TaskId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
        lease_id: optional(row, "lease_id", LeaseId::parse)?,
        remote_task_id: get(row, "remote_task_id")?,
        remote_context_id: get(row, "remote_context_id")?,
        asked: get(row, "asked")?,
        passed_on: get(row, "passed_on")?,
        answer: get(row, "answer")?,
        unanswered: get(row, "unanswered")?,
        began_at: time(row, "began_at")?,
        is_called_off: get(row, "is_called_off")?,
    })
}

impl RemoteReads for Rows<'_> {
    fn remote(&self, network: &NetworkId, alias: &Alias) -> Result<Option<RemoteRow>, Error> {
        let sql = "SELECT * FROM remotes WHERE network_id = ?1 AND alias = ?2";
        self.one(sql, params![network.as_str(), alias.as_str()], remote_row)
    }

    fn remotes(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        bounds: PageBounds,
    ) -> Result<Page<RemoteRow, Alias>, Error> {
        let sql = "SELECT * FROM remotes WHERE network_id = ?1 AND alias > ?2 ORDER BY alias LIMIT ?3";
        let parameters = params![network.as_str(), after.map_or("", Alias::as_str), bounds.looked_at()];
        self.page(sql, parameters, bounds, remote_row, |row| row.alias.clone())
    }

    fn all_remotes(&self) -> Result<Vec<RemoteRow>, Error> {
        self.all("/* scans */ SELECT * FROM remotes", params![], remote_row)
    }

    fn remote_task(&self, errand: &MessageId) -> Result<Option<RemoteTaskRow>, Error> {
        self.one("SELECT * FROM remote_tasks WHERE errand_id = ?1", [errand.as_str()], remote_task_row)
    }

    fn remote_task_at(&self, task: &TaskId, alias: &Alias) -> Result<Option<RemoteTaskRow>, Error> {
        let sql = "SELECT * FROM remote_tasks WHERE task_id = ?1 AND alias = ?2 AND NOT is_called_off";
        self.one(sql, params![task.as_str(), alias.as_str()], remote_task_row)
    }

    fn remote_tasks(&self, network: &NetworkId, alias: &Alias) -> Result<Vec<RemoteTaskRow>, Error> {
        let sql = "SELECT * FROM remote_tasks WHERE network_id = ?1 AND alias = ?2";
        self.all(sql, params![network.as_str(), alias.as_str()], remote_task_row)
    }
}

impl RemoteWrites for Rows<'_> {
    fn insert_remote(&mut self, remote: &RemoteRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO remotes (network_id, alias, card_url, credential, token_id, created_by, created_at,
                pinned_key, card_error)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                remote.network_id.as_str(),
                remote.alias.as_str(),
                remote.card_url,
                remote.credential.as_ref().map(|credential| &credential.0),
                remote.token_id.as_str(),
                remote.created_by,
                remote.created_at.get(),
                remote.pinned_key,
                remote.card_error,
            ],
        )?;
        Ok(())
    }

    fn note_remote_card(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        pinned_key: Option<&str>,
        card_error: Option<&str>,
    ) -> Result<bool, Error> {
        let sql = "UPDATE remotes SET pinned_key = ?3, card_error = ?4 WHERE network_id = ?1 AND alias = ?2";
        Ok(self.execute_in(
            network,
            sql,
            params![network.as_str(), alias.as_str(), pinned_key, card_error],
        )? > 0)
    }

    fn delete_remote(&mut self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        let sql = "DELETE FROM remote_tasks WHERE network_id = ?1 AND alias = ?2";
        self.execute(sql, params![network.as_str(), alias.as_str()])?;
        let sql = "DELETE FROM remotes WHERE network_id = ?1 AND alias = ?2";
        Ok(self.execute(sql, params![network.as_str(), alias.as_str()])? > 0)
    }

    fn insert_remote_task(&mut self, task: &RemoteTaskRow) -> Result<(), Error> {
        self.execute_in(
            &task.network_id,
            "INSERT INTO remote_tasks (errand_id, task_id, network_id, alias, lease_id, remote_task_id,
                remote_context_id, asked, passed_on, began_at, is_called_off, answer, unanswered)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                task.errand_id.as_str(),
                task.task_id.as_str(),
                task.network_id.as_str(),
                task.alias.as_str(),
                task.lease_id.as_ref().map(LeaseId::as_str),
                task.remote_task_id,
                task.remote_context_id,
                task.asked,
                task.passed_on,
                task.began_at.get(),
                task.is_called_off,
                task.answer,
                task.unanswered,
            ],
        )?;
        Ok(())
    }

    fn lease_remote_task(&mut self, errand: &MessageId, lease: Option<&LeaseId>) -> Result<bool, Error> {
        let sql = "UPDATE remote_tasks SET lease_id = ?2 WHERE errand_id = ?1";
        self.execute_on_errand(errand, sql, params![errand.as_str(), lease.map(LeaseId::as_str)])
    }

    fn note_remote_task(&mut self, task: &RemoteTaskRow) -> Result<bool, Error> {
        let noted = self.execute_in(
            &task.network_id,
            "UPDATE remote_tasks SET remote_task_id = ?2, remote_context_id = ?3, asked = ?4, passed_on = ?5,
                answer = ?6, unanswered = ?7
             WHERE errand_id = ?1",
            params![
                task.errand_id.as_str(),
                task.remote_task_id,
                task.remote_context_id,
                task.asked,
                task.passed_on,
                task.answer,
                task.unanswered,
            ],
        )?;
        Ok(noted > 0)
    }

    fn call_off_remote_task(&mut self, errand: &MessageId) -> Result<(), Error> {
        let sql = "UPDATE remote_tasks SET is_called_off = TRUE, lease_id = NULL WHERE errand_id = ?1";
        self.execute_on_errand(errand, sql, [errand.as_str()])?;
        Ok(())
    }

    fn delete_remote_task(&mut self, errand: &MessageId) -> Result<(), Error> {
        self.execute_on_errand(errand, "DELETE FROM remote_tasks WHERE errand_id = ?1", [errand.as_str()])?;
        Ok(())
    }
}

impl Rows<'_> {
    /// Writes to the row of a remote task; false if it is gone.
    fn execute_on_errand(
        &self,
        errand: &MessageId,
        sql: &str,
        parameters: impl Parameters,
    ) -> Result<bool, Error> {
        let Some(task) = self.remote_task(errand)? else { return Ok(false) };
        Ok(self.execute_in(&task.network_id, sql, parameters)? > 0)
    }
}
