// What the pages say is what the hub said: lines to paste, owners, counts, a chosen expiry, a list under a filter.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell, until } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  const lines = () => page.locator('.code pre').allTextContents();

  // A network without agents says how to begin.
  const { network_id: bare } = await hub.post('/api/networks', { name: 'bare' });
  await page.goto(`${given.base}/n/${bare}/overview`);
  await sees(page, 'Begin here');
  assert.deepEqual(await lines(), [`baton login --hub ${given.base}\nbaton work --alias shouter -- tr a-z A-Z`, 'baton send shouter "hello" --wait']);

  await page.goto(at(given, 'network'));
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.locator('select[name=role]').inputValue(), 'member');
  await dialog.getByRole('button', { name: 'Make invite' }).click();
  await dialog.getByText('A link to open in a browser').waitFor();
  const [link, join] = await dialog.locator('pre').allTextContents();
  const code = link.split('/').pop();
  assert.match(code, /^inv_[0-9a-f]+$/);
  assert.deepEqual([link, join], [`${given.base}/#/join/${code}`, `baton network join ${code}`]);

  await page.goto(at(given, 'agents'));
  const key = page.locator('tr', { has: page.getByRole('button', { name: 'Revoke the key of worker' }) });
  await key.waitFor();
  assert.deepEqual((await key.locator('td').allTextContents()).slice(0, 3), ['worker', 'node', given.username]);

  await page.goto(at(given, 'graph?hours=168'));
  await sees(page, 'Visible handoff records');
  const { visible_handoffs: handoffs } = await hub.get(`/api/work-graph?network_id=${given.network}`);
  assert.equal(await page.locator('.big').textContent(), String(handoffs.count));
  await sees(page, 'counted since');

  // The expiry somebody chose stays chosen, in any case in the network meanwhile.
  await page.goto(at(given, 'send'));
  await page.getByLabel('Give up').selectOption('86400');
  const reads = page.waitForResponse((response) => response.url().includes('/api/agents'));
  await hub.post('/api/task', { alias: 'worker', task: 'meanwhile', network_id: given.network });
  await reads;
  await page.getByRole('combobox', { name: 'To' }).fill('worker');
  await page.getByRole('textbox', { name: 'Task' }).fill('a day will do');
  assert.equal(await page.getByLabel('Give up').inputValue(), '86400');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await sees(page, 'a day will do');
  const { task } = await hub.get(`/api/tasks/${page.url().split('/').pop()}`);
  const seconds = (text) => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;
  assert.equal(seconds(task.expires_at) - seconds(task.created_at), 86400);

  // What ends leaves a list of what runs; while somebody points at the rows they stay, and say how they ended.
  const worker = rest(given.agent);
  const claimed = [await worker.post('/api/claim', {}), await worker.post('/api/claim', {})];
  await page.goto(at(given, 'tasks?status=running'));
  await until('both', async () => (await page.locator('tbody tr').count()) === 2);
  await page.locator('tbody tr').first().hover();
  await worker.post(`/api/tasks/${claimed[0].task.task_id}/reply`, { text: 'done', lease_id: claimed[0].lease_id });
  await page.locator('tbody .s-replied').waitFor();
  assert.equal(await page.locator('tbody tr').count(), 2, 'nothing jumps under the pointer');
  await page.mouse.move(5, 5);
  await worker.post(`/api/tasks/${claimed[1].task.task_id}/reply`, { text: 'done', lease_id: claimed[1].lease_id });
  await sees(page, 'Nothing like that');
});
