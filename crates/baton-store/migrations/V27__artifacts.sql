-- Artifacts: bytes with a name. The bytes lie outside the database, each upload as an object of its own; a row names the
-- object of each SHA-256 that a network has, and is written once the object is durable.

CREATE TABLE artifacts (
    seq        INTEGER NOT NULL PRIMARY KEY,
    network    INTEGER NOT NULL,            -- a key of network_keys
    sha256     BLOB NOT NULL,
    size       INTEGER NOT NULL,
    object     TEXT NOT NULL,
    name       TEXT NOT NULL,               -- as it was last uploaded
    media_type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    touched_at INTEGER NOT NULL,            -- when it was last uploaded
    refs       INTEGER NOT NULL DEFAULT 0,  -- how many rows of artifact_refs name it
    UNIQUE (network, sha256)
) STRICT;
CREATE INDEX artifacts_of_network ON artifacts (network);
CREATE INDEX artifacts_unreferenced ON artifacts (touched_at) WHERE refs = 0;

-- Who uploaded an artifact: an agent may read and refer to its own before any task does.
CREATE TABLE artifact_uploaders (
    network       INTEGER NOT NULL,
    uploader_kind TEXT NOT NULL,
    uploader      TEXT NOT NULL,
    artifact      INTEGER NOT NULL REFERENCES artifacts (seq) ON DELETE CASCADE,
    PRIMARY KEY (network, uploader_kind, uploader, artifact)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_uploaders_of_artifact ON artifact_uploaders (artifact);

-- What refers to an artifact, numbered within its task. Rows are only added, and leave with their task.
CREATE TABLE artifact_refs (
    task        INTEGER NOT NULL,           -- the task's place
    n           INTEGER NOT NULL,           -- from 1 without gaps
    network     INTEGER NOT NULL,
    source      TEXT NOT NULL,              -- task, message, reply or work
    message     INTEGER,                    -- the number of the message within the task
    event       INTEGER,                    -- the number of the event it came with
    sha256      BLOB NOT NULL,
    size        INTEGER NOT NULL,
    name        TEXT NOT NULL,
    media_type  TEXT NOT NULL,
    description TEXT,
    artifact_id TEXT,                       -- A2A's own id; several references may be parts of one
    metadata    TEXT,                       -- a JSON object
    PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_refs_of_artifact ON artifact_refs (network, sha256, task);

-- Objects that no artifact has: being uploaded, or to be deleted. A row is written before its object is begun, and goes
-- after the object has gone, so that no object is lost sight of.
CREATE TABLE unused_objects (
    object       TEXT NOT NULL PRIMARY KEY,
    delete_after INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unused_objects_by_time ON unused_objects (delete_after);

ALTER TABLE tasks ADD COLUMN artifacts INTEGER NOT NULL DEFAULT 0; -- how many rows of artifact_refs it has

CREATE TRIGGER artifact_refs_are_counted AFTER INSERT ON artifact_refs BEGIN
    UPDATE artifacts SET refs = refs + 1 WHERE network = NEW.network AND sha256 = NEW.sha256;
END;
CREATE TRIGGER deleted_artifact_refs_are_counted AFTER DELETE ON artifact_refs BEGIN
    UPDATE artifacts SET refs = refs - 1 WHERE network = OLD.network AND sha256 = OLD.sha256;
END;

-- A deleted artifact's object is deleted after it, whatever deleted the row.
CREATE TRIGGER objects_of_deleted_artifacts_are_unused AFTER DELETE ON artifacts BEGIN
    INSERT INTO unused_objects (object, delete_after) VALUES (OLD.object, 0);
END;

CREATE TRIGGER artifacts_are_counted AFTER INSERT ON artifacts BEGIN
    INSERT INTO quotas (subject, kind, used)
        SELECT network_id, 'artifact_bytes', NEW.size FROM network_keys WHERE key = NEW.network
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + excluded.used;
END;
CREATE TRIGGER deleted_artifacts_are_counted AFTER DELETE ON artifacts BEGIN
    UPDATE quotas SET used = used - OLD.size
        WHERE kind = 'artifact_bytes' AND subject = (SELECT network_id FROM network_keys WHERE key = OLD.network);
END;
