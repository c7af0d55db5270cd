-- What the hub does outside: whom it tells of a task's events, and the agents of others it hands tasks to.

-- A receiver of one task's events. What is still to be told follows from the events after `delivered`.
CREATE TABLE push_configs (
    task_id       TEXT NOT NULL,
    config_id     TEXT NOT NULL,
    network_id    TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    owner_kind    TEXT NOT NULL,
    owner         TEXT NOT NULL,
    user_id       TEXT NOT NULL,  -- on whose membership it stands
    token_id      TEXT,           -- and on which node token; NULL: a user made it
    url           TEXT NOT NULL,
    token         TEXT,
    scheme        TEXT,
    credentials   TEXT,
    created_at    INTEGER NOT NULL,
    delivered     INTEGER NOT NULL, -- the number of the last event that was told, or given up
    failures      INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    next_at       INTEGER,          -- when a failed push is tried again
    is_open       INTEGER NOT NULL, -- 0: the task's end was told, or nobody may be told any more
    PRIMARY KEY (task_id, config_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX push_configs_open ON push_configs (task_id) WHERE is_open;
CREATE INDEX push_configs_failing ON push_configs (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX push_configs_by_network ON push_configs (network_id);

-- An agent of others, reached over A2A, under an alias of a network.
CREATE TABLE remotes (
    network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias      TEXT NOT NULL,
    card_url   TEXT NOT NULL,
    credential TEXT,           -- the bearer token the hub shows there
    token_id   TEXT NOT NULL,  -- as whom the hub works for the alias; nobody has its secret
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (network_id, alias)
) STRICT, WITHOUT ROWID;

-- A task that is out at such an agent.
CREATE TABLE remote_tasks (
    task_id           TEXT NOT NULL PRIMARY KEY,
    network_id        TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
    alias             TEXT NOT NULL,
    lease_id          TEXT,             -- under which the hub works on it
    remote_task_id    TEXT,             -- NULL: its text has not arrived there, as far as is known
    remote_context_id TEXT,
    asked             TEXT,             -- its last question that was passed back to the sender
    passed_on         INTEGER NOT NULL, -- the number of the last message on the task that was passed on
    began_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX remote_tasks_by_alias ON remote_tasks (network_id, alias);
