//! Inboxes in SQL. A task's newest delivery is in the task's row; messages, replies, broadcasts and former deliveries of
//! tasks are rows of their own. All have places in one order. Whatever opens or closes a delivery counts it.

use baton_core::access::TaskReach;
use baton_core::{
    MessageId, NetworkId, Principal, PrincipalKind, Priority, Status, TaskId, UnixMillis, limits,
};
use rusqlite::params;
use std::collections::VecDeque;
use std::sync::LazyLock;

use super::columns::{Row, get, optional, order_of, parsed, principal, priority, time};
use super::keys::numbered;
use super::known::Recipient;
use super::merge::{Fetch, Merge};
use super::rows::{Database, Rows};
use super::task_row::listed;
use super::write_set::{Head, NewDeliveryRow, NewFrameRow};
use crate::error::Error;
use crate::rows::{
    DeliveryKind, DeliveryReads, DeliveryRow, DeliveryWrites, FeedRow, InboxPosition, MessageFilter,
    MessagePosition, NewDelivery, Page, PageBounds, TaskReads,
};

const OPEN: i64 = 0; // not a limit: a stored value
const ACKED: i64 = 2; // not a limit: a stored value

/// The newest deliveries of tasks, with the columns of a delivery. Texts are as a list shows them.
fn of_tasks() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let text = listed("t.content", limits::LISTED_TEXT_MAX_CHARS);
        format!(
            "SELECT t.inbox_place AS seq, COALESCE(t.delivery_id, t.task_id) AS message_id, k.network_id,
                'node' AS to_kind, t.to_name AS to_name, t.from_kind AS from_kind, t.from_name AS from_name,
                'task' AS type, t.priority AS priority, t.task_id AS task_id, {text} AS text, t.context AS context,
                COALESCE(t.redelivered_at, t.created_at) AS created_at
             FROM tasks t JOIN network_keys k ON k.key = t.network"
        )
    });
    &SQL
}

/// Other deliveries; what has no text of its own has its task's.
fn others() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let text = listed(
            "CASE WHEN d.type = 'task' THEN t.content ELSE d.content END",
            limits::LISTED_TEXT_MAX_CHARS,
        );
        format!(
            "SELECT d.seq AS seq, d.message_id AS message_id, k.network_id, d.to_kind AS to_kind, d.to_name AS to_name,
                d.from_kind AS from_kind, d.from_name AS from_name, d.type AS type, d.priority AS priority,
                t.task_id AS task_id, {text} AS text, CASE WHEN d.type = 'task' THEN t.context END AS context,
                d.created_at AS created_at
             FROM deliveries d JOIN network_keys k ON k.key = d.network LEFT JOIN tasks t ON t.seq = d.task"
        )
    });
    &SQL
}

