// The tree of a task on its page: a row for each task in its place, bars that fit on one axis, and a cancel that ends all of it.

import assert from 'node:assert/strict';
import { at, axe, signIn, stays, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  const { root, code, test } = given.tasks;
  await page.goto(at(given, `tasks/${code}`));
  const rows = page.locator('.waterfall .row');
  await rows.nth(2).waitFor();
  const check = await stays(page);
  const said = async () => (await rows.allInnerTexts()).map((text) => text.split('\n').filter(Boolean).slice(0, 2));
  assert.deepEqual(await said(), [['planner', 'delivered'], ['coder', 'delivered'], ['tester', 'replied']]);
  assert.equal(await page.locator('.waterfall [aria-current]').innerText().then((text) => text.split('\n')[0]), 'coder');
  assert.equal(await rows.locator('xpath=self::a').count(), 2, 'the others are links');
  // Every bar lies on the axis, and each is further in than its parent's name.
  const axis = await page.locator('.waterfall .bar').first().boundingBox();
  for (const bar of await page.locator('.waterfall .bar i').all()) {
    const box = await bar.boundingBox();
    assert(box.width > 0 && box.x >= axis.x - 1 && box.x + box.width <= axis.x + axis.width + 1, JSON.stringify({ box, axis }));
  }
  const indents = await page.locator('.waterfall .clip').evaluateAll((names) => names.map((name) => parseFloat(getComputedStyle(name).paddingLeft)));
  assert.deepEqual(indents, [0, 14, 28]);
  assert.deepEqual(await axe(page), []);

  // To the root by its row, and there a cancel with everything below it, live.
  await rows.first().click();
  await page.waitForURL(at(given, `tasks/${root}`));
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this task' });
  await dialog.getByLabel('Cancel 1 open task below it too').check();
  await dialog.getByRole('button', { name: 'Cancel task' }).click();
  await page.locator('.task-head .s-cancelled').waitFor();
  await page.locator('.waterfall .row', { hasText: 'coder' }).locator('.s-cancelled').waitFor();
  await check();
  for (const [id, status] of [[root, 'cancelled'], [code, 'cancelled'], [test, 'replied']]) {
    assert.equal((await hub.get(`/api/tasks/${id}`)).task.status, status);
  }
  // A task that stands alone has no tree.
  await page.goto(at(given, `tasks/${given.tasks.alone}`));
  await page.locator('.timeline li').first().waitFor();
  assert.equal(await page.locator('.waterfall').count(), 0);
});
