-- What the dashboard shows of a network as a whole.

-- What happened in a minute, added up in the transactions in which it happened and kept for some days.
CREATE TABLE minutes (
    network_id TEXT NOT NULL,
    minute     INTEGER NOT NULL, -- since 1970
    sent       INTEGER NOT NULL,
    replied    INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    cancelled  INTEGER NOT NULL,
    expired    INTEGER NOT NULL,
    handoffs   INTEGER NOT NULL, -- evidence events whose handoff is visible
    latencies  BLOB NOT NULL,    -- how long the answered and failed ones took: 32 counts, 4 bytes each
    PRIMARY KEY (network_id, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX minutes_by_age ON minutes (minute);

-- Since when minutes are counted: what happened before has none.
CREATE TABLE counting (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    since INTEGER NOT NULL
) STRICT;
INSERT INTO counting (one, since) VALUES (1, CAST(unixepoch('subsec') * 1000 AS INTEGER));

CREATE INDEX tasks_by_parent ON tasks (parent_task_id, seq) WHERE parent_task_id IS NOT NULL;
