-- What A2A needs beside a conversation: whether a network's cards are for everybody, and what came with a message
-- that its text and parts do not say (the id its author gave it, its metadata).

ALTER TABLE networks ADD COLUMN public_cards INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task_messages ADD COLUMN meta TEXT; -- a JSON object
