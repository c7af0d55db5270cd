-- Ids that callers see count within one network, so that nobody can tell how much others do.

-- A row of history is numbered by its place in the network's log: log_index + 1 where this is NULL.
ALTER TABLE task_events ADD COLUMN number INTEGER;
-- Networks with rows that have no place in a log are numbered from 1.
UPDATE task_events SET number = numbered.number
FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY network_id ORDER BY id) AS number FROM task_events
      WHERE network_id IN (SELECT network_id FROM task_events WHERE log_index IS NULL)) AS numbered
WHERE task_events.id = numbered.id;

ALTER TABLE completions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE completions SET number = numbered.number
FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY network_id ORDER BY id) AS number FROM completions) AS numbered
WHERE completions.id = numbered.id;
-- The number of the newest completion: completions leave, numbers are never used again.
ALTER TABLE networks ADD COLUMN completions_numbered INTEGER NOT NULL DEFAULT 0;
UPDATE networks SET completions_numbered = (SELECT COUNT(*) FROM completions c WHERE c.network_id = networks.network_id);

-- The secret that cursors are sealed with.
CREATE TABLE cursor_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key BLOB NOT NULL
) STRICT;
INSERT INTO cursor_key (one, key) VALUES (1, randomblob(32));
