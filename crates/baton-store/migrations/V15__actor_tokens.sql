-- Which token acted. History and evidence name a token by a keyed hash of its id: the same within a network, unrelated
-- between networks, and of no use to find the token. Rows from before have none.
ALTER TABLE task_events ADD COLUMN actor_token TEXT;

-- The key of those hashes.
ALTER TABLE networks ADD COLUMN token_key BLOB NOT NULL DEFAULT x'';
UPDATE networks SET token_key = randomblob(32);
