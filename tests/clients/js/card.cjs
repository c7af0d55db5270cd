// Reads an agent's card and checks its signature with the client's own helper: prints the card's name, then what the helper
// says of the same card with another name.

const { verifyAgentCardSignature } = require('@a2a-js/sdk');

// The helper says on stdout what it could not check.
const say = (step) => process.stdout.write(`${JSON.stringify(step)}\n`);
console.debug = console.error;

const { A2A_BASE: BASE, A2A_TOKEN: TOKEN } = process.env;

async function read(url) {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return answer.json();
}

async function main() {
  const card = await read(`${BASE}.well-known/agent-card.json`);
  const check = verifyAgentCardSignature(async (kid, jku) => (await read(jku)).keys.find((key) => key.kid === kid));
  await check(card);
  say({ step: 'signed', name: card.name });
  try {
    await check({ ...card, name: 'somebody else' });
  } catch (error) {
    say({ step: 'changed', error: error.name });
  }
}

main();
