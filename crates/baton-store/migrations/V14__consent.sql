-- Consent and names: a user joins by accepting, an alias has an owner, and look-alike names are found by index.

-- A user asked to join who has not answered yet. Until they accept, they are no member.
CREATE TABLE invitations (
    network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (user_id),
    role       TEXT NOT NULL,
    invited_by TEXT NOT NULL REFERENCES users (user_id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (network_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_user ON invitations (user_id, created_at);

-- The user whose token held the alias first, or to whom it was handed over.
ALTER TABLE aliases ADD COLUMN owner_id TEXT REFERENCES users (user_id);

-- Tokens by alias, revoked ones included: the oldest names the owner, the newest use is listed.
CREATE INDEX tokens_ever_by_alias ON tokens (network_id, alias) WHERE alias IS NOT NULL;
UPDATE aliases SET owner_id =
    (SELECT user_id FROM tokens
     WHERE tokens.network_id = aliases.network_id AND tokens.alias = aliases.alias ORDER BY tokens.rowid LIMIT 1);

-- What names look like: their TR39 skeletons, as written and in lower case. The program computes them, here and
-- again whenever it brings tables of another Unicode version.
ALTER TABLE aliases ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
ALTER TABLE aliases ADD COLUMN skeleton_lower TEXT NOT NULL DEFAULT '';
CREATE INDEX aliases_by_skeleton ON aliases (network_id, skeleton);
CREATE INDEX aliases_by_skeleton_lower ON aliases (network_id, skeleton_lower);
ALTER TABLE users ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN skeleton_lower TEXT NOT NULL DEFAULT '';
CREATE INDEX users_by_skeleton ON users (skeleton);
CREATE INDEX users_by_skeleton_lower ON users (skeleton_lower);

CREATE TABLE skeletons (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    unicode TEXT NOT NULL -- the version of Unicode's tables they were computed from
) STRICT;
