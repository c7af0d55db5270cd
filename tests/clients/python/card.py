"""Reads an agent's card and checks its signature with the client's own helper: prints the card's name, then what the helper
says of the same card with another name.
"""

import asyncio
import json

import httpx
from a2a.client import A2ACardResolver
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from jwt import PyJWK

from client import BASE, TOKEN


async def main():
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30) as http:
        card = await A2ACardResolver(http, BASE).get_agent_card()
        fetched = {}

        def key(kid, jku):
            return next(PyJWK(one) for one in fetched[jku] if one["kid"] == kid)

        keys = await http.get(BASE.split("/a2a/")[0] + "/.well-known/jwks.json")
        fetched[str(keys.url)] = keys.json()["keys"]
    check = create_signature_verifier(key, ["EdDSA"])
    check(card)
    print(json.dumps({"step": "signed", "name": card.name}))
    card.name = "somebody else"
    try:
        check(card)
    except InvalidSignaturesError as error:
        print(json.dumps({"step": "changed", "error": type(error).__name__}))


asyncio.run(main())
