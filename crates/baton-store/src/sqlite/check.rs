//! The walks of a check in SQL, and the connection they run on: one that takes no lock of the hub's and writes
//! nothing, so that it can look at a database in use.

use baton_core::{ArtifactHash, MediaType, Status, TaskId, limits};
use rusqlite::{Connection, OpenFlags, params};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::connection;
use super::schema;
use crate::error::Error;
use crate::rows::{
    ArtifactState, CheckReads, EventState, LogPart, RecordedEvent, RecordedPart, See, Stray, TaskState,
    WrongCount,
};
use crate::sql::columns::{Row, get, parsed};
use crate::sql::edges;
use crate::sql::ends::listed;
use crate::sql::history::Chain;
use crate::sql::keys::numbered;
use crate::sql::query::Parameters;
use crate::sql::rows::{Database, Rows};

/// Looks at one consistent state of the database at `path`, whether or not a hub runs on it, once its pages are known to be
/// whole. `look` starts over if a hub was started in the middle.
pub fn inspect<T, E: From<Error>>(
    path: &Path,
    mut look: impl FnMut(&dyn CheckReads) -> Result<T, E>,
) -> Result<T, E> {
    on_connection(path, &mut |connection| {
        begin(connection)?;
        quick_check(connection)?;
        look(&Rows::new(connection))
    })
}

/// The same for a look that is short and one of many: whether the pages are whole is not asked again.
pub fn glance<T, E: From<Error>>(
    path: &Path,
    mut look: impl FnMut(&dyn CheckReads) -> Result<T, E>,
) -> Result<T, E> {
    on_connection(path, &mut |connection| {
        begin(connection)?;
        look(&Rows::new(connection))
    })
}

/// The artifacts of a copy that nobody writes to, which may be of an earlier schema.
pub fn artifacts_of_copy(path: &Path) -> Result<Vec<ArtifactState>, Error> {
    let copy = open_quiet(path)?;
    if !copy.table_exists(None, "artifacts")? {
        return Ok(Vec::new());
    }
    Rows::new(&copy).all(ARTIFACTS, params![0, -1], artifact_state)
}

/// `look` with a connection; the state it reads ends with that.
fn on_connection<T, E: From<Error>>(
    path: &Path,
    look: &mut dyn FnMut(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    for _ in 0..limits::CHECK_LOOKS_MAX_COUNT {
        if wal_of(path).exists() {
            return look(&open(path, Quiet::No)?);
        }
        // Nobody has it open. SQLite would still make two files beside it, owned by the user who runs the check, and leave
        // them there; opened as immutable it makes none. So check afterwards whether that was true.
        let before = Stamp::of(path)?;
        let seen = look(&open(path, Quiet::Yes)?);
        if !wal_of(path).exists() && Stamp::of(path)? == before {
            return seen;
        }
    }
    Err(Error::Unavailable("hubs keep opening and closing it; try again in a moment".into()).into())
}

fn begin(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch("BEGIN")?;
    connection::check_schema(connection)
}

/// Whether the file's pages are whole.
pub(super) fn quick_check(connection: &Connection) -> Result<(), Error> {
    first_finding(connection, "PRAGMA quick_check(1)")?.map_or(Ok(()), |damage| Err(Error::Damaged(damage)))
}

/// Runs a `quick_check` and returns the first damage it names.
pub(super) fn first_finding(connection: &Connection, sql: &str) -> rusqlite::Result<Option<String>> {
    let found: String = connection.query_row(sql, params![], |row| row.get(0))?;
    Ok((found != "ok").then(|| found.replace('\n', " ")))
}

/// A database that nobody has open or changes; no file is made beside it.
pub(super) fn open_quiet(path: &Path) -> Result<Connection, Error> {
    open(path, Quiet::Yes)
}

/// Whether nobody has the database open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quiet {
    Yes,
    No,
}

