-- Tasks that ended long ago leave the tables; what the logs say of them stays.

CREATE INDEX tasks_by_end ON tasks (completed_at) WHERE completed_at IS NOT NULL;

-- What has left a network. A check needs it to tell what left from what was lost.
CREATE TABLE retention (
    network_id TEXT NOT NULL PRIMARY KEY REFERENCES networks (network_id) ON DELETE CASCADE,
    through    INTEGER NOT NULL, -- nothing that left happened after this
    tasks      INTEGER NOT NULL,
    events     INTEGER NOT NULL  -- rows of history that had evidence
) STRICT, WITHOUT ROWID;

-- The last line of defence against losing a task: not even a faulty hub can delete one that retention has not written down.
CREATE TRIGGER a_task_leaves_only_by_retention BEFORE DELETE ON tasks
WHEN EXISTS (SELECT 1 FROM networks WHERE network_id = OLD.network_id)
    AND NOT EXISTS (SELECT 1 FROM retention
                    WHERE network_id = OLD.network_id AND through >= OLD.completed_at
                        AND OLD.status IN ('replied', 'failed', 'cancelled', 'expired'))
BEGIN
    SELECT RAISE (ABORT, 'a task leaves only by retention, or with its network');
END;

-- How far a network's feed had come at a time: frames have no times of their own.
CREATE TABLE feed_marks (
    network_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (network_id, at)
) STRICT, WITHOUT ROWID;
