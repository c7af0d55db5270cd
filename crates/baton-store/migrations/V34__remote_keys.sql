-- The key that has to have signed the card of a remote agent, and why its card was refused when it was last read.

ALTER TABLE remotes ADD COLUMN pinned_key TEXT; -- the key's thumbprint (RFC 7638); NULL: the card is not signed
ALTER TABLE remotes ADD COLUMN card_error TEXT; -- the code of the error; NULL: the card was accepted
