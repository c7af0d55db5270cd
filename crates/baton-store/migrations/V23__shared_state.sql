-- State that several hubs on one database share, and that a restart must not forget.

-- Grows in every transaction that changes users, tokens or members: what a hub knows of callers under a smaller number is
-- to be read again.
CREATE TABLE access_epoch (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL
) STRICT;
INSERT INTO access_epoch (one, epoch) VALUES (1, 0);

-- Failed logins and tries of invite codes, as far as they decide when the next one is allowed. Rows leave when that is
-- over, and past a number of rows of a kind those that would leave first.
CREATE TABLE attempts (
    kind         INTEGER NOT NULL, -- 0 failed logins of an address, 1 of a username from an address, 2 joins of a token
    key          BLOB NOT NULL,    -- a hash of what is counted: a username may have been a password, typed by mistake
    count        INTEGER NOT NULL, -- in a row
    times        BLOB NOT NULL,    -- the newest, oldest first: Unix milliseconds, 8 bytes each, big-endian
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_end ON attempts (kind, forgotten_at);

-- Until when the agent that a token speaks for counts as connected (an open stream, a waiting call). The hub that has the
-- connection renews it; if that hub is killed it lapses. NULL: never connected.
ALTER TABLE tokens ADD COLUMN connected_until INTEGER;
