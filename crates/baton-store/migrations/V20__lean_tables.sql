-- Fewer b-trees per task. A task's row carries its own delivery and its lease; the tables that grow with tasks name a
-- network by a small number and a task by its place; and one order of places spans tasks and other deliveries, so that
-- an inbox is in one order. Places and events are numbered by the program, which costs no table of SQLite's own.

-- The number by which those tables name a network. Never used again.
CREATE TABLE network_keys (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    network_id TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO network_keys (network_id)
    SELECT network_id FROM networks UNION SELECT network_id FROM tasks UNION SELECT network_id FROM task_events
    UNION SELECT network_id FROM deliveries UNION SELECT network_id FROM feed UNION SELECT network_id FROM removals
    UNION SELECT network_id FROM leases;

-- The newest numbers given out: rows leave, numbers are never used again.
CREATE TABLE numbers (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    place INTEGER NOT NULL, -- of a task or a delivery
    event INTEGER NOT NULL  -- of a row of history
) STRICT;
INSERT INTO numbers (one, place, event) VALUES (1,
    MAX(COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'tasks'), 0),
        COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'), 0)),
    COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'task_events'), 0));

-- Which deliveries of a task were its first and its newest.
CREATE INDEX deliveries_of_tasks ON deliveries (task_id, seq) WHERE type = 'task';
CREATE TABLE task_places (
    task_id TEXT NOT NULL PRIMARY KEY,
    seq     INTEGER NOT NULL, -- the place of its first delivery: tasks and deliveries were made in the same order
    newest  INTEGER           -- the place of its newest delivery; NULL: it has none
) STRICT, WITHOUT ROWID;
INSERT INTO task_places
    SELECT t.task_id,
        COALESCE((SELECT MIN(d.seq) FROM deliveries d WHERE d.task_id = t.task_id AND d.type = 'task'),
                 (SELECT place FROM numbers) + t.seq),
        (SELECT MAX(d.seq) FROM deliveries d WHERE d.task_id = t.task_id AND d.type = 'task')
    FROM tasks t;
UPDATE numbers SET place = MAX(place, (SELECT COALESCE(MAX(seq), 0) FROM task_places));

CREATE TABLE lean_tasks (
    seq              INTEGER PRIMARY KEY, -- its place in the order of tasks and deliveries
    task_id          TEXT NOT NULL UNIQUE,
    network          INTEGER NOT NULL,
    from_kind        TEXT NOT NULL,
    from_name        TEXT NOT NULL,
    to_name          TEXT NOT NULL,
    kind             TEXT NOT NULL,
    priority         INTEGER NOT NULL, -- 0 high, 1 normal, 2 low: the order of the inbox
    status           TEXT NOT NULL,
    attempt          INTEGER NOT NULL,
    max_attempts     INTEGER NOT NULL,
    ttl_seconds      INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    delivered_at     INTEGER NOT NULL,
    started_at       INTEGER,
    completed_at     INTEGER,
    expires_at       INTEGER NOT NULL,
    -- Its newest delivery; an earlier one, to whoever had the task before, is a row of deliveries.
    inbox_state      INTEGER NOT NULL, -- 0 open, 1 hidden by a claim, 2 acked
    inbox_place      INTEGER NOT NULL,
    redelivered_at   INTEGER,          -- when that was made; NULL: with the task
    delivery_id      TEXT,             -- NULL: the task's own id
    -- A worker's hold on it. Deadlines are monotonic, so they are armed anew at every start.
    lease_id         TEXT,
    lease_seconds    INTEGER,
    lease_deadline   INTEGER,
    lease_expires_at INTEGER,
    parent_task_id   TEXT,
    retry_of         TEXT,
    salt             BLOB NOT NULL,
    context_id       TEXT,  -- NULL: the task's own id, it began the context
    content          TEXT NOT NULL,
    context          TEXT,
    meta             TEXT,
    result           TEXT,
    parts            TEXT,  -- a JSON array; NULL: the content is its only part
    answered_bare    INTEGER NOT NULL, -- the answer is a message, not a task's result
    traceparent      TEXT   -- NULL: its sender named none
) STRICT;
INSERT INTO lean_tasks
    SELECT p.seq, t.task_id, k.key, t.from_kind, t.from_name, t.to_name, t.kind,
        CASE t.priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END,
        t.status, t.attempt, t.max_attempts, t.ttl_seconds, t.created_at, t.delivered_at, t.started_at, t.completed_at,
        t.expires_at, COALESCE(d.state, 2), COALESCE(p.newest, p.seq),
        CASE WHEN p.newest <> p.seq THEN d.created_at END,
        CASE WHEN d.message_id <> t.task_id THEN d.message_id END,
        l.lease_id, l.lease_seconds, l.deadline, l.expires_at,
        t.parent_task_id, t.retry_of, t.salt, t.context_id, t.content, t.context, t.meta, t.result, t.parts,
        t.answered_bare, t.traceparent
    FROM tasks t
    JOIN task_places p ON p.task_id = t.task_id
    JOIN network_keys k ON k.network_id = t.network_id
    LEFT JOIN deliveries d ON d.seq = p.newest
    LEFT JOIN leases l ON l.task_id = t.task_id
    ORDER BY p.seq;

