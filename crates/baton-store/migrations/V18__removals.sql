-- A deleted network is gone at once for everybody; its rows leave in small steps, so that nobody waits for them.

CREATE TABLE removals (
    network_id TEXT NOT NULL PRIMARY KEY,
    log        INTEGER -- the number its evidence log had; NULL: it had none
) STRICT, WITHOUT ROWID;

DROP TRIGGER a_task_leaves_only_by_retention;
CREATE TRIGGER a_task_leaves_only_by_retention BEFORE DELETE ON tasks
WHEN EXISTS (SELECT 1 FROM networks WHERE network_id = OLD.network_id)
    AND NOT EXISTS (SELECT 1 FROM removals WHERE network_id = OLD.network_id)
    AND NOT EXISTS (SELECT 1 FROM retention
                    WHERE network_id = OLD.network_id AND through >= OLD.completed_at
                        AND OLD.status IN ('replied', 'failed', 'cancelled', 'expired'))
BEGIN
    SELECT RAISE (ABORT, 'a task leaves only by retention, or with its network');
END;
