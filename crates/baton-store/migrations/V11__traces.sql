-- The trace a task was sent in (W3C Trace Context); whoever works on it goes on in the same.

ALTER TABLE tasks ADD COLUMN traceparent TEXT; -- NULL: its sender named none
