// A viewer has no button that changes anything, and the hub refuses the same calls from the page's own script.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const page = await open();
  await signIn(page, given.base, given.viewer);
  // What a later answer would bring must be there before it is missed.
  const quiet = () => page.waitForFunction(() => performance.getEntriesByType('resource').every((e) => e.responseEnd > 0) && performance.now() > 1500);
  const has = (role, name) => page.locator('main').getByRole(role, { name }).count();

  await page.goto(at(given, `tasks/${given.open}`));
  await sees(page, 'a task that is open');
  await page.locator('.timeline li').first().waitFor();
  assert.equal(await has('button', /cancel|reassign|retry|answer/i), 0);
  await page.goto(at(given, `tasks/${given.ended}`));
  await sees(page, 'a task that failed');
  await page.locator('.timeline li').first().waitFor();
  assert.equal(await has('button', /retry/i), 0);
  await page.goto(at(given, `tasks/${given.waiting}`));
  await sees(page, 'waits for an answer from');
  assert.equal(await page.locator('main textarea').count(), 0);
  await page.goto(at(given, 'tasks'));
  await page.locator('table.tasks').waitFor();
  assert.equal(await has('link', /send/i), 0);
  await page.goto(at(given, 'agents'));
  await page.locator('table').waitFor();
  await quiet();
  assert.equal(await has('button', /key|revoke/i), 0);
  await page.goto(at(given, 'agents/worker'));
  await sees(page, 'Its latest tasks');
  assert.equal(await has('link', /send/i), 0);
  await page.goto(at(given, 'network'));
  await sees(page, 'You are a viewer of it.');
  await quiet();
  assert.equal(await has('button', /invite somebody|remove|rename|withdraw/i), 0);
  await page.goto(at(given, 'send'));
  await sees(page, 'You can read, not send');
  assert.equal(await page.locator('main form').count(), 0);
  await page.goto(at(given, 'overview'));
  await page.locator('.tiles').waitFor();
  assert.equal(await has('link', /send a task/i), 0);

  const calls = [
    ['POST', `/api/tasks/${given.open}/cancel`, { reason: 'x' }], ['POST', `/api/tasks/${given.open}/reassign`, { new_alias: 'second' }],
    ['POST', `/api/tasks/${given.ended}/retry`, {}], ['POST', `/api/tasks/${given.open}/reply`, { text: 'x' }],
    ['POST', `/api/tasks/${given.waiting}/answer`, { text: 'x' }], ['POST', '/api/task', { alias: 'worker', task: 'x', network_id: given.network }],
    ['POST', '/api/auth/node-token', { network_id: given.network, node_name: 'mine' }], ['POST', '/api/broadcast', { message: 'x', network_id: given.network }],
    ['POST', `/api/networks/${given.network}/invite`, { role: 'member', max_uses: 1 }], ['GET', `/api/networks/${given.network}/members`],
    ['PUT', `/api/networks/${given.network}`, { name: 'mine' }], ['DELETE', `/api/networks/${given.network}`],
  ];
  for (const [method, path, body] of calls) {
    const answer = await page.evaluate(async ([m, p, b]) => {
      const response = await fetch(p, { method: m, headers: { 'baton-page': '1', 'content-type': 'application/json' }, body: b && JSON.stringify(b) });
      return { status: response.status, text: await response.text() };
    }, [method, path, body]);
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.status} ${answer.text}`);
  }
  const hub = rest(given.token);
  const status = async (id) => (await hub.get(`/api/tasks/${id}`)).task.status;
  assert.deepEqual([await status(given.open), await status(given.ended), await status(given.waiting)], ['delivered', 'failed', 'waiting_input']);
  assert.equal((await hub.get(`/api/tasks?network_id=${given.network}`)).count, 3, 'nothing was sent');
});
