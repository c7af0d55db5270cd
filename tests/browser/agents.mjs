// The Agents page lists agents however they connect, with what they work on, their queue, their last day and their workers,
// and follows them without a reload.

import assert from 'node:assert/strict';
import { ask, at, sees, signIn, stays, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'agents'));
  const row = (alias) => page.locator('table.roomy tbody tr').filter({ has: page.getByRole('link', { name: alias, exact: true }) });
  const cells = async (alias) => (await row(alias).locator('td').allInnerTexts()).map((text) => text.trim());
  await row('claims').locator('.p-working').waitFor();
  await page.locator('.l-live').first().waitFor();
  const check = await stays(page);
  const [, , doing, queue, day, p50] = await cells('claims');
  assert.deepEqual([doing, queue, day], ['the task in work', '1', '50 % of 2']);
  assert.notEqual(p50, '');
  assert.match((await cells('works'))[0], /2 workers/);
  await ask('let it end');
  await row('claims').locator('.p-idle').waitFor();
  assert.equal((await cells('claims'))[4], '66 % of 3');
  await check();
  await page.goto(at(given, 'agents/works'));
  await sees(page, 'first-machine');
  await sees(page, 'Writes code');
});
