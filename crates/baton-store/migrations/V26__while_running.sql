-- What an agent reports beyond a task's status: that it declines the task, that its sender has to authenticate, how far
-- the work is and what its command prints. And what a sender allows the runs of a task.

ALTER TABLE tasks ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0;              -- its agent declined it; its status is failed
ALTER TABLE task_messages ADD COLUMN auth_required INTEGER NOT NULL DEFAULT 0; -- the question asks its sender to authenticate

-- The latest progress of the run; all NULL: none was reported.
ALTER TABLE tasks ADD COLUMN progress_n INTEGER;       -- from 1 within the run
ALTER TABLE tasks ADD COLUMN progress_event INTEGER;   -- the number of the task's last event when it was reported
ALTER TABLE tasks ADD COLUMN progress_percent INTEGER;
ALTER TABLE tasks ADD COLUMN progress_message TEXT;
ALTER TABLE tasks ADD COLUMN progress_at INTEGER;

-- The last of what a task's command printed.
CREATE TABLE task_outputs (
    task    INTEGER PRIMARY KEY, -- the task's place
    network INTEGER NOT NULL,
    written INTEGER NOT NULL,    -- how many bytes it printed in all
    tail    TEXT NOT NULL        -- the last of them
) STRICT;
CREATE INDEX task_outputs_by_network ON task_outputs (network);

-- What its sender allows its runs.
ALTER TABLE tasks ADD COLUMN retry_backoff_seconds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN run_timeout_seconds INTEGER; -- NULL: a run takes as long as it takes
ALTER TABLE tasks ADD COLUMN due_at INTEGER;              -- when the run takes too long, or a pause before a delivery is over
CREATE INDEX tasks_by_due ON tasks (due_at) WHERE due_at IS NOT NULL;
