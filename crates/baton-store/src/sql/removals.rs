//! Deleting a network in SQL. What makes it visible is deleted at once; tables that may be large are emptied a few rows
//! at a time, and the network's own row is deleted last, so that foreign keys have nothing left to cascade to.

use baton_core::{NetworkId, Status};
use rusqlite::params;
use std::ops::Range;

use super::columns::{get, parsed};
use super::entry_bundles::BY_PLACE;
use super::evidence::INDEX_BITS;
use super::keys::numbered;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{RemovalReads, RemovalWrites};

/// What must be gone at once, and is never large.
const AT_ONCE: [&str; 6] = ["members", "invitations", "invites", "remotes", "remote_tasks", "task_counts"];

/// What is removed in steps and names the network by its key: the table and its own key. Open tasks first, because the
/// hub's sweeps read them.
const BY_KEY_IN_STEPS: [(&str, &str); 6] = [
    ("tasks", "seq"),
    ("deliveries", "seq"),
    ("artifact_refs", "task, n"),
    ("artifact_uploaders", "network, uploader_kind, uploader, artifact"),
    ("artifacts", "seq"),
    ("task_outputs", "task"),
];

/// What is removed in steps and has the network in its own key.
const NUMBERED_IN_STEPS: [&str; 2] = ["task_events", "feed"];

/// What else is removed in steps.
const IN_STEPS: [(&str, &str); 12] = [
    ("task_messages", "network_id, task_id, n"),
    ("minutes", "network_id, minute"),
    ("edges", "network_id, hour, from_kind, from_name, to_name"),
    ("inbox_counts", "network_id, to_kind, to_name"),
    ("completions", "id"),
    ("idempotency_keys", "network_id, sender_kind, sender, key"),
    ("feed_marks", "network_id, at"),
    ("push_configs", "task_id, config_id"),
    ("workers", "network_id, alias, worker_id"),
    ("sessions", "network_id, alias"),
    ("tokens", "token_id"),
    ("aliases", "network_id, alias"),
];

/// What is removed in steps with the network's evidence log.
const OF_ITS_LOG: [(&str, &str); 2] =
    [("tiles", "log, level, n"), ("reported_packets", "log, reporter_kind, reporter, sha256")];

impl RemovalReads for Rows<'_> {
    fn network_to_remove(&self) -> Result<Option<NetworkId>, Error> {
        let sql = "/* scans */ SELECT network_id FROM removals LIMIT 1";
        self.one(sql, params![], |row| parsed(row, "network_id", NetworkId::parse))
    }
}

impl RemovalWrites for Rows<'_> {
    fn delete_network(&mut self, network: &NetworkId) -> Result<(), Error> {
        let (log, key) = (self.log_head(network)?.map(|head| head.log), self.key(network)?);
        self.execute(
            "INSERT INTO removals (network_id, log, network) VALUES (?1, ?2, ?3)",
            params![network.as_str(), log, key],
        )?;
        self.execute("DELETE FROM logs WHERE network_id = ?1", [network.as_str()])?;
        let counts = self.task_counts_written(network)?;
        let sql = "SELECT COALESCE(SUM(leases), 0) AS leases FROM inbox_counts WHERE network_id = ?1";
        let leases = self.one(sql, [network.as_str()], |row| get::<i64>(row, "leases"))?;
        self.change(|work| {
            let tally = &mut work.layer.hints.tally;
            Status::ALL.iter().for_each(|status| tally.add_tasks(*status, -counts[*status as usize]));
            tally.leases -= leases.unwrap_or_default();
        });
        for table in AT_ONCE {
            self.execute(&format!("DELETE FROM {table} WHERE network_id = ?1"), [network.as_str()])?;
        }
        // Its owner may give another network this name; no name begins with a dash.
        let sql = "UPDATE networks SET name = '-' || network_id, description = NULL WHERE network_id = ?1";
        self.execute(sql, [network.as_str()])?;
        self.change(|work| {
            // They are written, and not to be found in memory either.
            work.layer.tasks.retain(|_, entry| entry.now.row.snapshot.network_id != *network);
            work.layer.hints.gone.push(network.clone());
        });
        Ok(())
    }

    fn remove_rows_of(&mut self, network: &NetworkId, limit: usize) -> Result<bool, Error> {
        let sql = "SELECT log, network FROM removals WHERE network_id = ?1";
        let removal = self.one(sql, [network.as_str()], |row| {
            Ok((get::<Option<i64>>(row, "log")?, get::<i64>(row, "network")?))
        })?;
        let Some((log, key)) = removal else { return Ok(false) };
        self.forget_tasks();
        for (table, own) in BY_KEY_IN_STEPS {
            if self.remove_some(table, own, "network", key, limit)? {
                return Ok(true);
            }
        }
        for table in NUMBERED_IN_STEPS {
            if self.remove_some_places(table, "place", numbered(key, 0)..numbered(key + 1, 0), limit)? {
                return Ok(true);
            }
        }
        for (table, key) in IN_STEPS {
            if self.remove_some(table, key, "network_id", network.as_str(), limit)? {
                return Ok(true);
            }
        }
        if let Some(log) = log
            && self.remove_some_evidence(log, limit)?
        {
            return Ok(true);
        }
        // Cascades to the note of what retention removed.
        self.execute("DELETE FROM networks WHERE network_id = ?1", [network.as_str()])?;
        self.execute("DELETE FROM network_keys WHERE network_id = ?1", [network.as_str()])?;
        self.execute("DELETE FROM removals WHERE network_id = ?1", [network.as_str()])?;
        Ok(false)
    }
}

impl Rows<'_> {
    fn remove_some(
        &self,
        table: &str,
        key: &str,
        of: &str,
        owner: impl rusqlite::ToSql,
        limit: usize,
    ) -> Result<bool, Error> {
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {of} = ?1 LIMIT ?2)"
        );
        Ok(self.execute(&sql, params![owner, limit as i64])? > 0)
    }

    fn remove_some_places(
        &self,
        table: &str,
        key: &str,
        places: Range<i64>,
        limit: usize,
    ) -> Result<bool, Error> {
        let sql = format!(
            "DELETE FROM {table} WHERE {key} IN
             (SELECT {key} FROM {table} WHERE {key} >= ?1 AND {key} < ?2 LIMIT ?3)"
        );
        Ok(self.execute(&sql, [places.start, places.end, limit as i64])? > 0)
    }

    fn remove_some_evidence(&self, log: i64, limit: usize) -> Result<bool, Error> {
        for (table, key) in BY_PLACE {
            let places = log << INDEX_BITS..(log + 1) << INDEX_BITS;
            if self.remove_some_places(table, key, places, limit)? {
                return Ok(true);
            }
        }
        for (table, key) in OF_ITS_LOG {
            if self.remove_some(table, key, "log", log, limit)? {
                return Ok(true);
            }
        }
        self.execute("DELETE FROM checkpoints WHERE log = ?1", [log])?;
        Ok(false)
    }
}
