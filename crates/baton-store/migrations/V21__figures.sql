-- Figures that are right: durations to within 5 %, and who sent tasks to whom from counters.

-- How long the answered and failed ones took, in finer buckets. `latencies` is what an earlier release counted of a
-- minute, in powers of two; what is counted now is here, and `latencies` is empty.
ALTER TABLE minutes ADD COLUMN durations BLOB NOT NULL DEFAULT x'';

-- What became of the tasks that were made in an hour, by sender and assignee; kept for some weeks. A network has at most
-- 1,000 edges of an hour; the tasks of further ones are counted in a row without names.
CREATE TABLE edges (
    network_id TEXT NOT NULL,
    hour       INTEGER NOT NULL, -- since 1970
    from_kind  TEXT NOT NULL,
    from_name  TEXT NOT NULL,
    to_name    TEXT NOT NULL,
    open       INTEGER NOT NULL,
    replied    INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    cancelled  INTEGER NOT NULL,
    expired    INTEGER NOT NULL,
    PRIMARY KEY (network_id, hour, from_kind, from_name, to_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_age ON edges (hour);

-- The hour from which on edges are counted: everything in a new database, 31 days in one that has tasks.
ALTER TABLE counting ADD COLUMN edges_since INTEGER NOT NULL DEFAULT 0;
UPDATE counting SET edges_since = unixepoch() / 3600 - 31 * 24 WHERE EXISTS (SELECT 1 FROM tasks);

INSERT INTO edges (network_id, hour, from_kind, from_name, to_name, open, replied, failed, cancelled, expired)
WITH counted AS (
    SELECT k.network_id, created_at / 3600000 AS hour, from_kind, from_name, to_name, COUNT(*) AS total,
        SUM(status IN ('delivered', 'acked', 'running', 'waiting_input')) AS open, SUM(status = 'replied') AS replied,
        SUM(status = 'failed') AS failed, SUM(status = 'cancelled') AS cancelled, SUM(status = 'expired') AS expired
    FROM tasks JOIN network_keys k ON k.key = tasks.network
    WHERE created_at >= 3600000 * (SELECT edges_since FROM counting)
        AND k.network_id NOT IN (SELECT network_id FROM removals)
    GROUP BY 1, 2, 3, 4, 5
), ranked AS (
    SELECT *, ROW_NUMBER() OVER
        (PARTITION BY network_id, hour ORDER BY total DESC, from_kind, from_name, to_name) <= 1000 AS is_own
    FROM counted
)
SELECT network_id, hour, IIF(is_own, from_kind, ''), IIF(is_own, from_name, ''), IIF(is_own, to_name, ''),
    SUM(open), SUM(replied), SUM(failed), SUM(cancelled), SUM(expired)
FROM ranked GROUP BY 1, 2, 3, 4, 5;
