-- The key that has to have signed the card of a remote agent, and why its card was refused when it was last read. A hub of
-- the previous release that runs beside leaves both empty in the rows it adds.

ALTER TABLE remotes ADD COLUMN pinned_key text COLLATE "C"; -- the key's thumbprint (RFC 7638); NULL: the card is not signed
ALTER TABLE remotes ADD COLUMN card_error text COLLATE "C"; -- the code of the error; NULL: the card was accepted
