-- What an agent of others said is noted before it is acted on, also when the lease is lost meanwhile; and how often a
-- task's text was sent without an answer, so that nobody works on it time and again.

ALTER TABLE remote_tasks ADD COLUMN answer TEXT;                             -- a message that is all there is
ALTER TABLE remote_tasks ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;   -- sends of its text without an answer
