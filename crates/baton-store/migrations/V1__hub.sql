-- The hub's tables. Times are milliseconds since 1970, UTC. Order comes from the integer keys, never from
-- ids or times. Counters are rows kept in the transaction that changes what they count. The tables a task writes to
-- name their network without a foreign key: every write has just looked the network up, and a check costs each row.

CREATE TABLE users (
    user_id              TEXT NOT NULL PRIMARY KEY,
    username             TEXT NOT NULL UNIQUE,
    display_name         TEXT,
    email                TEXT,
    role                 TEXT NOT NULL,
    password_hash        TEXT NOT NULL,
    must_change_password INTEGER NOT NULL DEFAULT 0,
    created_at           INTEGER NOT NULL
) STRICT;

CREATE TABLE networks (
    network_id  TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    owner_id    TEXT NOT NULL REFERENCES users (user_id),
    description TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX networks_by_owner_and_name ON networks (owner_id, name);

CREATE TABLE members (
    network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (user_id),
    role       TEXT NOT NULL,
    joined_at  INTEGER NOT NULL,
    invited_by TEXT,
    PRIMARY KEY (network_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id, network_id);

CREATE TABLE invites (
    code_hash  BLOB NOT NULL PRIMARY KEY,
    network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    max_uses   INTEGER NOT NULL,
    uses       INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invites_by_network ON invites (network_id);

-- A revoked token's row stays, so that its alias is remembered; its hash no longer opens anything.
CREATE TABLE tokens (
    token_id     TEXT NOT NULL PRIMARY KEY,
    hash         BLOB NOT NULL UNIQUE,
    user_id      TEXT NOT NULL REFERENCES users (user_id),
    network_id   TEXT REFERENCES networks (network_id) ON DELETE CASCADE, -- NULL: a user token
    alias        TEXT,
    name         TEXT NOT NULL,
    scope        TEXT NOT NULL,
    has_reported INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id) WHERE revoked_at IS NULL;
CREATE INDEX tokens_by_network ON tokens (network_id);
CREATE INDEX tokens_by_alias ON tokens (network_id, alias) WHERE alias IS NOT NULL AND revoked_at IS NULL;

-- Every alias a network's tokens, sessions and tasks ever had.
CREATE TABLE aliases (
    network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias      TEXT NOT NULL,
    PRIMARY KEY (network_id, alias)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    network_id    TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias         TEXT NOT NULL,
    token_id      TEXT NOT NULL,
    resume_id     TEXT NOT NULL,
    status        TEXT NOT NULL,
    server        TEXT,
    hostname      TEXT,
    agent         TEXT,
    project_dir   TEXT,
    version       TEXT,
    task          TEXT,
    output        TEXT,
    progress      INTEGER,
    score         REAL,
    node_id       TEXT,
    session_id    TEXT,
    model         TEXT,
    registered_at INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    last_seen_at  INTEGER NOT NULL,
    PRIMARY KEY (network_id, alias)
) STRICT;
CREATE INDEX sessions_by_token ON sessions (token_id);

CREATE TABLE tasks (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id           TEXT NOT NULL UNIQUE,
    network_id        TEXT NOT NULL,
    from_kind         TEXT NOT NULL,
    from_name         TEXT NOT NULL,
    to_name           TEXT NOT NULL,
    kind              TEXT NOT NULL,
    priority          TEXT NOT NULL,
    status            TEXT NOT NULL,
    content           TEXT NOT NULL,
    context           TEXT,
    meta              TEXT,
    result            TEXT,
    parent_task_id    TEXT,
    retry_of          TEXT,
    attempt           INTEGER NOT NULL,
    max_attempts      INTEGER NOT NULL,
    ttl_seconds       INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    delivered_at      INTEGER NOT NULL,
    started_at        INTEGER,
    completed_at      INTEGER,
    expires_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_status ON tasks (network_id, status, seq);
CREATE INDEX tasks_by_recipient ON tasks (network_id, to_name, seq);
CREATE INDEX tasks_by_sender ON tasks (network_id, from_name, seq);
CREATE UNIQUE INDEX tasks_by_retried ON tasks (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX tasks_by_expiry ON tasks (expires_at)
    WHERE status IN ('delivered', 'acked', 'running', 'waiting_input');

-- The last line of defence for "terminal is final": not even a faulty hub can change such a row.
CREATE TRIGGER a_terminal_task_never_changes BEFORE UPDATE ON tasks
WHEN OLD.status IN ('replied', 'failed', 'cancelled', 'expired')
BEGIN
    SELECT RAISE (ABORT, 'a terminal task never changes');
END;

-- A worker's hold on a running task. Deadlines are monotonic, so they are armed anew at every start.
CREATE TABLE leases (
    lease_id      TEXT NOT NULL PRIMARY KEY,
    task_id       TEXT NOT NULL UNIQUE,
    network_id    TEXT NOT NULL,
    alias         TEXT NOT NULL,
    lease_seconds INTEGER NOT NULL,
    deadline      INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX leases_by_deadline ON leases (deadline);
CREATE INDEX leases_by_alias ON leases (network_id, alias);

-- What lies in somebody's inbox. state: 0 open, 1 hidden by a claim, 2 acked. A task delivery's text is the task's.
CREATE TABLE deliveries (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT NOT NULL,
    network_id  TEXT NOT NULL,
    to_kind     TEXT NOT NULL,
    to_name     TEXT NOT NULL,
    from_kind   TEXT NOT NULL,
    from_name   TEXT NOT NULL,
    type        TEXT NOT NULL,
    priority    INTEGER NOT NULL, -- 0 high, 1 normal, 2 low: the order of the inbox
    task_id     TEXT,
    content     TEXT,
    created_at  INTEGER NOT NULL,
    state       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX deliveries_open ON deliveries (network_id, to_name, to_kind, priority, seq) WHERE state = 0;
CREATE INDEX deliveries_by_message ON deliveries (message_id) WHERE state < 2 AND message_id IS NOT task_id;
CREATE INDEX deliveries_by_task ON deliveries (task_id) WHERE state < 2 AND task_id IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (network_id, created_at, seq);
CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE type <> 'task';
CREATE INDEX deliveries_kept ON deliveries (network_id, to_name, to_kind, seq) WHERE type <> 'task';

CREATE TABLE task_events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    network_id  TEXT NOT NULL,
    task_id     TEXT NOT NULL,
    n           INTEGER NOT NULL, -- from 1 within the task, without gaps
    from_status TEXT,
    to_status   TEXT NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor       TEXT NOT NULL,
    detail      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX task_events_by_task ON task_events (task_id, n);
CREATE INDEX task_events_by_network ON task_events (network_id, id);

-- The network's one numbered feed: what streams tell, live and on resume.
CREATE TABLE feed (
    network_id TEXT NOT NULL,
    n          INTEGER NOT NULL,
    to_kind    TEXT NOT NULL,
    to_name    TEXT NOT NULL,
    body       TEXT NOT NULL, -- the frame's JSON
    PRIMARY KEY (network_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_by_recipient ON feed (network_id, to_name, to_kind, n);

CREATE TABLE task_counts (
    network_id TEXT NOT NULL,
    status     TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (network_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_counts (
    network_id TEXT NOT NULL,
    to_kind    TEXT NOT NULL,
    to_name    TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (network_id, to_kind, to_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE completions (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    network_id       TEXT NOT NULL,
    session_name     TEXT NOT NULL,
    task_id          TEXT NOT NULL,
    task             TEXT NOT NULL,
    result           TEXT NOT NULL,
    artifacts        TEXT,
    score            REAL,
    duration_minutes REAL,
    completed_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX completions_by_time ON completions (network_id, completed_at, id);

CREATE TABLE idempotency_keys (
    network_id  TEXT NOT NULL,
    sender_kind TEXT NOT NULL,
    sender      TEXT NOT NULL,
    key         TEXT NOT NULL,
    arguments   BLOB NOT NULL, -- SHA-256 of what was asked
    task_id     TEXT NOT NULL,
    session_status TEXT NOT NULL, -- as the first answer said it
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (network_id, sender_kind, sender, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Who changed users, tokens, members and networks.
CREATE TABLE audit_log (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    network_id TEXT,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
