// A task is sent from the page and seen to arrive, run and end, on three pages at once, none of them loaded again.

import assert from 'node:assert/strict';
import { ask, at, sees, signIn, stays, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const sender = await open();
  await signIn(sender, given.base, given);
  const [list, overview] = [await sender.context().newPage(), await sender.context().newPage()];
  await list.goto(at(given, 'tasks'));
  await sees(list, 'No tasks yet');
  await overview.goto(at(given, 'overview'));
  await overview.locator('.tiles').waitFor();
  await sender.goto(at(given, 'send'));
  for (const page of [sender, list, overview]) await page.locator('.l-live').first().waitFor();
  const checks = [await stays(sender), await stays(list), await stays(overview)];

  await sender.locator('input[name=alias]').fill(given.alias);
  await sender.locator('textarea[name=task]').fill('hello from the page\nand a second line');
  await sender.getByRole('button', { name: 'Send', exact: true }).click();
  await sender.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
  await sender.locator('.task-head .s-running').waitFor();
  const row = list.getByRole('row').filter({ hasText: 'hello from the page' });
  await row.locator('.s-running').waitFor();
  await overview.locator('.state-list .s-running').waitFor();

  await ask('let it end');
  await sender.locator('.task-head .s-replied').waitFor();
  await sees(sender, 'HELLO FROM THE PAGE');
  await row.locator('.s-replied').waitFor();
  await overview.locator('.state-list .s-replied').waitFor();
  assert.equal(await row.count(), 1);
  const told = await sender.locator('.timeline b').allInnerTexts();
  assert.deepEqual(told, ['delivered', 'running', 'replied']);
  for (const check of checks) await check();
});
