// A task is cancelled from its page, with a reason, which stands on the page and in the hub.

import assert from 'node:assert/strict';
import { at, sees, signIn, stays, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, `tasks/${given.task}`));
  const check = await stays(page);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this task' });
  await dialog.getByLabel('Reason, for the record').fill('the customer changed their mind');
  await dialog.getByRole('button', { name: 'Cancel task' }).click();
  await page.locator('.task-head .s-cancelled').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await sees(page, 'Why it was cancelled');
  await page.locator('pre.said', { hasText: 'the customer changed their mind' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0, 'its end is final');
  await check();
  const { task } = await hub.get(`/api/tasks/${given.task}`);
  assert.equal(task.status, 'cancelled');
  assert.equal(task.result, 'the customer changed their mind');
  const { events } = await hub.get(`/api/task_events?task_id=${given.task}`);
  assert.equal(events[0].actor, given.username);
});
