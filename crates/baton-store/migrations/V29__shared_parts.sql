-- Parts that an agent shares before the end of a task: a text, data or a link stands in the reference itself, and the first
-- reference of an event says how its parts go on with those before.

ALTER TABLE artifact_refs ADD COLUMN part TEXT;  -- a JSON object with one of text, url and data; NULL: the bytes are an artifact
ALTER TABLE artifact_refs ADD COLUMN chunk TEXT; -- a JSON object; NULL: not the first of an event

-- Only what is stored as an artifact counts as a reference to it.
DROP TRIGGER artifact_refs_are_counted;
DROP TRIGGER deleted_artifact_refs_are_counted;
CREATE TRIGGER artifact_refs_are_counted AFTER INSERT ON artifact_refs WHEN NEW.part IS NULL BEGIN
    UPDATE artifacts SET refs = refs + 1 WHERE network = NEW.network AND sha256 = NEW.sha256;
END;
CREATE TRIGGER deleted_artifact_refs_are_counted AFTER DELETE ON artifact_refs WHEN OLD.part IS NULL BEGIN
    UPDATE artifacts SET refs = refs - 1 WHERE network = OLD.network AND sha256 = OLD.sha256;
END;
