-- What each message on a task is to its conversation, which answers a question takes, and how long it waits.

ALTER TABLE task_messages ADD COLUMN kind TEXT NOT NULL DEFAULT 'message'; -- question, answer or message
ALTER TABLE task_messages ADD COLUMN options TEXT;              -- a JSON array; NULL: the question takes any answer
ALTER TABLE task_messages ADD COLUMN input_ttl_seconds INTEGER; -- how long the question waits; NULL: it is none

-- Until now only an agent's questions came from anybody but the sender, and whatever the sender said next was the answer.
UPDATE task_messages SET kind = 'question', input_ttl_seconds = 604800
    WHERE EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = task_messages.task_id
                  AND (t.from_kind <> task_messages.author_kind OR t.from_name <> task_messages.author));
UPDATE task_messages SET kind = 'answer'
    WHERE kind = 'message' AND EXISTS
        (SELECT 1 FROM task_messages q WHERE q.network_id = task_messages.network_id
         AND q.task_id = task_messages.task_id AND q.n = task_messages.n - 1 AND q.kind = 'question');

-- A task that waits for input expires by its question, not by what its sender gave it to be taken up.
UPDATE tasks SET expires_at = MAX(expires_at, COALESCE(
        (SELECT e.created_at FROM task_events e WHERE e.place = tasks.network << 40 | tasks.last_event) + 604800000,
        expires_at))
    WHERE status = 'waiting_input';