fn delivery_row(row: &Row<'_>) -> Result<DeliveryRow, Error> {
    Ok(DeliveryRow {
        seq: get(row, "seq")?,
        message_id: parsed(row, "message_id", MessageId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        to: principal(row, "to_kind", "to_name")?,
        from: principal(row, "from_kind", "from_name")?,
        kind: parsed(row, "type", DeliveryKind::parse)?,
        priority: priority(row, "priority")?,
        task_id: optional(row, "task_id", TaskId::parse)?,
        content: get::<Option<String>>(row, "text")?.unwrap_or_default(),
        context: get(row, "context")?,
        created_at: time(row, "created_at")?,
    })
}

impl Rows<'_> {
    /// Counts one delivery off its inbox, if it is open; its network, if it was.
    pub(crate) fn count_off(&mut self, seq: i64) -> Result<Option<NetworkId>, Error> {
        let sql = "SELECT k.network_id, d.to_kind, d.to_name FROM deliveries d JOIN network_keys k ON k.key = d.network
                   WHERE d.seq = ?1 AND d.state = 0";
        let open = self.one(sql, [seq], |row| {
            let network = parsed(row, "network_id", NetworkId::parse)?;
            Ok((network, parsed(row, "to_kind", PrincipalKind::parse)?, get::<String>(row, "to_name")?))
        })?;
        let Some((network, kind, name)) = open else { return Ok(None) };
        self.begin_change(&network)?;
        self.count(|counts| counts.recipient(&network, kind, &name).open -= 1);
        Ok(Some(network))
    }

    /// Acks one delivery, if it is open.
    fn ack_place(&mut self, seq: i64) -> Result<(), Error> {
        if let Some(network) = self.count_off(seq)? {
            self.execute_in(
                &network,
                "UPDATE deliveries SET state = ?2 WHERE seq = ?1",
                params![seq, ACKED],
            )?;
        }
        Ok(())
    }

    fn remove_deliveries(&mut self, places: &[i64]) -> Result<usize, Error> {
        for seq in places {
            self.count_off(*seq)?;
            self.execute("DELETE FROM deliveries WHERE seq = ?1", [seq])?;
        }
        Ok(places.len())
    }

    /// The lists of a network's deliveries, newest first, as far as the caller reaches: those of tasks delivered once, by
    /// status as tasks are indexed; those of tasks delivered again; the others.
    fn messages_of<'a>(
        &'a self,
        network: &NetworkId,
        reach: &'a TaskReach,
        since: Since,
    ) -> Result<Vec<Fetch<'a, MessagePosition>>, Error> {
        let key = self.key(network)?;
        let mut lists = Vec::new();
        for (status, _) in self.task_counts(network)? {
            lists.push(self.first_deliveries(key, status, reach, since));
        }
        let redelivered = "SELECT inbox_place AS place, redelivered_at >= ?4 AND ({own}) AS is_meant FROM tasks
             WHERE network = ?1 AND redelivered_at IS NOT NULL AND inbox_place < ?2 AND inbox_place >= ?6 AND ?5 = ?5
             ORDER BY inbox_place DESC LIMIT ?3";
        lists.push(self.list(redelivered, OWN_TASK, key, reach, since));
        let others = "SELECT seq AS place, created_at >= ?4 AND ({own}) AS is_meant FROM deliveries
             WHERE network = ?1 AND seq < ?2 AND seq >= ?6 AND ?5 = ?5 ORDER BY seq DESC LIMIT ?3";
        let own = "(to_name = ?5 AND to_kind = 'node') OR (from_name = ?5 AND from_kind = 'node')";
        lists.push(self.list(others, own, key, reach, since));
        Ok(lists)
    }

    fn first_deliveries<'a>(
        &'a self,
        key: i64,
        status: Status,
        reach: &'a TaskReach,
        since: Since,
    ) -> Fetch<'a, MessagePosition> {
        let sql = format!(
            "SELECT seq AS place, redelivered_at IS NULL AND created_at >= ?4 AND ({{own}}) AS is_meant FROM tasks
             WHERE network = ?1 AND status = '{status}' AND seq < ?2 AND seq >= ?6 AND ?5 = ?5
             ORDER BY seq DESC LIMIT ?3"
        );
        self.list(&sql, OWN_TASK, key, reach, since)
    }

    /// A list of places before a place, each with whether it is meant.
    fn list<'a>(
        &'a self,
        sql: &str,
        own: &str,
        key: i64,
        reach: &'a TaskReach,
        since: Since,
    ) -> Fetch<'a, MessagePosition> {
        let (own, name) = match reach {
            TaskReach::Network => ("TRUE", ""),
            TaskReach::Own(alias) => (own, alias.as_str()),
        };
        let sql = sql.replace("{own}", own);
        Box::new(move |before, most| {
            let parameters = params![key, before, most as i64, since.at.get(), name, since.place];
            self.all(&sql, parameters, |row| Ok((get(row, "place")?, get(row, "is_meant")?)))
        })
    }

    /// A place that no delivery made since a time is before.
    fn first_place_since(&self, at: UnixMillis) -> Result<MessagePosition, Error> {
        let at = at.plus_millis(-limits::CLOCK_SLACK_MILLIS);
        Ok(self.place_of_time_in("tasks", at)?.min(self.place_of_time_in("deliveries", at)?))
    }

    /// The delivery in a place: a task's newest or another one.
    fn delivery_at(&self, place: MessagePosition) -> Result<Option<DeliveryRow>, Error> {
        let (of_tasks, others) = (of_tasks(), others());
        let others = format!("{others} WHERE d.seq = ?1");
        if let Some(found) = self.one(&others, [place], delivery_row)? {
            return Ok(Some(found));
        }
        let first = format!("{of_tasks} WHERE t.seq = ?1 AND t.redelivered_at IS NULL");
        if let Some(found) = self.one(&first, [place], delivery_row)? {
            return Ok(Some(found));
        }
        let again = format!("{of_tasks} WHERE t.inbox_place = ?1 AND t.redelivered_at IS NOT NULL");
        self.one(&again, [place], delivery_row)
    }
}

