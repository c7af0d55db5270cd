-- Entry bundles are compressed with zstd from now on. Such a bundle is one zstd frame in `entry_bundles.events`: for each of 256
-- entries a big-endian uint16 length and the event, then the same of its packet; `packets` is empty. Bundles that are there
-- already keep their two columns of zlib.

-- The newest schema that a hub's program knows; older programs do not say. While one that cannot read the new bundles is
-- alive, no hub makes any.
ALTER TABLE hubs ADD COLUMN knows bigint NOT NULL DEFAULT 31;

-- From the first such bundle on, a program that cannot read it does not start on this database.
CREATE FUNCTION bundles_ask_for_a_reader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE baton_schema SET min_reader = 35 WHERE version = 35 AND min_reader < 35;
    RETURN NEW;
END $$;
CREATE TRIGGER bundles_ask_for_a_reader BEFORE INSERT ON entry_bundles FOR EACH ROW
WHEN (substring(NEW.events FROM 1 FOR 4) = '\x28b52ffd'::bytea)
EXECUTE FUNCTION bundles_ask_for_a_reader();
