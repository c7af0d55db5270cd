-- A log is a short tail and entry bundles. An event is appended to the tail (`evidence`), uncompressed, in the
-- transaction of what it is about; once it is signed, each full 256 of them move together into a compressed bundle.

-- How many of a log's entries are in bundles: the first ones, a multiple of 256.
ALTER TABLE logs ADD COLUMN bundled INTEGER NOT NULL DEFAULT 0;

-- 256 consecutive entries, laid out as C2SP tlog-tiles' entry bundle (each a big-endian uint16 length and its bytes) and
-- compressed with zlib. An event or packet of more than 16,384 bytes is not in it: that entry has length 0 here, and
-- stays a row of `evidence`.
CREATE TABLE entry_bundles (
    first   INTEGER PRIMARY KEY, -- the place of the first of them
    events  BLOB NOT NULL,
    packets BLOB NOT NULL
) STRICT;

-- The tasks that entries of bundles are about, where no row of task_events leads there: `evidence.about` of the tail.
CREATE TABLE entry_tasks (
    place INTEGER PRIMARY KEY,
    about TEXT NOT NULL
) STRICT;
CREATE INDEX entry_tasks_by_task ON entry_tasks (about);

-- Entries leave the tail only into a bundle, or with their whole log.
DROP TRIGGER evidence_stays;
CREATE TRIGGER evidence_stays BEFORE DELETE ON evidence
WHEN EXISTS (SELECT 1 FROM logs WHERE log = OLD.place >> 36
             AND NOT (OLD.place & 0xFFFFFFFFF < bundled
                      AND length(OLD.event) BETWEEN 1 AND 16384 AND length(OLD.packet) <= 16384))
BEGIN
    SELECT RAISE (ABORT, 'evidence stays as long as its log');
END;

-- A log counts one more bundle once that bundle is there, and only entries that are signed.
CREATE TRIGGER bundles_are_counted_one_by_one BEFORE UPDATE OF bundled ON logs
WHEN NEW.bundled <> OLD.bundled + 256
    OR NOT EXISTS (SELECT 1 FROM entry_bundles WHERE first = OLD.log << 36 | OLD.bundled)
    OR NOT EXISTS (SELECT 1 FROM checkpoints WHERE log = OLD.log AND size >= NEW.bundled)
BEGIN
    SELECT RAISE (ABORT, 'a log counts the bundles it has, of signed entries');
END;

CREATE TRIGGER bundles_follow_each_other BEFORE INSERT ON entry_bundles
WHEN NOT EXISTS (SELECT 1 FROM logs WHERE log = NEW.first >> 36 AND bundled = NEW.first & 0xFFFFFFFFF)
BEGIN
    SELECT RAISE (ABORT, 'entry bundles follow each other');
END;
CREATE TRIGGER bundles_never_change BEFORE UPDATE ON entry_bundles
BEGIN
    SELECT RAISE (ABORT, 'entry bundles never change');
END;
CREATE TRIGGER bundles_stay BEFORE DELETE ON entry_bundles
WHEN EXISTS (SELECT 1 FROM logs WHERE log = OLD.first >> 36)
BEGIN
    SELECT RAISE (ABORT, 'entry bundles stay as long as their log');
END;
CREATE TRIGGER entry_tasks_never_change BEFORE UPDATE ON entry_tasks
BEGIN
    SELECT RAISE (ABORT, 'the task of an entry never changes');
END;
CREATE TRIGGER entry_tasks_stay BEFORE DELETE ON entry_tasks
WHEN EXISTS (SELECT 1 FROM logs WHERE log = OLD.place >> 36)
BEGIN
    SELECT RAISE (ABORT, 'the task of an entry stays as long as its log');
END;
