-- Parts that an agent shares before the end of a task: a text, data or a link stands in the reference itself, and the first
-- reference of an event says how its parts go on with those before.

ALTER TABLE artifact_refs ADD COLUMN part TEXT;  -- a JSON object with one of text, url and data; NULL: the bytes are an artifact
ALTER TABLE artifact_refs ADD COLUMN chunk TEXT; -- a JSON object; NULL: not the first of an event
