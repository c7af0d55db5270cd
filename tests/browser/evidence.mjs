// The proofs are checked in the browser: they agree, and with one byte changed on the way they do not.

import assert from 'node:assert/strict';
import { at, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  const outcome = page.locator('.outcome');
  const check = async (place) => {
    await page.goto(at(given, place));
    await page.getByRole('button', { name: 'Check proofs here' }).click();
    await outcome.waitFor();
    return outcome.innerText();
  };
  for (const place of ['evidence', `tasks/${given.task}`]) {
    assert.match(await check(place), /^\d+ entries agree with the checkpoint of size \d+, computed in this browser\. Its signature fits the hub’s key\.$/);
    assert.equal(await page.locator('.verdict.bad').count(), 0);
    assert((await page.locator('.verdict.good').count()) >= 3);
  }

  const change = (text) => { // one byte of the first event: its task's id
    const seen = text.indexOf(given.task);
    assert(seen > 0);
    return `${text.slice(0, seen)}${text[seen] === '0' ? '1' : '0'}${text.slice(seen + 1)}`;
  };
  await page.route((url) => url.pathname === '/api/evidence', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
  for (const place of ['evidence', `tasks/${given.task}`]) {
    assert.match(await check(place), /^1 entry of \d+ do(es)? not agree with the checkpoint of size \d+\./);
    assert.equal(await page.locator('.verdict.bad').count(), 1);
  }
  await page.unrouteAll({ behavior: 'wait' });

  await page.route((url) => url.pathname === '/api/evidence/key', async (route) => {
    const response = await route.fetch();
    const { key, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, key: key.replace(/.{6}$/, 'AAAAA=') } });
  });
  assert.match(await check('evidence'), /Its signature does not fit the hub’s key\.$/);
});
