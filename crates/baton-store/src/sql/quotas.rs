//! Quotas in SQL. The counters are kept by triggers; see the migration.

use baton_core::{NetworkId, Principal, Quota, Status};
use rusqlite::params;

use super::columns::{Row, get, parsed};
use super::known::SetTaskQuotas;
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
        let set = self.task_quotas_set(network)?;
        let counts = self.tasks_by_status(network)?;
        let open = Status::ALL.iter().filter(|status| !status.is_terminal());
        let open_tasks = open.map(|status| counts[*status as usize]).sum();
        let inbox = self.recipient(network, to.kind(), to.name())?.open;
        Ok(TaskQuotas {
            open_tasks: QuotaRow { used: open_tasks, max: set.open_tasks },
            inbox: QuotaRow { used: inbox, max: set.inbox },
        })
    }

    fn delegation_depth(&self, network: &NetworkId) -> Result<Option<i64>, Error> {
        Ok(self.task_quotas_set(network)?.delegation_depth)
    }

    fn set_quotas(&self, quota: Quota) -> Result<Vec<(NetworkId, i64)>, Error> {
        let sql = "/* scans */ SELECT subject, max FROM quotas WHERE kind = ?1 AND max IS NOT NULL";
        self.all(sql, [quota.as_str()], |row| {
            Ok((parsed(row, "subject", NetworkId::parse)?, get::<i64>(row, "max")?))
        })
    }
}

impl Rows<'_> {
    /// What a network's new tasks are held to, where it is set.
    fn task_quotas_set(&self, network: &NetworkId) -> Result<SetTaskQuotas, Error> {
        self.reach(network)?;
        let look = || {
            let sql =
                "SELECT (SELECT max FROM quotas WHERE subject = ?1 AND kind = 'open_tasks') AS open_tasks,
                           (SELECT max FROM quotas WHERE subject = ?1 AND kind = 'inbox') AS inbox,
                           (SELECT max FROM quotas WHERE subject = ?1 AND kind = 'delegation_depth') AS delegation_depth";
            let read = |row: &Row<'_>| {
                let (open_tasks, inbox) = (get(row, "open_tasks")?, get(row, "inbox")?);
                Ok(SetTaskQuotas { open_tasks, inbox, delegation_depth: get(row, "delegation_depth")? })
            };
            Ok(self.look_up(sql, [network.as_str()], read)?.unwrap_or_default())
        };
        self.recall(
            |known| known.networks.get(network)?.accounts.quotas,
            look,
            |known, set| known.network(network).accounts.quotas = Some(set),
        )
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
