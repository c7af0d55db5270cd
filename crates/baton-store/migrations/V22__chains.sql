-- Fewer b-trees for every change. Rows that are read from the newest back to older ones lead to each other, instead of
-- standing in an index of their own: a task's history, and the frames for one recipient.

-- A task's row leads to the newest row of its history, and each of those to the one before it.
ALTER TABLE tasks ADD COLUMN last_event INTEGER; -- its id; NULL: it has no history
DROP TRIGGER a_terminal_task_never_changes;
UPDATE tasks SET last_event = (SELECT id FROM task_events e WHERE e.task = tasks.seq ORDER BY e.n DESC LIMIT 1);
-- Without a list of the states: SQLite would build a table of it for every update.
CREATE TRIGGER a_terminal_task_never_changes BEFORE UPDATE ON tasks
WHEN OLD.status = 'replied' OR OLD.status = 'failed' OR OLD.status = 'cancelled' OR OLD.status = 'expired'
BEGIN
    SELECT RAISE (ABORT, 'a terminal task never changes');
END;

CREATE TABLE chained_events (
    network     INTEGER NOT NULL,
    id          INTEGER NOT NULL, -- in the order of events of all networks
    task        INTEGER NOT NULL, -- the task's place
    n           INTEGER NOT NULL, -- from 1 within the task, without gaps
    previous    INTEGER,          -- the id of the one before it within the task
    from_status TEXT,
    to_status   TEXT NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor       TEXT NOT NULL,
    detail      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    log_index   INTEGER,          -- NULL: it happened before there was a log
    actor_token TEXT,
    number      INTEGER,          -- within the network; NULL: log_index + 1
    PRIMARY KEY (network, id)
) STRICT, WITHOUT ROWID;
INSERT INTO chained_events
    -- Along the indexes there are, so that nothing is sorted in memory.
    SELECT e.network, e.id, e.task, e.n,
        (SELECT p.id FROM task_events p WHERE p.task = e.task AND p.n < e.n ORDER BY p.n DESC LIMIT 1),
        e.from_status, e.to_status, e.actor_kind, e.actor, e.detail, e.created_at, e.log_index, e.actor_token, e.number
    FROM task_events e ORDER BY e.network, e.id;
-- Numbers are reserved ahead, so many at once: those of this row and below may be in use, none above it is.
UPDATE numbers SET event = MAX(event, (SELECT COALESCE(MAX(id), 0) FROM task_events)),
    place = MAX(place, (SELECT COALESCE(MAX(seq), 0) FROM tasks), (SELECT COALESCE(MAX(seq), 0) FROM deliveries));
DROP TABLE task_events;
ALTER TABLE chained_events RENAME TO task_events;

-- A frame leads to the one before it for the same recipient, and the recipient's row to the newest.
ALTER TABLE feed ADD COLUMN previous INTEGER;
UPDATE feed SET previous =
    (SELECT p.n FROM feed p WHERE p.network = feed.network AND p.to_name = feed.to_name AND p.to_kind = feed.to_kind
         AND p.n < feed.n ORDER BY p.n DESC LIMIT 1);
DROP INDEX feed_by_recipient;

-- What is known of a recipient beside its open deliveries: its newest frame, and the leases it holds as an agent.
ALTER TABLE inbox_counts ADD COLUMN newest_frame INTEGER;
ALTER TABLE inbox_counts ADD COLUMN leases INTEGER NOT NULL DEFAULT 0;
INSERT INTO inbox_counts (network_id, to_kind, to_name, count, newest_frame)
    SELECT k.network_id, f.to_kind, f.to_name, 0, MAX(f.n) FROM feed f JOIN network_keys k ON k.key = f.network
    GROUP BY k.network_id, f.to_kind, f.to_name
    ON CONFLICT (network_id, to_kind, to_name) DO UPDATE SET newest_frame = excluded.newest_frame;
INSERT INTO inbox_counts (network_id, to_kind, to_name, count, leases)
    SELECT k.network_id, 'node', t.to_name, 0, COUNT(*) FROM tasks t JOIN network_keys k ON k.key = t.network
    WHERE t.lease_id IS NOT NULL GROUP BY k.network_id, t.to_name
    ON CONFLICT (network_id, to_kind, to_name) DO UPDATE SET leases = excluded.leases;
DROP INDEX tasks_by_holder;

-- An inbox is held to its length by what is open in it; what is acked leaves by its age.
DROP INDEX deliveries_kept;