CREATE TABLE lean_events (
    id          INTEGER PRIMARY KEY,
    network     INTEGER NOT NULL,
    task        INTEGER NOT NULL, -- the task's place
    n           INTEGER NOT NULL, -- from 1 within the task, without gaps
    from_status TEXT,
    to_status   TEXT NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor       TEXT NOT NULL,
    detail      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    log_index   INTEGER,          -- NULL: it happened before there was a log
    actor_token TEXT,
    number      INTEGER           -- within the network; NULL: log_index + 1
) STRICT;
INSERT INTO lean_events
    SELECT e.id, k.key, COALESCE(p.seq, -e.id), e.n, e.from_status, e.to_status, e.actor_kind, e.actor, e.detail,
        e.created_at, e.log_index, e.actor_token, NULLIF(e.number, e.log_index + 1)
    FROM task_events e
    JOIN network_keys k ON k.network_id = e.network_id
    LEFT JOIN task_places p ON p.task_id = e.task_id
    ORDER BY e.id;

-- Messages, replies and broadcasts, and former deliveries of tasks.
CREATE TABLE lean_deliveries (
    seq        INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL,
    network    INTEGER NOT NULL,
    to_kind    TEXT NOT NULL,
    to_name    TEXT NOT NULL,
    from_kind  TEXT NOT NULL,
    from_name  TEXT NOT NULL,
    type       TEXT NOT NULL,
    priority   INTEGER NOT NULL,
    task       INTEGER,          -- the place of the task it is about
    content    TEXT,             -- NULL: the task's own
    created_at INTEGER NOT NULL,
    state      INTEGER NOT NULL  -- 0 open, 2 acked
) STRICT;
INSERT INTO lean_deliveries
    SELECT d.seq, d.message_id, k.key, d.to_kind, d.to_name, d.from_kind, d.from_name, d.type, d.priority, p.seq,
        d.content, d.created_at, CASE WHEN d.type = 'task' THEN 2 ELSE d.state END
    FROM deliveries d
    JOIN network_keys k ON k.network_id = d.network_id
    LEFT JOIN task_places p ON p.task_id = d.task_id
    WHERE d.type <> 'task' OR d.seq <> p.newest
    ORDER BY d.seq;

CREATE TABLE lean_feed (
    network INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    to_kind TEXT NOT NULL,
    to_name TEXT NOT NULL,
    body    TEXT NOT NULL, -- the frame's JSON
    PRIMARY KEY (network, n)
) STRICT, WITHOUT ROWID;
INSERT INTO lean_feed
    SELECT k.key, f.n, f.to_kind, f.to_name, f.body FROM feed f JOIN network_keys k ON k.network_id = f.network_id
    ORDER BY k.key, f.n;