/// From when on deliveries are listed, and a place that none of them is before.
#[derive(Clone, Copy)]
struct Since {
    at: UnixMillis,
    place: MessagePosition,
}

/// Whether a task is the caller's own.
const OWN_TASK: &str = "to_name = ?5 OR (from_name = ?5 AND from_kind = 'node')";

impl DeliveryReads for Rows<'_> {
    fn inbox(
        &self,
        network: &NetworkId,
        to: &Principal,
        after: Option<InboxPosition>,
        bounds: PageBounds,
    ) -> Result<Page<DeliveryRow, InboxPosition>, Error> {
        // Tasks are only delivered to agents.
        let (of_tasks, others) = (of_tasks(), others());
        let sql = format!(
            "{of_tasks} WHERE t.network = ?1 AND t.to_name = ?2 AND ?3 = 'node' AND t.inbox_state = 0
               AND (t.priority, t.inbox_place) > (?4, ?5)
             UNION ALL
             {others} WHERE d.network = ?1 AND d.to_name = ?2 AND d.to_kind = ?3 AND d.state = 0
               AND (d.priority, d.seq) > (?4, ?5)
             ORDER BY priority, seq LIMIT ?6"
        );
        let (priority, seq) = after.unwrap_or((-1, -1));
        let to = (to.name(), to.kind().as_str());
        let parameters = params![self.key(network)?, to.0, to.1, priority, seq, bounds.looked_at()];
        self.page(&sql, parameters, bounds, delivery_row, |row| (order_of(row.priority), row.seq))
    }

    fn inbox_count(&self, network: &NetworkId, to: &Principal) -> Result<i64, Error> {
        Ok(self.recipient(network, to.kind(), to.name())?.open)
    }

    fn open_delivery(
        &self,
        network: &NetworkId,
        to: &Principal,
        id: &str,
    ) -> Result<Option<DeliveryRow>, Error> {
        let key = self.key(network)?;
        let find =
            |sql: String| self.one(&sql, params![id, key, to.name(), to.kind().as_str()], delivery_row);
        let of_task = |which: &str| {
            find(format!(
                "{} WHERE {which} AND t.inbox_state < 2 AND t.network = ?2 AND t.to_name = ?3 AND ?4 = 'node'",
                of_tasks()
            ))
        };
        let other = |which: &str| {
            find(format!(
                "{} WHERE {which} AND d.state = 0 AND d.network = ?2 AND d.to_name = ?3 AND d.to_kind = ?4
                 ORDER BY d.seq LIMIT 1",
                others()
            ))
        };
        // By its own id, else whatever is there about the task of that id, the oldest first.
        if let Some(found) = other("d.message_id = ?1")? {
            return Ok(Some(found));
        }
        if let Some(found) = of_task("t.delivery_id = ?1")? {
            return Ok(Some(found));
        }
        let task = of_task("t.task_id = ?1")?;
        let about = other("d.task = (SELECT seq FROM tasks WHERE task_id = ?1)")?;
        Ok(task.into_iter().chain(about).min_by_key(|found| found.seq))
    }

    fn messages(&self, filter: &MessageFilter) -> Result<Page<DeliveryRow, MessagePosition>, Error> {
        let since = Since { at: filter.since, place: self.first_place_since(filter.since)? };
        let mut lists = Vec::new();
        for (network, reach) in &filter.networks {
            lists.extend(self.messages_of(network, reach, since)?);
        }
        let before = filter.before.unwrap_or(MessagePosition::MAX);
        let mut merge = Merge::new(lists, before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
        self.page_of(&mut merge, filter.page, |place| self.delivery_at(place))
    }

    fn feed_after(
        &self,
        network: &NetworkId,
        to: Option<&Principal>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<FeedRow>, Error> {
        if let Some(to) = to {
            return self.frames_for(network, to, after, limit);
        }
        let sql = "SELECT n, body FROM feed WHERE place > ?1 AND place < ?2 ORDER BY place LIMIT ?3";
        let key = self.key(network)?;
        self.all(sql, [numbered(key, after), numbered(key + 1, 0), limit as i64], frame_row)
    }

    fn feeds_longer_than(&self, keep: usize) -> Result<Vec<NetworkId>, Error> {
        let sql = "/* scans */ SELECT network_id FROM networks";
        let networks = self.all(sql, params![], |row| parsed(row, "network_id", NetworkId::parse))?;
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
        let sql = "SELECT n FROM feed WHERE place >= ?1 AND place < ?2 ORDER BY place LIMIT 1";
        let key = self.key(network)?;
        let first = self.one(sql, [numbered(key, 0), numbered(key + 1, 0)], |row| get::<i64>(row, "n"))?;
        Ok((first.unwrap_or(1), self.newest_frame(network)?))
    }
}

impl DeliveryWrites for Rows<'_> {
    fn insert_delivery(&mut self, delivery: NewDelivery<'_>) -> Result<(), Error> {
        self.begin_change(delivery.network_id)?;
        let (key, place) = (self.key_to_write(delivery.network_id)?, self.next_place()?);
        let task = match delivery.task_id {
            Some(id) => {
                self.touch_task(id)?;
                Some(self.known_task(id)?.row.seq)
            }
            None => None,
        };
        let row = NewDeliveryRow {
            seq: place,
            message_id: delivery.message_id.as_str().to_owned(),
            network: key,
            to: delivery.to.clone(),
            from: delivery.from.clone(),
            kind: delivery.kind.as_str(),
            priority: order_of(delivery.priority),
            task,
            content: Some(delivery.content.to_owned()),
            at: delivery.at,
            state: OPEN,
        };
        self.change(|work| work.layer.deliveries.push(row));
        let to = (delivery.to.kind(), delivery.to.name());
        self.count(|counts| counts.recipient(delivery.network_id, to.0, to.1).open += 1);
        Ok(())
    }

    fn ack_delivery(&mut self, seq: i64) -> Result<(), Error> {
        self.ack_place(seq)
    }

    fn ack_deliveries_about(&mut self, task: &TaskId) -> Result<(), Error> {
        let known = self.known_task(task)?;
        if known.is_untouched {
            return Ok(());
        }
        let sql = "SELECT seq FROM deliveries WHERE task = ?1 AND state = 0";
        let open = self.all(sql, [known.row.seq], |row| get::<i64>(row, "seq"))?;
        open.into_iter().try_for_each(|seq| self.ack_place(seq))
    }

    fn append_frame(&mut self, network: &NetworkId, to: &Principal, body: &str) -> Result<i64, Error> {
        self.begin_change(network)?;
        let next = self.newest_frame(network)? + 1;
        let frame = NewFrameRow {
            place: numbered(self.key_to_write(network)?, next),
            to: to.clone(),
            previous: self.recipient(network, to.kind(), to.name())?.newest_frame,
            body: body.to_owned(),
        };
        self.change(|work| {
            work.layer.frames.push(frame);
            work.layer.counts.recipient(network, to.kind(), to.name()).newest_frame = Some(next);
            let head = Head { frame: Some(next), ..Head::default() };
            work.layer.heads.entry(network.clone()).or_default().take_in(head);
        });
        Ok(next)
    }

    fn forget_deliveries(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        // The oldest come first in the order of places. One that says it is newer than any can be was made while the clock
        // was wrong; it must not keep those behind it.
        let newest =
            before.plus_seconds(limits::DELIVERY_KEPT_SECONDS).plus_millis(limits::CLOCK_SLACK_MILLIS);
        let sql = "/* scans */ SELECT seq FROM (SELECT seq, created_at FROM deliveries ORDER BY seq LIMIT ?2) oldest_subquery
                   WHERE created_at < ?1 OR created_at > ?3";
        let parameters = params![before.get(), limit as i64, newest.get()];
        let old = self.all(sql, parameters, |row| get::<i64>(row, "seq"))?;
        self.remove_deliveries(&old)
    }

    fn trim_inbox(&mut self, network: &NetworkId, to: &Principal, keep: usize) -> Result<usize, Error> {
        // All of them have the same priority: only tasks have others.
        let sql = "SELECT seq FROM deliveries
                   WHERE network = ?1 AND to_name = ?2 AND to_kind = ?3 AND state = 0 AND priority = ?5
                   ORDER BY seq DESC LIMIT 1000 OFFSET ?4";
        let normal = order_of(Priority::Normal);
        let parameters = params![self.key(network)?, to.name(), to.kind().as_str(), keep as i64, normal];
        let old = self.all(sql, parameters, |row| get::<i64>(row, "seq"))?;
        for seq in &old {
            self.execute_in(network, "DELETE FROM deliveries WHERE seq = ?1", [seq])?;
        }
        self.count(|counts| counts.recipient(network, to.kind(), to.name()).open -= old.len() as i64);
        Ok(old.len())
    }

    fn trim_feed(&mut self, network: &NetworkId, keep: usize, limit: usize) -> Result<usize, Error> {
        let oldest_kept = self.feed_range(network)?.1 - keep as i64;
        self.forget_frames_to(network, oldest_kept, limit)
    }
}

