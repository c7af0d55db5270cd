-- The evidence: one append-only log per network. An event and the packet behind it are written in the transaction of
-- what they are about; the tree over them (tiles) and the signed checkpoint follow within a second, from the rows.

-- A number per network, so that one integer names an event's place; never used again.
CREATE TABLE logs (
    log        INTEGER PRIMARY KEY AUTOINCREMENT,
    network_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE evidence (
    place  INTEGER PRIMARY KEY, -- log << 36 | index: one b-tree, and a network's events lie side by side
    about  TEXT,                -- the task, where no row of task_events leads here
    event  BLOB NOT NULL,       -- canonical: the leaf itself
    packet BLOB NOT NULL        -- what the adapter was given
) STRICT;
CREATE INDEX evidence_by_task ON evidence (about, place) WHERE about IS NOT NULL;

-- The last line of defence for "append-only". Events leave only with their whole log.
CREATE TRIGGER evidence_never_changes BEFORE UPDATE ON evidence
BEGIN
    SELECT RAISE (ABORT, 'evidence never changes');
END;
CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence
WHEN EXISTS (SELECT 1 FROM logs WHERE log = OLD.place >> 36)
BEGIN
    SELECT RAISE (ABORT, 'evidence stays as long as its log');
END;

-- Hashes of the tree: 256 of a level side by side, 32 bytes each; fewer at the right edge.
CREATE TABLE tiles (
    log    INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    n      INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (log, level, n)
) STRICT;

-- The newest of each log: how much of it is signed.
CREATE TABLE checkpoints (
    log       INTEGER PRIMARY KEY,
    size      INTEGER NOT NULL,
    root      BLOB NOT NULL,
    note      TEXT NOT NULL,
    sealed_at INTEGER NOT NULL
) STRICT;

-- Packets that were handed in, so that the same one is not written down twice.
CREATE TABLE reported_packets (
    log       INTEGER NOT NULL,
    reporter_kind TEXT NOT NULL,
    reporter  TEXT NOT NULL,
    sha256    BLOB NOT NULL,
    log_index INTEGER NOT NULL,
    PRIMARY KEY (log, reporter_kind, reporter, sha256)
) STRICT, WITHOUT ROWID;

-- The public key of the checkpoints; the private one is a file beside the database.
CREATE TABLE evidence_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL
) STRICT;

-- Where an event of a task stands in the log; NULL for what happened before there was one.
ALTER TABLE task_events ADD COLUMN log_index INTEGER;

-- What digests of a task's texts are salted with: who has the log alone cannot guess short texts.
ALTER TABLE tasks ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
UPDATE tasks SET salt = randomblob(16) WHERE status IN ('delivered', 'acked', 'running', 'waiting_input');

-- What an agent says it can do.
ALTER TABLE sessions ADD COLUMN description TEXT;
ALTER TABLE sessions ADD COLUMN skills TEXT; -- a JSON array
