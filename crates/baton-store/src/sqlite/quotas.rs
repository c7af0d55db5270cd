//! Quotas in SQL. The counters are kept by triggers; see the migration.

use baton_core::{NetworkId, Principal, Quota, Status};
use rusqlite::params;

use super::columns::{get, parsed};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{QuotaReads, QuotaRow, QuotaSubject, QuotaWrites, TaskQuotas, TaskReads};

impl QuotaReads for Rows<'_> {
    fn quota(&self, subject: QuotaSubject<'_>, quota: Quota) -> Result<QuotaRow, Error> {
        let sql = "SELECT used, max FROM quotas WHERE subject = ?1 AND kind = ?2";
        let row = self.one(sql, params![subject.id(), quota.as_str()], |row| {
            Ok(QuotaRow { used: get(row, "used")?, max: get(row, "max")? })
        })?;
        let mut row = row.unwrap_or_default();
        if let (Quota::OpenTasks, QuotaSubject::Network(network)) = (quota, subject) {
            let counts = self.task_counts(network)?;
            row.used =
                counts.iter().filter(|(status, _)| !status.is_terminal()).map(|(_, count)| count).sum();
        }
        Ok(row)
    }

    fn task_quotas(&self, network: &NetworkId, to: &Principal) -> Result<TaskQuotas, Error> {
        // One statement: it is run for every send.
        let sql = "SELECT
            (SELECT SUM(count) FROM task_counts WHERE network_id = ?1
                AND status IN ('delivered', 'acked', 'running', 'waiting_input')) AS open_tasks,
            (SELECT count FROM inbox_counts WHERE network_id = ?1 AND to_kind = ?2 AND to_name = ?3) AS inbox,
            (SELECT max FROM quotas WHERE subject = ?1 AND kind = 'open_tasks') AS max_open_tasks,
            (SELECT max FROM quotas WHERE subject = ?1 AND kind = 'inbox') AS max_inbox";
        let parameters = params![network.as_str(), to.kind().as_str(), to.name()];
        let written = self.one(sql, parameters, |row| {
            let row = |used: &str, max: &str| {
                Ok::<_, Error>(QuotaRow {
                    used: get::<Option<i64>>(row, used)?.unwrap_or(0),
                    max: get(row, max)?,
                })
            };
            Ok(TaskQuotas {
                open_tasks: row("open_tasks", "max_open_tasks")?,
                inbox: row("inbox", "max_inbox")?,
            })
        })?;
        let mut quotas =
            written.unwrap_or(TaskQuotas { open_tasks: QuotaRow::default(), inbox: QuotaRow::default() });
        // And what the batch has not written yet.
        for counts in [&self.counted, &self.staged.counts] {
            let open = Status::ALL.iter().filter(|status| !status.is_terminal());
            quotas.open_tasks.used += open.map(|status| counts.task(network, *status)).sum::<i64>();
            quotas.inbox.used += counts.inbox(network, to);
        }
        Ok(quotas)
    }

    fn set_quotas(&self, quota: Quota) -> Result<Vec<(NetworkId, i64)>, Error> {
        let sql = "/* scans */ SELECT subject, max FROM quotas WHERE kind = ?1 AND max IS NOT NULL";
        self.all(sql, [quota.as_str()], |row| {
            Ok((parsed(row, "subject", NetworkId::parse)?, get::<i64>(row, "max")?))
        })
    }
}

impl QuotaWrites for Rows<'_> {
    fn set_quota(&mut self, subject: QuotaSubject<'_>, quota: Quota, max: Option<i64>) -> Result<(), Error> {
        self.execute(
            "INSERT INTO quotas (subject, kind, max) VALUES (?1, ?2, ?3)
             ON CONFLICT (subject, kind) DO UPDATE SET max = excluded.max",
            params![subject.id(), quota.as_str(), max],
        )?;
        Ok(())
    }
}
