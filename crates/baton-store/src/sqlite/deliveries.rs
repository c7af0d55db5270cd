//! Inboxes and the feed in SQL. Whatever opens or closes a delivery counts it.

use baton_core::access::TaskReach;
use baton_core::{
    Alias, MessageId, NetworkId, Principal, PrincipalKind, Priority, TaskId, UnixMillis, limits,
};
use rusqlite::{Row, params};

use super::columns::{get, optional, parsed, principal, time};
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use crate::error::Error;
use crate::parked::Inbox;
use crate::rows::{
    DeliveryKind, DeliveryReads, DeliveryRow, DeliveryWrites, FeedRow, InboxPlace, MessageFilter,
    MessagePlace, NewDelivery, Page, PageBounds,
};

const OPEN: i64 = 0;
const HIDDEN: i64 = 1;
const ACKED: i64 = 2;

/// A delivery's columns; a task's text is its task's.
const DELIVERY: &str = "
    SELECT d.*, COALESCE(d.content, t.content) AS text, t.context
    FROM deliveries d LEFT JOIN tasks t ON d.type = 'task' AND t.task_id = d.task_id";

fn delivery_row(row: &Row<'_>) -> Result<DeliveryRow, Error> {
    Ok(DeliveryRow {
        seq: get(row, "seq")?,
        message_id: parsed(row, "message_id", MessageId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        to: principal(row, "to_kind", "to_name")?,
        from: principal(row, "from_kind", "from_name")?,
        kind: parsed(row, "type", DeliveryKind::parse)?,
        priority: priority_of(get(row, "priority")?)?,
        task_id: optional(row, "task_id", TaskId::parse)?,
        content: get::<Option<String>>(row, "text")?.unwrap_or_default(),
        context: get(row, "context")?,
        created_at: time(row, "created_at")?,
    })
}

fn priority_of(order: i64) -> Result<Priority, Error> {
    let priority = usize::try_from(order).ok().and_then(|order| Priority::ALL.get(order));
    priority.copied().ok_or_else(|| Error::Corrupt(format!("priority {order}")))
}

/// High sorts first, in core as in the index.
fn order_of(priority: Priority) -> i64 {
    Priority::ALL.iter().position(|other| *other == priority).unwrap_or_default() as i64
}

impl Rows<'_> {
    /// Moves deliveries from one set of states to another and counts what opens and closes.
    ///
    /// `from` begins with `< 2`, the condition of the partial indexes: SQLite sees no other way into them.
    fn move_deliveries(&mut self, which: &str, id: &str, from: &str, to: i64) -> Result<(), Error> {
        let sql = format!(
            "SELECT network_id, to_kind, to_name, state, seq FROM deliveries WHERE {which} AND state {from}"
        );
        let moved = self.all(&sql, [id], |row| {
            Ok((
                parsed(row, "network_id", NetworkId::parse)?,
                parsed(row, "to_kind", PrincipalKind::parse)?,
                get::<String>(row, "to_name")?,
                get::<i64>(row, "state")?,
                get::<i64>(row, "seq")?,
            ))
        })?;
        for (network, kind, name, state, seq) in moved {
            self.execute("UPDATE deliveries SET state = ?2 WHERE seq = ?1", params![seq, to])?;
            let change = i64::from(to == OPEN) - i64::from(state == OPEN);
            self.staged.counts.add_delivery(&network, kind, &name, change);
            if to == OPEN && kind == PrincipalKind::Node {
                let alias = Alias::parse(&name).map_err(|_| Error::Corrupt(format!("alias {name:?}")))?;
                self.staged.opened.push(Inbox { network_id: network, alias });
            }
        }
        Ok(())
    }
}

impl Rows<'_> {
    /// The deliveries of a network since a time, newest first, as far as the caller reaches.
    fn messages_of<'a>(
        &'a self,
        network: &'a NetworkId,
        reach: &'a TaskReach,
        since: UnixMillis,
    ) -> Fetch<'a, MessagePlace> {
        let (own, name) = match reach {
            TaskReach::Network => ("1", ""),
            TaskReach::Own(alias) => (
                "(to_name = ?6 AND to_kind = 'node') OR (from_name = ?6 AND from_kind = 'node')",
                alias.as_str(),
            ),
        };
        let sql = format!(
            "SELECT created_at, seq, ({own}) AS is_own FROM deliveries
             WHERE network_id = ?1 AND created_at >= ?2 AND (created_at, seq) < (?3, ?4) AND ?6 = ?6
             ORDER BY created_at DESC, seq DESC LIMIT ?5"
        );
        Box::new(move |(created_at, seq), most| {
            let parameters = params![network.as_str(), since.get(), created_at, seq, most as i64, name];
            self.all(&sql, parameters, |row| {
                Ok(((get(row, "created_at")?, get(row, "seq")?), get(row, "is_own")?))
            })
        })
    }
}

