-- Browsers that are signed in: their tokens end by themselves, and are found by when they were last used and made.

CREATE INDEX tokens_of_browsers_by_use ON tokens (COALESCE(last_used_at, created_at))
    WHERE name = 'browser' AND network_id IS NULL AND revoked_at IS NULL;
CREATE INDEX tokens_of_browsers_by_age ON tokens (created_at)
    WHERE name = 'browser' AND network_id IS NULL AND revoked_at IS NULL;