fn open(path: &Path, quiet: Quiet) -> Result<Connection, Error> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut name = path.to_owned();
    if quiet == Quiet::Yes {
        flags |= OpenFlags::SQLITE_OPEN_URI;
        name = immutable(path)?.into();
    }
    let connection = Connection::open_with_flags(name, flags)?;
    connection::prepare(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The file's name as a URI that says nothing in it changes.
fn immutable(path: &Path) -> Result<String, Error> {
    let path = std::path::absolute(path).map_err(|error| Error::Unavailable(error.to_string()))?;
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Ok(uri)
}

fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// What changes with a file's contents.
#[derive(PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

impl Stamp {
    fn of(path: &Path) -> Result<Self, Error> {
        let found = std::fs::metadata(path).and_then(|file| Ok((file.modified()?, file.len())));
        let (modified, bytes) = found.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { modified, bytes })
    }
}

impl Rows<'_> {
    /// Hands over every row of a query, one at a time.
    fn each<T>(
        &self,
        sql: &str,
        parameters: impl Parameters,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
        see: See<'_, T>,
    ) -> Result<(), Error> {
        self.walk(sql, parameters, |row| {
            see(read(row)?)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn counted(&self, sql: &str, parameters: impl Parameters) -> Result<u64, Error> {
        let count = self.one(sql, parameters, |row| get::<i64>(row, "count"))?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// The network's key and the id of an event, by its number within the task.
    fn event_numbered(&self, task_id: &str, n: i64) -> Result<Option<(i64, i64)>, Error> {
        let sql = "SELECT id, previous, n FROM task_events WHERE place = ?1";
        let Some(id) = TaskId::parse(task_id) else { return Ok(None) };
        let Some(mut chain) = Chain::of_task(self, &id)? else { return Ok(None) };
        loop {
            match chain.next(self, sql, |row| Ok((get(row, "id")?, get::<i64>(row, "n")?))) {
                Ok(Some((id, number))) if number == n => return Ok(Some((chain.network, id))),
                Ok(Some(_)) => {}
                // Where the way back ends too early is named by the walk over tasks and events.
                Ok(None) | Err(Error::Corrupt(_)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    fn strays_of(&self, table: &'static str, sql: &str, see: See<'_, Stray>) -> Result<(), Error> {
        self.each(sql, params![], |row| Ok(Stray { table, of: get(row, "stray")? }), see)
    }
}

impl CheckReads for Rows<'_> {
    fn schema_differences(&self) -> Result<Vec<String>, Error> {
        match self.database {
            Database::Sqlite(connection) => schema::differences(connection),
            Database::Postgres(session) => crate::postgres::schema_differences(session),
        }
    }

    fn network_count(&self) -> Result<u64, Error> {
        self.counted("/* scans */ SELECT COUNT(*) AS count FROM networks WHERE network_id NOT IN (SELECT network_id FROM removals)", params![])
    }

    fn each_task(&self, see: See<'_, TaskState>) -> Result<(), Error> {
        let sql = "/* scans */ SELECT t.task_id, COALESCE(k.network_id, CAST(t.network AS TEXT)) AS network_id, t.status,
                t.completed_at IS NOT NULL AS has_completed_at,
                EXISTS (SELECT 1 FROM networks w WHERE w.network_id = k.network_id) AS has_network,
                t.lease_id IS NOT NULL AS has_lease,
                t.inbox_state < 2 AS has_open_delivery,
                COALESCE(h.events, 0) AS events, h.first_event, h.last_event,
                (SELECT e.to_status FROM task_events e
                 WHERE e.place = t.network << 40 | t.last_event AND e.task = t.seq AND e.n = h.last_event) AS last_status
            FROM tasks t LEFT JOIN network_keys k ON k.key = t.network
            LEFT JOIN (SELECT task, COUNT(*) AS events, MIN(n) AS first_event, MAX(n) AS last_event
                       FROM task_events GROUP BY task) h ON h.task = t.seq
            WHERE NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network) ORDER BY t.seq";
        let read = |row: &Row<'_>| {
            Ok(TaskState {
                task_id: get(row, "task_id")?,
                network_id: get(row, "network_id")?,
                has_network: get(row, "has_network")?,
                status: get(row, "status")?,
                has_completed_at: get(row, "has_completed_at")?,
                has_lease: get(row, "has_lease")?,
                has_open_delivery: get(row, "has_open_delivery")?,
                events: get(row, "events")?,
                first_event: get(row, "first_event")?,
                last_event: get(row, "last_event")?,
                last_status: get(row, "last_status")?,
            })
        };
        self.each(sql, params![], read, see)
    }

    fn each_event(&self, see: See<'_, EventState>) -> Result<(), Error> {
        let sql = "/* scans */ SELECT COALESCE(t.task_id, 'in place ' || e.task) AS task_id,
                COALESCE(k.network_id, CAST(e.network AS TEXT)) AS network_id, e.n, e.from_status, e.log_index,
                CASE WHEN t.seq IS NOT NULL THEN COALESCE(h.network_id, CAST(t.network AS TEXT)) END AS task_network_id,
                (SELECT b.to_status FROM task_events b
                 WHERE b.place = e.network << 40 | e.previous AND b.task = e.task AND b.n = e.n - 1) AS status_before,
                EXISTS (SELECT 1 FROM logs l WHERE l.network_id = k.network_id AND (e.log_index < l.bundled
                        OR EXISTS (SELECT 1 FROM evidence v WHERE v.place = l.log << 36 | e.log_index))) AS has_leaf
            FROM task_events e LEFT JOIN network_keys k ON k.key = e.network
            LEFT JOIN tasks t ON t.seq = e.task LEFT JOIN network_keys h ON h.key = t.network
            WHERE NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = e.network) ORDER BY e.place";
        let read = |row: &Row<'_>| {
            Ok(EventState {
                task_id: get(row, "task_id")?,
                network_id: get(row, "network_id")?,
                task_network_id: get(row, "task_network_id")?,
                n: get(row, "n")?,
                from_status: get(row, "from_status")?,
                status_before: get(row, "status_before")?,
                log_index: get(row, "log_index")?,
                has_leaf: get(row, "has_leaf")?,
            })
        };
        self.each(sql, params![], read, see)
    }

    fn each_wrong_task_count(&self, see: See<'_, WrongCount>) -> Result<(), Error> {
        let sql = "/* scans */ WITH counted AS
                (SELECT COALESCE(n.network_id, CAST(t.network AS TEXT)) AS network_id, t.status, COUNT(*) AS count
                 FROM tasks t LEFT JOIN network_keys n ON n.key = t.network
                 WHERE NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network) GROUP BY t.network, n.network_id, t.status)
            SELECT COALESCE(k.network_id, c.network_id) AS network_id, COALESCE(k.status, c.status) AS name,
                COALESCE(k.count, 0) AS counter, COALESCE(c.count, 0) AS counted
            FROM counted c FULL OUTER JOIN task_counts k ON k.network_id = c.network_id AND k.status = c.status
            WHERE COALESCE(k.count, 0) <> COALESCE(c.count, 0)";
        self.each(sql, params![], wrong_count, see)
    }

    fn each_wrong_inbox_count(&self, see: See<'_, WrongCount>) -> Result<(), Error> {
        let sql = "/* scans */ WITH counted AS
                (SELECT COALESCE(n.network_id, CAST(o.network AS TEXT)) AS network_id, o.to_kind, o.to_name, COUNT(*) AS count FROM
                    (SELECT network, to_kind, to_name FROM deliveries WHERE state = 0
                     UNION ALL SELECT network, 'node', to_name FROM tasks WHERE inbox_state = 0) o
                 LEFT JOIN network_keys n ON n.key = o.network GROUP BY o.network, n.network_id, o.to_name, o.to_kind)
            SELECT COALESCE(k.network_id, c.network_id) AS network_id,
                COALESCE(k.to_kind, c.to_kind) || ' ' || COALESCE(k.to_name, c.to_name) AS name,
                COALESCE(k.count, 0) AS counter, COALESCE(c.count, 0) AS counted
            FROM counted c FULL OUTER JOIN inbox_counts k
                ON k.network_id = c.network_id AND k.to_kind = c.to_kind AND k.to_name = c.to_name
            WHERE COALESCE(k.count, 0) <> COALESCE(c.count, 0)
                AND COALESCE(k.network_id, c.network_id) NOT IN (SELECT network_id FROM removals)";
        self.each(sql, params![], wrong_count, &mut *see)?;
        let sql = "/* scans */ WITH held AS
                (SELECT n.network_id, t.to_name, COUNT(*) AS count FROM tasks t JOIN network_keys n ON n.key = t.network
                 WHERE t.lease_id IS NOT NULL GROUP BY n.network_id, t.to_name)
            SELECT COALESCE(k.network_id, h.network_id) AS network_id,
                'leases of ' || COALESCE(k.to_name, h.to_name) AS name,
                COALESCE(k.leases, 0) AS counter, COALESCE(h.count, 0) AS counted
            FROM held h FULL OUTER JOIN inbox_counts k
                ON k.network_id = h.network_id AND k.to_kind = 'node' AND k.to_name = h.to_name
            WHERE COALESCE(k.leases, 0) <> COALESCE(h.count, 0)
                AND COALESCE(k.network_id, h.network_id) NOT IN (SELECT network_id FROM removals)";
        self.each(sql, params![], wrong_count, &mut *see)?;
        // Frames before the oldest that is kept may still be led to.
        let sql = "/* scans */ WITH frames AS
                (SELECT network, to_kind, to_name, n, previous,
                     LAG(n) OVER (PARTITION BY network, to_kind, to_name ORDER BY n) AS before,
                     ROW_NUMBER() OVER (PARTITION BY network, to_kind, to_name ORDER BY n DESC) AS from_last
                 FROM feed)
            SELECT w.network_id, CASE WHEN f.previous IS DISTINCT FROM f.before AND f.before IS NOT NULL
                     THEN 'the frame before ' || f.n || ' of ' ELSE 'the newest frame of ' END || f.to_name AS name,
                CASE WHEN f.previous IS DISTINCT FROM f.before AND f.before IS NOT NULL
                     THEN COALESCE(f.previous, 0) ELSE COALESCE(k.newest_frame, 0) END AS counter,
                CASE WHEN f.previous IS DISTINCT FROM f.before AND f.before IS NOT NULL THEN f.before ELSE f.n END AS counted
            FROM frames f JOIN network_keys w ON w.key = f.network
            LEFT JOIN inbox_counts k ON k.network_id = w.network_id AND k.to_kind = f.to_kind AND k.to_name = f.to_name
            WHERE ((f.before IS NOT NULL AND f.previous IS DISTINCT FROM f.before)
                   OR (f.from_last = 1 AND k.newest_frame IS DISTINCT FROM f.n))
                AND w.network_id NOT IN (SELECT network_id FROM removals)";
        self.each(sql, params![], wrong_count, see)
    }

    fn each_wrong_quota_count(&self, see: See<'_, WrongCount>) -> Result<(), Error> {
        let sql = "/* scans */ WITH counted (subject, kind, count) AS
                (SELECT owner_id, 'networks', COUNT(*) FROM networks
                    WHERE network_id NOT IN (SELECT network_id FROM removals) GROUP BY owner_id
                 UNION ALL SELECT user_id, 'memberships', COUNT(*) FROM members GROUP BY user_id
                 UNION ALL SELECT network_id, 'members', COUNT(*) FROM members GROUP BY network_id
                 UNION ALL SELECT user_id, 'tokens', COUNT(*) FROM tokens WHERE revoked_at IS NULL GROUP BY user_id
                 UNION ALL SELECT network_id, 'sessions', COUNT(*) FROM sessions GROUP BY network_id
                 UNION ALL SELECT network_id, 'workers', COUNT(*) FROM workers GROUP BY network_id
                 UNION ALL SELECT network_id, 'invites', COUNT(*) FROM invites GROUP BY network_id
                 UNION ALL SELECT network_id, 'push_configs', COUNT(*) FROM push_configs WHERE is_open GROUP BY network_id
                 UNION ALL SELECT network_id, 'remotes', COUNT(*) FROM remotes GROUP BY network_id
                 UNION ALL SELECT w.network_id, 'artifact_bytes', SUM(a.size) FROM artifacts a
                    JOIN network_keys w ON w.key = a.network GROUP BY w.network_id)
            SELECT COALESCE(k.subject, c.subject) AS network_id, COALESCE(k.kind, c.kind) AS name,
                COALESCE(k.used, 0) AS counter, COALESCE(c.count, 0) AS counted
            FROM counted c FULL OUTER JOIN quotas k ON k.subject = c.subject AND k.kind = c.kind
            WHERE COALESCE(k.used, 0) <> COALESCE(c.count, 0)";
        self.each(sql, params![], wrong_count, see)
    }

    fn each_wrong_artifact_count(&self, see: See<'_, WrongCount>) -> Result<(), Error> {
        let sql = "/* scans */ WITH counts (network, name, counter, counted) AS
                (SELECT t.network, 'artifacts of task ' || t.task_id, t.artifacts,
                     (SELECT COUNT(*) FROM artifact_refs r WHERE r.task = t.seq) FROM tasks t
                 UNION ALL SELECT a.network, 'references to artifact ' || lower(hex(a.sha256)), a.refs,
                     (SELECT COUNT(*) FROM artifact_refs r WHERE r.network = a.network AND r.sha256 = a.sha256
                         AND r.part IS NULL) FROM artifacts a)
            SELECT w.network_id, c.name, c.counter, c.counted FROM counts c JOIN network_keys w ON w.key = c.network
            WHERE c.counter <> c.counted AND w.network_id NOT IN (SELECT network_id FROM removals)";
        self.each(sql, params![], wrong_count, see)
    }

    fn artifact_states(&self, after: i64, limit: usize) -> Result<Vec<ArtifactState>, Error> {
        self.all(ARTIFACTS, params![after, limit as i64], artifact_state)
    }

    fn each_wrong_edge_count(&self, see: See<'_, WrongCount>) -> Result<(), Error> {
        self.each(&edges::wrong_counts(), params![], wrong_count, see)
    }

    fn each_stray(&self, see: See<'_, Stray>) -> Result<(), Error> {
        for (table, sql) in [
            (
                "deliveries",
                "/* scans */ SELECT CAST(d.task AS TEXT) AS stray FROM deliveries d
                 WHERE d.task IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.seq = d.task)
                    AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = d.network)",
            ),
            (
                "artifact_refs",
                "/* scans */ SELECT CAST(f.task AS TEXT) AS stray FROM artifact_refs f
                 WHERE NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = f.network)
                    AND (NOT EXISTS (SELECT 1 FROM tasks t WHERE t.seq = f.task)
                      OR (f.part IS NULL AND NOT EXISTS
                          (SELECT 1 FROM artifacts a WHERE a.network = f.network AND a.sha256 = f.sha256)))",
            ),
            (
                "tiles",
                "/* scans */ SELECT DISTINCT CAST(log AS TEXT) AS stray FROM tiles
                 WHERE log NOT IN (SELECT log FROM logs) AND log NOT IN (SELECT log FROM removals WHERE log IS NOT NULL)",
            ),
            (
                "checkpoints",
                "/* scans */ SELECT CAST(log AS TEXT) AS stray FROM checkpoints
                 WHERE log NOT IN (SELECT log FROM logs) AND log NOT IN (SELECT log FROM removals WHERE log IS NOT NULL)",
            ),
        ] {
            self.strays_of(table, sql, &mut *see)?;
        }
        self.strays_by_place(see)
    }

    fn each_leaf(
        &self,
        log: i64,
        see: &mut dyn FnMut(LogPart<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.walk_log(log, see)
    }

    fn tile_count(&self, log: i64) -> Result<u64, Error> {
        self.counted("SELECT COUNT(*) AS count FROM tiles WHERE log = ?1", [log])
    }

    fn has_task(&self, task_id: &str) -> Result<bool, Error> {
        Ok(self.one("SELECT 1 FROM tasks WHERE task_id = ?1", [task_id], |_| Ok(()))?.is_some())
    }

    fn recorded_event(&self, task_id: &str, n: i64) -> Result<Option<RecordedEvent>, Error> {
        let sql = &format!("SELECT k.network_id, e.from_status, e.to_status, e.actor, e.actor_token, e.created_at,
                e.log_index,
                t.seq, t.artifacts, t.kind, t.from_name, t.salt, CASE WHEN e.n = 1 THEN t.content END AS content,
                CASE WHEN e.to_status IN ({ends}) THEN t.result END AS result
            FROM task_events e JOIN tasks t ON t.seq = e.task JOIN network_keys k ON k.key = e.network
            WHERE e.place = ?1", ends = listed(Status::terminal()));
        let Some((network, event)) = self.event_numbered(task_id, n)? else { return Ok(None) };
        self.one(sql, [numbered(network, event)], |row| {
            Ok(RecordedEvent {
                task: get(row, "seq")?,
                has_parts: get::<i64>(row, "artifacts")? > 0,
                network_id: get(row, "network_id")?,
                from_status: get(row, "from_status")?,
                to_status: get(row, "to_status")?,
                actor: get(row, "actor")?,
                actor_token: get(row, "actor_token")?,
                created_at: get(row, "created_at")?,
                log_index: get(row, "log_index")?,
                kind: get(row, "kind")?,
                from_name: get(row, "from_name")?,
                salt: get(row, "salt")?,
                content: get(row, "content")?,
                result: get(row, "result")?,
            })
        })
    }

    fn recorded_parts(&self, task: i64) -> Result<Vec<(i64, RecordedPart)>, Error> {
        let sql = "SELECT * FROM artifact_refs WHERE task = ?1 AND event IS NOT NULL ORDER BY n";
        self.all(sql, [task], |row| {
            let part = RecordedPart {
                hash: ArtifactHash::new(get(row, "sha256")?),
                size: get::<i64>(row, "size")?.unsigned_abs(),
                media_type: parsed(row, "media_type", |text| MediaType::parse("media_type", text).ok())?,
            };
            Ok((get(row, "event")?, part))
        })
    }

    fn knows_alias(&self, network_id: &str, alias: &str) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM aliases WHERE network_id = ?1 AND alias = ?2";
        Ok(self.one(sql, params![network_id, alias], |_| Ok(()))?.is_some())
    }
}

/// Artifacts after a place, in their order.
const ARTIFACTS: &str =
    "/* scans */ SELECT a.seq, w.network_id, lower(hex(a.sha256)) AS sha256, a.size, a.object
     FROM artifacts a JOIN network_keys w ON w.key = a.network WHERE a.seq > ?1 ORDER BY a.seq LIMIT ?2";

fn artifact_state(row: &Row<'_>) -> Result<ArtifactState, Error> {
    Ok(ArtifactState {
        seq: get(row, "seq")?,
        network_id: get(row, "network_id")?,
        sha256: get(row, "sha256")?,
        size: get::<i64>(row, "size")?.unsigned_abs(),
        object: get(row, "object")?,
    })
}

fn wrong_count(row: &Row<'_>) -> Result<WrongCount, Error> {
    Ok(WrongCount {
        network_id: get(row, "network_id")?,
        of: get(row, "name")?,
        counter: get(row, "counter")?,
        counted: get(row, "counted")?,
    })
}
