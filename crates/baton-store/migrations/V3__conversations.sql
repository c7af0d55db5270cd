-- What a task needs to be a conversation: the context it belongs to, parts beside its text, and what was said on it.

ALTER TABLE tasks ADD COLUMN context_id TEXT;   -- NULL: the task's own id, it began the context
ALTER TABLE tasks ADD COLUMN parts TEXT;        -- a JSON array; NULL: the content is its only part
ALTER TABLE tasks ADD COLUMN answered_bare INTEGER NOT NULL DEFAULT 0; -- the answer is a message, not a task's result
CREATE INDEX tasks_by_context ON tasks (network_id, context_id, seq) WHERE context_id IS NOT NULL;

-- Questions, answers and what else was said on a task between its text and its result.
CREATE TABLE task_messages (
    network_id  TEXT NOT NULL,
    task_id     TEXT NOT NULL,
    n           INTEGER NOT NULL, -- from 1 within the task
    message_id  TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    author      TEXT NOT NULL,
    content     TEXT NOT NULL,
    parts       TEXT,             -- a JSON array; NULL: the content is its only part
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (network_id, task_id, n)
) STRICT, WITHOUT ROWID;
