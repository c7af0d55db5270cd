// Somebody of another tenant types addresses by hand and sees nothing of this one.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell, until } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given.stranger);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const seen = [];
  page.on('response', async (r) => { if (r.url().includes('/api/')) seen.push(await r.text().catch(() => '')); });
  for (const place of ['overview', 'tasks', `tasks/${given.task}`, 'graph', 'agents', 'agents/worker', 'send', 'network', 'evidence']) {
    await page.goto(at(given, place));
    await page.getByRole('heading', { name: 'No network here' }).waitFor();
    assert(!(await page.content()).includes(given.secret), place);
    assert.equal(await page.locator('.side .l-off').count(), 1, 'it listens to nothing');
  }
  const ask = (path) => page.evaluate((p) => fetch(p).then(async (r) => ({ status: r.status, text: await r.text() })), path);
  for (const path of [`/api/tasks/${given.task}`, `/api/tasks?network_id=${given.network}`, `/api/status?network_id=${given.network}`,
    `/api/overview?network_id=${given.network}`, `/api/work-graph?network_id=${given.network}`, `/api/evidence?network_id=${given.network}`,
    `/api/evidence/bundle?network_id=${given.network}`, `/api/networks/${given.network}`, `/api/networks/${given.network}/tokens`, `/events/network/${given.network}`]) {
    const answer = await ask(path);
    assert([403, 404].includes(answer.status), `${path}: ${answer.status}`);
    assert(!answer.text.includes(given.secret), path);
  }
  const own = await ask('/api/tasks');
  assert(own.status === 200 && !own.text.includes(given.secret));
  // The hub gives a refusal, so the browser does not try again by itself.
  await page.evaluate((p) => { window.source = new EventSource(p); window.source.onmessage = () => { window.heard = true; }; }, `/events/network/${given.network}`);
  await until('the end of the stream', () => page.evaluate(() => window.source.readyState === EventSource.CLOSED));
  assert.equal(await page.evaluate(() => window.heard), undefined);
  assert(seen.every((text) => !text.includes(given.secret)));
  await page.goto(given.base);
  await page.waitForURL((url) => /\/n\/net_\w+\/overview/.test(url.pathname) && !url.pathname.includes(given.network));
  await sees(page, 'Overview');
});
