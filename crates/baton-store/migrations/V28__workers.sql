-- Who is there, and how each agent did.

-- A running worker of an agent. An alias may have several; each repeats its row while it runs, and a silent one is removed.
CREATE TABLE workers (
    network_id   TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias        TEXT NOT NULL,
    worker_id    TEXT NOT NULL, -- chosen by the worker
    token_id     TEXT NOT NULL,
    hostname     TEXT,
    project_dir  TEXT,
    version      TEXT,
    concurrency  INTEGER,       -- tasks at the same time
    description  TEXT,          -- NULL: it describes nothing
    skills       TEXT,          -- a JSON array; NULL: it names none
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    PRIMARY KEY (network_id, alias, worker_id)
) STRICT;
CREATE INDEX workers_by_token ON workers (token_id);
CREATE INDEX workers_by_age ON workers (last_seen_at);

CREATE TRIGGER workers_are_counted AFTER INSERT ON workers BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'workers', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER removed_workers_are_counted AFTER DELETE ON workers BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'workers';
END;

-- Whatever revokes a token, its workers are gone with it.
CREATE TRIGGER workers_leave_with_a_revoked_token AFTER UPDATE OF revoked_at ON tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
    DELETE FROM workers WHERE token_id = OLD.token_id;
END;
CREATE TRIGGER workers_leave_with_a_deleted_token AFTER DELETE ON tokens BEGIN
    DELETE FROM workers WHERE token_id = OLD.token_id;
END;

-- What a worker last said the agent is and can do. It outlives the worker, as a session's words do.
ALTER TABLE aliases ADD COLUMN description TEXT;
ALTER TABLE aliases ADD COLUMN skills TEXT; -- a JSON array

-- How long the answered and failed tasks of an edge took: a histogram, as in `minutes`. Empty for what was counted before.
ALTER TABLE edges ADD COLUMN durations BLOB NOT NULL DEFAULT x'';
