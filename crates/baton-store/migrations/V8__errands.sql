-- A task that goes from one agent of others to another, or back, is out more than once for a while: as long as the
-- first has not taken its cancel. So a row is one errand, not one task. And a receiver that hears nothing more
-- keeps no secrets.

CREATE TABLE errands (
    errand_id         TEXT NOT NULL PRIMARY KEY, -- also what its first message is called there
    task_id           TEXT NOT NULL,
    network_id        TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias             TEXT NOT NULL,
    lease_id          TEXT,             -- under which the hub works on it
    remote_task_id    TEXT,             -- NULL: its text has not arrived there, as far as is known
    remote_context_id TEXT,
    asked             TEXT,             -- its last question that was passed back to the sender
    passed_on         INTEGER NOT NULL, -- the number of the last message on the task that was passed on
    began_at          INTEGER NOT NULL,
    is_called_off     INTEGER NOT NULL  -- 1: nobody works on it again; it is only to be cancelled there
) STRICT, WITHOUT ROWID;
-- What is out keeps the name and the key it was sent with.
INSERT INTO errands SELECT task_id, task_id, network_id, alias, lease_id, remote_task_id, remote_context_id, asked,
                           passed_on, began_at, 0 FROM remote_tasks;
DROP TABLE remote_tasks;
ALTER TABLE errands RENAME TO remote_tasks;
CREATE INDEX remote_tasks_by_alias ON remote_tasks (network_id, alias);
CREATE INDEX remote_tasks_by_task ON remote_tasks (task_id);

UPDATE push_configs SET token = NULL, credentials = NULL WHERE NOT is_open;
-- Failing receivers network by network, so that none waits behind another network's.
DROP INDEX push_configs_failing;
CREATE INDEX push_configs_failing ON push_configs (network_id, next_at, task_id, config_id) WHERE next_at IS NOT NULL;