DROP TABLE task_places;
DROP TABLE leases;
DROP TABLE feed;
DROP TABLE deliveries;
DROP TABLE task_events;
DROP TABLE tasks;
ALTER TABLE lean_feed RENAME TO feed;
ALTER TABLE lean_deliveries RENAME TO deliveries;
ALTER TABLE lean_events RENAME TO task_events;
ALTER TABLE lean_tasks RENAME TO tasks;

-- Cursors hold places, and those of tasks are others now: cursors from before are not opened again.
UPDATE cursor_key SET key = randomblob(32);

ALTER TABLE removals ADD COLUMN network INTEGER;
UPDATE removals SET network = (SELECT key FROM network_keys k WHERE k.network_id = removals.network_id);
CREATE INDEX removals_by_key ON removals (network);

CREATE INDEX tasks_by_status ON tasks (network, status, seq);
CREATE INDEX tasks_by_recipient ON tasks (network, to_name, seq);
CREATE INDEX tasks_by_sender ON tasks (network, from_name, seq);
CREATE INDEX tasks_in_inboxes ON tasks (network, to_name, priority, inbox_place) WHERE inbox_state = 0;
CREATE INDEX tasks_redelivered ON tasks (network, inbox_place) WHERE redelivered_at IS NOT NULL;
CREATE INDEX tasks_by_place ON tasks (inbox_place) WHERE redelivered_at IS NOT NULL;
CREATE INDEX tasks_by_delivery ON tasks (delivery_id) WHERE delivery_id IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_lease ON tasks (lease_id) WHERE lease_id IS NOT NULL;
CREATE INDEX tasks_by_holder ON tasks (network, to_name) WHERE lease_id IS NOT NULL;
CREATE INDEX tasks_by_deadline ON tasks (lease_deadline) WHERE lease_id IS NOT NULL;
-- That a task has not ended is said by a column that a claim does not change, so that a claim leaves this as it is.
CREATE INDEX tasks_by_expiry ON tasks (expires_at) WHERE completed_at IS NULL;
CREATE INDEX tasks_by_end ON tasks (completed_at) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_retried ON tasks (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX tasks_by_context ON tasks (network, context_id, seq) WHERE context_id IS NOT NULL;
CREATE INDEX tasks_by_parent ON tasks (parent_task_id, seq) WHERE parent_task_id IS NOT NULL;

CREATE UNIQUE INDEX task_events_by_task ON task_events (task, n);
CREATE INDEX task_events_by_network ON task_events (network, id);

CREATE INDEX deliveries_open ON deliveries (network, to_name, to_kind, priority, seq) WHERE state = 0;
CREATE INDEX deliveries_by_message ON deliveries (message_id) WHERE state = 0;
CREATE INDEX deliveries_by_task ON deliveries (task) WHERE task IS NOT NULL;
CREATE INDEX deliveries_by_network ON deliveries (network, seq);
CREATE INDEX deliveries_kept ON deliveries (network, to_name, to_kind, seq);

CREATE INDEX feed_by_recipient ON feed (network, to_name, to_kind, n);

-- The last line of defence for "terminal is final": not even a faulty hub can change such a row.
CREATE TRIGGER a_terminal_task_never_changes BEFORE UPDATE ON tasks
WHEN OLD.status IN ('replied', 'failed', 'cancelled', 'expired')
BEGIN
    SELECT RAISE (ABORT, 'a terminal task never changes');
END;
-- And against losing a task: not even a faulty hub can delete one that retention has not written down.
CREATE TRIGGER a_task_leaves_only_by_retention BEFORE DELETE ON tasks
WHEN EXISTS (SELECT 1 FROM network_keys k JOIN networks w ON w.network_id = k.network_id WHERE k.key = OLD.network)
    AND NOT EXISTS (SELECT 1 FROM removals WHERE network = OLD.network)
    AND NOT EXISTS (SELECT 1 FROM network_keys k JOIN retention r ON r.network_id = k.network_id
                    WHERE k.key = OLD.network AND r.through >= OLD.completed_at
                        AND OLD.status IN ('replied', 'failed', 'cancelled', 'expired'))
BEGIN
    SELECT RAISE (ABORT, 'a task leaves only by retention, or with its network');
END;
