// Reassigning, answering and retrying from the page, each seen in the hub too.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const [first, second] = [rest(given.agents.first), rest(given.agents.second)];
  const row = async (id) => (await hub.get(`/api/tasks/${id}`)).task;
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, `tasks/${given.task}`));

  await page.getByRole('button', { name: 'Reassign' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Agent').fill('nobody-of-this-name');
  await dialog.getByRole('button', { name: 'Reassign' }).click();
  await dialog.getByRole('alert').getByText('No agent in this network has that name.').waitFor();
  await dialog.getByLabel('Agent').fill('second');
  await dialog.getByRole('button', { name: 'Reassign' }).click();
  await page.locator('.task-head .sub', { hasText: '→ second' }).waitFor();
  assert.equal((await row(given.task)).to_name, 'second');
  assert.equal((await first.post('/api/claim', {})).task, null, 'the first one has lost it');

  const { lease_id } = await second.post('/api/claim', {});
  await second.post(`/api/tasks/${given.task}/ask`, { question: 'Which of the two branches?', lease_id });
  await sees(page, 'Which of the two branches?');
  await page.getByLabel('Your answer').fill('the newer one');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.locator('.talk pre', { hasText: 'the newer one' }).waitFor();
  await page.locator('.task-head .s-delivered').waitFor();
  const again = await second.post('/api/claim', {});
  assert.equal(again.task.task_id, given.task);
  await second.post(`/api/tasks/${given.task}/ask`, { question: 'Merge or rebase?', lease_id: again.lease_id, keep_lease: true, options: ['merge', 'rebase'] });
  await page.getByRole('button', { name: 'rebase', exact: true }).click();
  await page.locator('.talk pre', { hasText: /^rebase$/ }).waitFor();
  await page.locator('.task-head .s-running').waitFor();
  await second.post(`/api/tasks/${given.task}/reply`, { text: 'neither builds', status: 'failed', lease_id: again.lease_id });
  await page.locator('.task-head .s-failed').waitFor();

  await page.getByRole('button', { name: 'Retry' }).click();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(given.task) && /\/tasks\/[0-9a-f-]{36}$/.test(url.pathname));
  await sees(page, 'Retry of');
  const retried = await row(page.url().split('/').pop());
  assert.deepEqual([retried.retry_of, retried.to_name, retried.status], [given.task, 'second', 'delivered']);
  assert.equal((await row(given.task)).status, 'failed', 'the old one stays as it is');
  await page.goBack();
  await sees(page, 'Sent again as');
  assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0, 'once is enough');
});
