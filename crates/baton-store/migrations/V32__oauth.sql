-- Tokens that expire, and what OAuth clients have. A grant is a node token of the user who allowed it, so whatever ends that
-- token ends the grant and every secret of it.

ALTER TABLE tokens ADD COLUMN expires_at INTEGER; -- NULL: it lasts until it is revoked
ALTER TABLE tokens ADD COLUMN client_id  TEXT;    -- the OAuth client a grant is for; NULL: not a grant
CREATE INDEX tokens_by_expiry ON tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- Clients that registered themselves; who names itself by a URL has no row.
CREATE TABLE oauth_clients (
    client_id     TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    redirect_uris TEXT NOT NULL, -- a JSON array
    created_at    INTEGER NOT NULL,
    used_at       INTEGER        -- when a user last allowed it; NULL: never
) STRICT;
CREATE INDEX oauth_clients_by_use ON oauth_clients (used_at) WHERE used_at IS NOT NULL;
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

-- Authorization codes. One that was redeemed stays a while, to notice that it is presented again.
CREATE TABLE oauth_codes (
    hash         BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the code
    client_id    TEXT NOT NULL,
    client_name  TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge    TEXT NOT NULL, -- of PKCE, S256
    user_id      TEXT NOT NULL,
    network_id   TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias        TEXT NOT NULL,
    expires_at   INTEGER NOT NULL,
    token_id     TEXT           -- the grant it was redeemed for
) STRICT;
CREATE INDEX oauth_codes_by_expiry ON oauth_codes (expires_at);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id, expires_at);
CREATE INDEX oauth_codes_by_network ON oauth_codes (network_id);

-- The refresh token of a grant: what stays the same of it when it rotates, and what does not.
CREATE TABLE oauth_refreshes (
    token_id TEXT NOT NULL PRIMARY KEY REFERENCES tokens (token_id) ON DELETE CASCADE,
    family   BLOB NOT NULL UNIQUE, -- SHA-256 of its first part
    secret   BLOB NOT NULL         -- SHA-256 of its second part
) STRICT;

-- Access tokens of grants.
CREATE TABLE oauth_accesses (
    hash       BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the token
    token_id   TEXT NOT NULL REFERENCES tokens (token_id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_accesses_by_grant ON oauth_accesses (token_id, expires_at);
CREATE INDEX oauth_accesses_by_expiry ON oauth_accesses (expires_at);

-- Users who sign in with an OpenID Connect issuer, by who they are there.
CREATE TABLE oidc_users (
    issuer  TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL UNIQUE REFERENCES users (user_id),
    PRIMARY KEY (issuer, subject)
) STRICT;