impl DeliveryReads for Rows<'_> {
    fn inbox(
        &self,
        network: &NetworkId,
        to: &Principal,
        after: Option<InboxPlace>,
        bounds: PageBounds,
    ) -> Result<Page<DeliveryRow, InboxPlace>, Error> {
        let sql = format!(
            "{DELIVERY} WHERE d.network_id = ?1 AND d.to_name = ?2 AND d.to_kind = ?3 AND d.state = 0
               AND (d.priority, d.seq) > (?4, ?5)
             ORDER BY d.priority, d.seq LIMIT ?6"
        );
        let (priority, seq) = after.unwrap_or((-1, -1));
        let to = (to.name(), to.kind().as_str());
        let parameters = params![network.as_str(), to.0, to.1, priority, seq, bounds.looked_at()];
        self.page(&sql, parameters, bounds, delivery_row, |row| (order_of(row.priority), row.seq))
    }

    fn inbox_count(&self, network: &NetworkId, to: &Principal) -> Result<i64, Error> {
        let sql = "SELECT count FROM inbox_counts WHERE network_id = ?1 AND to_kind = ?2 AND to_name = ?3";
        let written = self.one(sql, params![network.as_str(), to.kind().as_str(), to.name()], |row| {
            get::<i64>(row, "count")
        })?;
        Ok(written.unwrap_or(0) + self.counted.inbox(network, to) + self.staged.counts.inbox(network, to))
    }

    fn open_delivery(
        &self,
        network: &NetworkId,
        to: &Principal,
        id: &str,
    ) -> Result<Option<DeliveryRow>, Error> {
        let find = |which: &str| {
            let sql = format!(
                "{DELIVERY} WHERE {which} AND d.state < 2 AND d.network_id = ?2 AND d.to_name = ?3
                   AND d.to_kind = ?4 ORDER BY d.seq LIMIT 1"
            );
            self.one(&sql, params![id, network.as_str(), to.name(), to.kind().as_str()], delivery_row)
        };
        // A task's first delivery has the task's id and is found by it; the others have an index of their own.
        match find("d.message_id = ?1 AND d.message_id IS NOT d.task_id")? {
            Some(found) => Ok(Some(found)),
            None => find("d.task_id = ?1 AND d.task_id IS NOT NULL"),
        }
    }

    fn messages(&self, filter: &MessageFilter) -> Result<Page<DeliveryRow, MessagePlace>, Error> {
        let lists =
            filter.networks.iter().map(|(network, reach)| self.messages_of(network, reach, filter.since));
        let before = filter.before.unwrap_or((i64::MAX, i64::MAX));
        let mut merge = Merge::new(lists.collect(), before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
        let sql = format!("{DELIVERY} WHERE d.seq = ?1");
        self.page_of(&mut merge, filter.page, |(_, seq)| self.one(&sql, [seq], delivery_row))
    }

    fn feed_after(
        &self,
        network: &NetworkId,
        to: Option<&Principal>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<FeedRow>, Error> {
        let read = |row: &Row<'_>| Ok(FeedRow { n: get(row, "n")?, body: get(row, "body")? });
        match to {
            Some(to) => {
                let sql = "SELECT n, body FROM feed WHERE network_id = ?1 AND to_name = ?2 AND to_kind = ?3
                           AND n > ?4 ORDER BY n LIMIT ?5";
                let parameters =
                    params![network.as_str(), to.name(), to.kind().as_str(), after, limit as i64];
                self.all(sql, parameters, read)
            }
            None => {
                let sql = "SELECT n, body FROM feed WHERE network_id = ?1 AND n > ?2 ORDER BY n LIMIT ?3";
                self.all(sql, params![network.as_str(), after, limit as i64], read)
            }
        }
    }

    fn feeds_longer_than(&self, keep: usize) -> Result<Vec<NetworkId>, Error> {
        let sql = "/* scans */ SELECT network_id FROM networks";
        let networks = self.all(sql, [], |row| parsed(row, "network_id", NetworkId::parse))?;
        let mut longer = Vec::new();
        for network in networks {
            let (oldest, newest) = self.feed_range(&network)?;
            if newest - oldest >= keep as i64 {
                longer.push(network);
            }
        }
        Ok(longer)
    }

    fn feed_range(&self, network: &NetworkId) -> Result<(i64, i64), Error> {
        let sql = "SELECT n FROM feed WHERE network_id = ?1 ORDER BY n LIMIT 1";
        let first = self.one(sql, [network.as_str()], |row| get::<i64>(row, "n"))?;
        Ok((first.unwrap_or(1), self.newest_frame(network)?))
    }
}

impl DeliveryWrites for Rows<'_> {
    fn insert_delivery(&mut self, delivery: NewDelivery<'_>) -> Result<(), Error> {
        self.execute(
            "INSERT INTO deliveries (message_id, network_id, to_kind, to_name, from_kind, from_name, type, priority,
                task_id, content, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                delivery.message_id.as_str(),
                delivery.network_id.as_str(),
                delivery.to.kind().as_str(),
                delivery.to.name(),
                delivery.from.kind().as_str(),
                delivery.from.name(),
                delivery.kind.as_str(),
                order_of(delivery.priority),
                delivery.task_id.map(TaskId::as_str),
                delivery.content,
                delivery.at.get(),
            ],
        )?;
        self.staged.counts.add_delivery(delivery.network_id, delivery.to.kind(), delivery.to.name(), 1);
        if let (DeliveryKind::Task, Principal::Node(alias)) = (delivery.kind, delivery.to) {
            let inbox = Inbox { network_id: delivery.network_id.clone(), alias: alias.clone() };
            self.staged.opened.push(inbox);
        }
        Ok(())
    }

    fn ack_delivery(&mut self, seq: i64) -> Result<(), Error> {
        self.move_deliveries("seq = ?1", &seq.to_string(), "< 2", ACKED)
    }

    fn hide_task_delivery(&mut self, task: &TaskId) -> Result<(), Error> {
        self.move_deliveries("task_id = ?1 AND type = 'task'", task.as_str(), "< 2 AND state = 0", HIDDEN)
    }

    fn show_task_delivery(&mut self, task: &TaskId) -> Result<(), Error> {
        self.move_deliveries("task_id = ?1 AND type = 'task'", task.as_str(), "< 2 AND state = 1", OPEN)
    }

    fn ack_task_delivery(&mut self, task: &TaskId) -> Result<(), Error> {
        self.move_deliveries("task_id = ?1 AND type = 'task'", task.as_str(), "< 2", ACKED)
    }

    fn ack_every_delivery(&mut self, task: &TaskId) -> Result<(), Error> {
        self.move_deliveries("task_id = ?1", task.as_str(), "< 2", ACKED)
    }

    fn append_frame(&mut self, network: &NetworkId, to: &Principal, body: &str) -> Result<i64, Error> {
        let next = self.newest_frame(network)? + 1;
        self.execute(
            "INSERT INTO feed (network_id, n, to_kind, to_name, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![network.as_str(), next, to.kind().as_str(), to.name(), body],
        )?;
        self.staged.counts.set_newest_frame(network, next);
        Ok(next)
    }

    fn forget_deliveries(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        let sql = "SELECT seq FROM deliveries WHERE created_at < ?1 AND type <> 'task' ORDER BY created_at LIMIT ?2";
        let old = self.all(sql, params![before.get(), limit as i64], |row| get::<i64>(row, "seq"))?;
        self.remove_deliveries(&old)
    }

    fn trim_inbox(&mut self, network: &NetworkId, to: &Principal, keep: usize) -> Result<usize, Error> {
        let sql = "SELECT seq FROM deliveries WHERE network_id = ?1 AND to_name = ?2 AND to_kind = ?3
                   AND type <> 'task' ORDER BY seq DESC LIMIT 1000 OFFSET ?4";
        let parameters = params![network.as_str(), to.name(), to.kind().as_str(), keep as i64];
        let old = self.all(sql, parameters, |row| get::<i64>(row, "seq"))?;
        self.remove_deliveries(&old)
    }

    fn trim_feed(&mut self, network: &NetworkId, keep: usize, limit: usize) -> Result<usize, Error> {
        let oldest_kept = self.feed_range(network)?.1 - keep as i64;
        let sql = "DELETE FROM feed WHERE network_id = ?1 AND n IN
                   (SELECT n FROM feed WHERE network_id = ?1 AND n <= ?2 ORDER BY n LIMIT ?3)";
        self.execute(sql, params![network.as_str(), oldest_kept, limit as i64])
    }
}

impl Rows<'_> {
    fn newest_frame(&self, network: &NetworkId) -> Result<i64, Error> {
        let known = self.staged.counts.newest_frame(network).or(self.counted.newest_frame(network));
        if let Some(newest) = known {
            return Ok(newest);
        }
        let sql = "SELECT n FROM feed WHERE network_id = ?1 ORDER BY n DESC LIMIT 1";
        Ok(self.one(sql, [network.as_str()], |row| get::<i64>(row, "n"))?.unwrap_or(0))
    }

    pub(super) fn remove_deliveries(&mut self, places: &[i64]) -> Result<usize, Error> {
        for seq in places {
            self.ack_delivery(*seq)?; // closes it, so that the count is right
            self.execute("DELETE FROM deliveries WHERE seq = ?1", [seq])?;
        }
        Ok(places.len())
    }
}
