-- What an agent reports beyond a task's status: that it declines the task, or that its sender has to authenticate.

ALTER TABLE tasks ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0;              -- its agent declined it; its status is failed
ALTER TABLE task_messages ADD COLUMN auth_required INTEGER NOT NULL DEFAULT 0; -- the question asks its sender to authenticate