impl Rows<'_> {
    fn newest_frame(&self, network: &NetworkId) -> Result<i64, Error> {
        self.reach(network)?;
        if let Some(newest) = self.head(network).frame {
            return Ok(newest);
        }
        let sql = "SELECT n FROM feed WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT 1";
        let key = self.key(network)?;
        let newest =
            self.look_up(sql, [numbered(key, 0), numbered(key + 1, 0)], |row| get::<i64>(row, "n"))?;
        Ok(newest.unwrap_or(0))
    }

    /// The newest numbers of a network that are known.
    pub(crate) fn head(&self, network: &NetworkId) -> Head {
        let Some(work) = self.work() else { return Head::default() };
        let work = work.borrow();
        let mut head = work.known.networks.get(network).map_or_else(Head::default, |network| network.head);
        if let Some(newer) = work.layer.heads.get(network) {
            head.take_in(*newer);
        }
        head
    }

    /// A recipient's row, with what the use case that runs has changed in it.
    pub(crate) fn recipient(
        &self,
        network: &NetworkId,
        kind: PrincipalKind,
        name: &str,
    ) -> Result<Recipient, Error> {
        self.reach(network)?;
        let Some(work) = self.knows() else {
            self.settle()?;
            return self.recipient_written(network, kind, name);
        };
        let key = (kind, name.to_owned());
        let known =
            work.borrow().known.networks.get(network).and_then(|known| known.recipients.get(&key).copied());
        let recipient = match known {
            Some(recipient) => recipient,
            None => {
                let written = self.recipient_written(network, kind, name)?;
                let mut work = work.borrow_mut();
                let recipient = written.changed(&work.batch.counts.change_of(network, &key));
                work.known.note_rows(1);
                work.known.network(network).recipients.insert(key.clone(), recipient);
                recipient
            }
        };
        Ok(recipient.changed(&work.borrow().layer.counts.change_of(network, &key)))
    }

    fn recipient_written(
        &self,
        network: &NetworkId,
        kind: PrincipalKind,
        name: &str,
    ) -> Result<Recipient, Error> {
        let sql = "SELECT count, leases, newest_frame FROM inbox_counts
                   WHERE network_id = ?1 AND to_kind = ?2 AND to_name = ?3";
        let written = self.look_up(sql, params![network.as_str(), kind.as_str(), name], |row| {
            Ok(Recipient {
                open: get(row, "count")?,
                leases: get(row, "leases")?,
                newest_frame: get(row, "newest_frame")?,
            })
        })?;
        Ok(written.unwrap_or_default())
    }

    /// Frames for one recipient after a number: from its newest one back, each leading to the one before. A reader that is far
    /// behind is served along the whole feed instead.
    fn frames_for(
        &self,
        network: &NetworkId,
        to: &Principal,
        after: i64,
        limit: usize,
    ) -> Result<Vec<FeedRow>, Error> {
        let key = self.key(network)?;
        let newest = self.recipient(network, to.kind(), to.name())?.newest_frame;
        let Some(newest) = newest.filter(|newest| *newest > after) else { return Ok(Vec::new()) };
        let (mut frames, has_more) = match self.database {
            Database::Sqlite(_) => self.follow_frames(key, newest, after)?,
            Database::Postgres(_) => self.follow_frames_at_once(key, newest, after)?,
        };
        if has_more {
            let sql =
                "SELECT n, body FROM feed WHERE place > ?1 AND place < ?2 AND to_name = ?3 AND to_kind = ?4
                       ORDER BY place LIMIT ?5";
            let places = (numbered(key, after), numbered(key + 1, 0));
            let parameters = params![places.0, places.1, to.name(), to.kind().as_str(), limit as i64];
            return self.all(sql, parameters, frame_row);
        }
        frames.truncate(limit);
        Ok(frames)
    }

    /// A recipient's frames from the newest back to one, oldest first, and whether there are more than are followed.
    fn follow_frames(&self, key: i64, newest: i64, after: i64) -> Result<(Vec<FeedRow>, bool), Error> {
        let sql = "SELECT n, previous, body FROM feed WHERE place = ?1";
        let mut frames = VecDeque::new();
        let mut next = Some(newest);
        while let Some(n) = next.filter(|n| *n > after) {
            if frames.len() == limits::FEED_CHAIN_MAX_COUNT {
                return Ok((Vec::new(), true));
            }
            let found = self.one(sql, [numbered(key, n)], |row| {
                Ok((get::<Option<i64>>(row, "previous")?, frame_row(row)?))
            })?;
            // The oldest frames of a feed are forgotten.
            let Some((previous, frame)) = found else { break };
            frames.push_front(frame);
            next = previous;
        }
        Ok((frames.into(), false))
    }

    /// The same by one statement: on PostgreSQL each step would be a round trip.
    fn follow_frames_at_once(
        &self,
        key: i64,
        newest: i64,
        after: i64,
    ) -> Result<(Vec<FeedRow>, bool), Error> {
        let sql = "WITH RECURSIVE chain (n, previous, body, count) AS (
                       SELECT n, previous, body, CAST(1 AS bigint) FROM feed WHERE place = ?1
                       UNION ALL
                       SELECT f.n, f.previous, f.body, c.count + 1 FROM chain c JOIN feed f ON f.place = ?2 + c.previous
                       WHERE c.previous > ?3 AND c.count <= ?4)
                   SELECT n, body FROM chain ORDER BY n";
        let most = limits::FEED_CHAIN_MAX_COUNT;
        let parameters = params![numbered(key, newest), numbered(key, 0), after, most as i64];
        let frames = self.all(sql, parameters, frame_row)?;
        let has_more = frames.len() > most;
        Ok((frames, has_more))
    }

    /// Forgets frames up to a number, so many at once.
    pub(crate) fn forget_frames_to(
        &self,
        network: &NetworkId,
        last: i64,
        limit: usize,
    ) -> Result<usize, Error> {
        let sql = "DELETE FROM feed WHERE place IN
                   (SELECT place FROM feed WHERE place >= ?1 AND place <= ?2 ORDER BY place LIMIT ?3)";
        let key = self.key(network)?;
        self.execute_in(network, sql, [numbered(key, 0), numbered(key, last), limit as i64])
    }
}

fn frame_row(row: &Row<'_>) -> Result<FeedRow, Error> {
    Ok(FeedRow { n: get(row, "n")?, body: get(row, "body")? })
}
