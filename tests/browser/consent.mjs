// A client asks for access: the user signs in on the way, with a password or with the operator's issuer if there is one, sees who asks and where it leads, chooses the alias and allows it.
// The client acts until the user revokes it in the dashboard. In a frame of another page, the page is not shown.

import assert from 'node:assert/strict';
import { axe, at, fits, launch, sees, tell } from './browser.mjs';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

await tell(async ({ given, open, rest }) => {
  const hub = rest().call;
  // The hub itself stands for the client's own listener: the port of a loopback address may be any.
  const redirect = `${given.base}/came-back`;
  const name = 'Hosted <b>client</b>';
  const { body: client } = await hub('POST', '/oauth/register', { client_name: name, redirect_uris: ['http://127.0.0.1/came-back'] });
  const query = new URLSearchParams({
    response_type: 'code', client_id: client.client_id, redirect_uri: redirect, code_challenge: CHALLENGE,
    code_challenge_method: 'S256', state: 'a state', resource: `${given.base}/mcp`,
  });
  const address = `${given.base}/oauth/authorize?${query}`;

  await notInAFrame(address);

  const page = await open();
  await page.goto(address);
  if (given.issuer) {
    await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click();
  } else {
    await page.getByLabel('Username').fill(given.username);
    await page.getByLabel('Password').fill(given.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  // The name is shown as text, and the address is still the request's.
  await sees(page, `Allow ${name}?`);
  assert.equal(page.url(), address);
  await sees(page, '127.0.0.1');
  await fits(page);
  assert.deepEqual(await axe(page), []);

  const broken = new URLSearchParams(query);
  broken.set('code_challenge_method', 'plain');
  await page.goto(`${given.base}/oauth/authorize?${broken}`);
  await sees(page, 'code_challenge_method must be S256');
  assert.equal(await page.getByRole('button', { name: 'Allow' }).count(), 0);

  await page.goto(address);
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.waitForURL((url) => url.pathname === '/came-back' && url.searchParams.get('error') === 'access_denied');

  await page.goto(address);
  // Whoever comes from the issuer for the first time has the network that was made for them.
  const network = given.network || await page.getByLabel('Network').inputValue();
  await page.getByLabel('Network').selectOption(network);
  await page.getByLabel('Alias').fill('hosted');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/came-back' && url.searchParams.has('code'));
  const answer = new URL(page.url()).searchParams;
  assert.deepEqual([answer.get('state'), answer.get('iss')], ['a state', given.base]);

  const issued = await fetch(`${given.base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: client.client_id, code: answer.get('code'), redirect_uri: redirect, code_verifier: VERIFIER }),
  });
  const { access_token: access } = await issued.json();
  assert.equal(await listsTools(given.base, access), 200);

  await page.goto(at({ ...given, network }, 'network'));
  const row = page.getByRole('row', { name: /oauth:Hosted/ });
  await row.getByRole('button', { name: /^Revoke oauth:/ }).click();
  await row.getByRole('button', { name: 'Revoke at once' }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal(await listsTools(given.base, access), 401);
});

async function listsTools(base, access) {
  const answer = await fetch(`${base}/mcp`, {
    method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    headers: { authorization: `Bearer ${access}`, accept: 'application/json', 'content-type': 'application/json' },
  });
  await answer.arrayBuffer();
  return answer.status;
}

/// A browser of its own: what it says of a page that it refuses to frame would count as an error in the others.
async function notInAFrame(address) {
  const browser = await launch();
  const page = await browser.newPage();
  const refused = page.waitForEvent('console', { predicate: (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()) });
  await page.setContent(`<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`, { waitUntil: 'commit' });
  await refused;
  for (const frame of page.frames().slice(1)) assert(!(await frame.content()).includes('consent.js'), 'the page is shown in a frame');
  await browser.close();
}
