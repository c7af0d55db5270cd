-- Rows that are only ever appended have one number for a key. SQLite adds to the right edge of such a table without
-- touching the pages beside it; a table without rowids is split among three pages each time one is full.

CREATE TABLE appended_events (
    place       INTEGER PRIMARY KEY, -- network << 40 | id
    network     INTEGER GENERATED ALWAYS AS (place >> 40) VIRTUAL,
    id          INTEGER GENERATED ALWAYS AS (place & 0xFFFFFFFFFF) VIRTUAL, -- in the order of events of all networks
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
    number      INTEGER           -- within the network; NULL: log_index + 1
) STRICT;
INSERT INTO appended_events (place, task, n, previous, from_status, to_status, actor_kind, actor, detail, created_at,
        log_index, actor_token, number)
    SELECT network << 40 | id, task, n, previous, from_status, to_status, actor_kind, actor, detail, created_at,
        log_index, actor_token, number
    FROM task_events ORDER BY network, id;
DROP TABLE task_events;
ALTER TABLE appended_events RENAME TO task_events;

CREATE TABLE appended_frames (
    place    INTEGER PRIMARY KEY, -- network << 40 | n
    network  INTEGER GENERATED ALWAYS AS (place >> 40) VIRTUAL,
    n        INTEGER GENERATED ALWAYS AS (place & 0xFFFFFFFFFF) VIRTUAL, -- from 1 within the network
    to_kind  TEXT NOT NULL,
    to_name  TEXT NOT NULL,
    body     TEXT NOT NULL, -- the frame's JSON
    previous INTEGER        -- the one before it for the same recipient
) STRICT;
INSERT INTO appended_frames (place, to_kind, to_name, body, previous)
    SELECT network << 40 | n, to_kind, to_name, body, previous FROM feed ORDER BY network, n;
DROP TABLE feed;
ALTER TABLE appended_frames RENAME TO feed;

-- These refuse a row before it is changed, so there is nothing for SQLite to undo: with ABORT it would keep a copy of
-- every page that the statement touches.
DROP TRIGGER a_terminal_task_never_changes;
CREATE TRIGGER a_terminal_task_never_changes BEFORE UPDATE ON tasks
WHEN OLD.status = 'replied' OR OLD.status = 'failed' OR OLD.status = 'cancelled' OR OLD.status = 'expired'
BEGIN
    SELECT RAISE (FAIL, 'a terminal task never changes');
END;
DROP TRIGGER evidence_stays;
CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence
WHEN EXISTS (SELECT 1 FROM logs WHERE log = OLD.place >> 36
             AND NOT (OLD.place & 0xFFFFFFFFF < bundled
                      AND length(OLD.event) BETWEEN 1 AND 16384 AND length(OLD.packet) <= 16384))
BEGIN
    SELECT RAISE (FAIL, 'evidence stays as long as its log');
END;
