// The overview's figures: the parts of the open tasks add up to their number, and durations are those of the hour.

import assert from 'node:assert/strict';
import { at, signIn, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'overview'));
  const tile = (name) => page.locator('.tile').filter({ has: page.locator('.tile-name', { hasText: name }) });
  const value = await tile('Open tasks').locator('.tile-value').innerText();
  const note = await tile('Open tasks').locator('.tile-note').innerText();
  const parts = note.match(/\d+/g).map(Number);
  assert.equal(Number(value), given.open);
  assert.equal(parts.reduce((sum, part) => sum + part, 0), given.open, note);

  const { last_hour: hour } = await hub.get(`/api/overview?network_id=${given.network}`);
  assert.equal(typeof hour.p50_ms, 'number');
  const shown = await tile('p50 duration').innerText();
  assert.match(shown, /\d+(\.\d)? m?s[^]*p95 \d/, shown);
});
