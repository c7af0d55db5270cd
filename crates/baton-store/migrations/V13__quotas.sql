-- How much an account or a network may have, and how much it has. The counters are kept by triggers, so that no way of
-- adding or removing a row leaves one out. Open tasks and inboxes have counters of their own (task_counts,
-- inbox_counts); waiting claims and streams are counted in memory.

CREATE TABLE quotas (
    subject TEXT NOT NULL,              -- a user's or a network's id
    kind    TEXT NOT NULL,
    used    INTEGER NOT NULL DEFAULT 0,
    max     INTEGER,                    -- NULL: the default
    PRIMARY KEY (subject, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO quotas (subject, kind, used)
    SELECT owner_id, 'networks', COUNT(*) FROM networks GROUP BY owner_id
    UNION ALL SELECT user_id, 'memberships', COUNT(*) FROM members GROUP BY user_id
    UNION ALL SELECT network_id, 'members', COUNT(*) FROM members GROUP BY network_id
    UNION ALL SELECT user_id, 'tokens', COUNT(*) FROM tokens WHERE revoked_at IS NULL GROUP BY user_id
    UNION ALL SELECT network_id, 'sessions', COUNT(*) FROM sessions GROUP BY network_id
    UNION ALL SELECT network_id, 'invites', COUNT(*) FROM invites GROUP BY network_id
    UNION ALL SELECT network_id, 'push_configs', COUNT(*) FROM push_configs WHERE is_open GROUP BY network_id
    UNION ALL SELECT network_id, 'remotes', COUNT(*) FROM remotes GROUP BY network_id;

CREATE TRIGGER networks_are_counted AFTER INSERT ON networks BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.owner_id, 'networks', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER deleted_networks_are_counted AFTER DELETE ON networks BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.owner_id AND kind = 'networks';
    DELETE FROM quotas WHERE subject = OLD.network_id;
END;

CREATE TRIGGER members_are_counted AFTER INSERT ON members BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'members', 1), (NEW.user_id, 'memberships', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER deleted_members_are_counted AFTER DELETE ON members BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'members';
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.user_id AND kind = 'memberships';
END;

CREATE TRIGGER tokens_are_counted AFTER INSERT ON tokens WHEN NEW.revoked_at IS NULL BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.user_id, 'tokens', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER revoked_tokens_are_counted AFTER UPDATE OF revoked_at ON tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.user_id AND kind = 'tokens';
END;
CREATE TRIGGER deleted_tokens_are_counted AFTER DELETE ON tokens WHEN OLD.revoked_at IS NULL BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.user_id AND kind = 'tokens';
END;

CREATE TRIGGER sessions_are_counted AFTER INSERT ON sessions BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'sessions', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER deleted_sessions_are_counted AFTER DELETE ON sessions BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'sessions';
END;

CREATE TRIGGER invites_are_counted AFTER INSERT ON invites BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'invites', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER deleted_invites_are_counted AFTER DELETE ON invites BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'invites';
END;

CREATE TRIGGER push_configs_are_counted AFTER INSERT ON push_configs WHEN NEW.is_open BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'push_configs', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER changed_push_configs_are_counted AFTER UPDATE OF is_open ON push_configs WHEN OLD.is_open <> NEW.is_open BEGIN
    UPDATE quotas SET used = used + NEW.is_open - OLD.is_open WHERE subject = OLD.network_id AND kind = 'push_configs';
END;
CREATE TRIGGER deleted_push_configs_are_counted AFTER DELETE ON push_configs WHEN OLD.is_open BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'push_configs';
END;

CREATE TRIGGER remotes_are_counted AFTER INSERT ON remotes BEGIN
    INSERT INTO quotas (subject, kind, used) VALUES (NEW.network_id, 'remotes', 1)
        ON CONFLICT (subject, kind) DO UPDATE SET used = used + 1;
END;
CREATE TRIGGER deleted_remotes_are_counted AFTER DELETE ON remotes BEGIN
    UPDATE quotas SET used = used - 1 WHERE subject = OLD.network_id AND kind = 'remotes';
END;

-- Who is there, without passing over the texts of sessions.
CREATE INDEX sessions_at_a_glance ON sessions (network_id, alias, status, server, last_seen_at);
