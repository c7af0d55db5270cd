-- Several hubs on one database: which are alive, and which of them does what only one may do at a time.

-- A row for each hub that runs or was killed; one that stops removes its own. Times are the server's, in milliseconds.
CREATE TABLE hubs (
    hub_id     text COLLATE "C" NOT NULL PRIMARY KEY,
    address    text COLLATE "C" NOT NULL, -- the URL it listens at
    version    text COLLATE "C" NOT NULL, -- of the program
    started_at bigint NOT NULL,
    seen_at    bigint NOT NULL -- its last heartbeat
) WITH (fillfactor = 20);

-- Work that one hub does at a time: the pushes of a network, the errands of a remote agent.
CREATE TABLE work_leases (
    kind   text COLLATE "C" NOT NULL,
    key    text COLLATE "C" NOT NULL,
    hub_id text COLLATE "C" NOT NULL,
    until  bigint NOT NULL,
    PRIMARY KEY (kind, key)
) WITH (fillfactor = 50);
CREATE INDEX work_leases_by_end ON work_leases (until);

-- What SQLite calls it; the check of a database uses it.
CREATE FUNCTION hex(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT upper(encode(bytes, 'hex')) $$;
