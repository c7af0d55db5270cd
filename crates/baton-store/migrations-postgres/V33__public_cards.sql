-- The networks that show their cards to everybody are looked for by callers without a token: few of many.

CREATE INDEX networks_with_public_cards ON networks (network_id) WHERE public_cards = 1;
