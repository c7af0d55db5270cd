// The work graph: its edge and its counts, the way to the tasks behind it, and the words beside it.

import assert from 'node:assert/strict';
import { at, signIn, tell, until } from './browser.mjs';

const GUARDRAIL = 'Every handoff.* boolean is a bounded observed visibility flag only. None of these fields mean the handoff was valid, authorized, complete, trusted, or successful.';

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'graph'));
  const edge = page.locator('a.edge[aria-label^="planner to coder:"]');
  assert.equal(await edge.getAttribute('aria-label'), 'planner to coder: 2 replied, 1 failed, 1 still open');
  assert.equal(await page.locator('a.edge').count(), 2);
  const cells = await page.getByRole('row').filter({ hasText: 'planner' }).filter({ hasText: 'coder' }).first().getByRole('cell').allInnerTexts();
  assert.deepEqual(cells, ['planner', 'coder', '4', '2', '1', '–', '–', '1']);

  const words = await page.locator('body').innerText();
  assert(words.includes(GUARDRAIL), words);
  assert(words.includes('Drawn from the task rows.'), words);
  const markup = await page.locator('body').innerHTML();
  assert(!/delegat|\brout(e|es|ed|ing)\b/i.test(markup), 'the picture is of tasks and claims nothing else');

  const visible = async () => {
    const { events } = await hub.get(`/api/evidence?network_id=${given.network}&limit=100`);
    return events.filter((event) => event.data.handoff?.visible === true).length;
  };
  const counted = await visible();
  await until('the count of visible handoff records', async () => (await page.locator('.side-card .big').innerText()) === String(counted));

  await edge.locator('path').first().click();
  await page.waitForURL((url) => url.pathname.endsWith('/tasks') && url.searchParams.get('from') === 'planner' && url.searchParams.get('to') === 'coder');
  await page.locator('table.tasks').waitFor();
  const rows = page.locator('table.tasks tbody tr');
  assert.equal(await rows.count(), 4);
  for (const text of await rows.locator('.c-who').allInnerTexts()) assert.match(text, /planner\s*→\s*coder/);
});
