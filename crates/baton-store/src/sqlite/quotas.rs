//! Quotas in SQL. The counters are kept by triggers; see the migration.

use baton_core::{NetworkId, Quota};
use rusqlite::params;

use super::columns::{get, parsed};
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{QuotaReads, QuotaRow, QuotaSubject, QuotaWrites, TaskReads};

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
