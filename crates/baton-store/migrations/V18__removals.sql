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

-- An account may make another network as soon as one is deleted, not only when its last row has left.
DROP TRIGGER deleted_networks_are_counted;
CREATE TRIGGER removed_networks_are_counted AFTER INSERT ON removals BEGIN
    UPDATE quotas SET used = used - 1
    WHERE kind = 'networks' AND subject = (SELECT owner_id FROM networks WHERE network_id = NEW.network_id);
END;
CREATE TRIGGER deleted_networks_are_counted AFTER DELETE ON networks BEGIN
    DELETE FROM quotas WHERE subject = OLD.network_id;
END;
