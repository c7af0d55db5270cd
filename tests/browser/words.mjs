// Script in whatever somebody else wrote stays text, on every page that shows it. A dialog, a broken policy or the
// marked global would tell.

import assert from 'node:assert/strict';
import { at, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  const shows = async (place, count = 1) => {
    await page.goto(at(given, place));
    const found = page.locator('main').getByText('window.ran', { exact: false });
    await found.nth(count - 1).waitFor({ state: 'attached' });
    await page.locator('.l-live').first().waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => window.ran), undefined, place);
    assert.equal(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count(), 0, place);
  };
  await shows('overview');
  await shows('tasks', 4);
  for (const task of given.tasks) await shows(`tasks/${task}`, 2);
  await shows('agents');
  await shows('agents/worker', 3);
  await shows('network', 2);
  await shows(`agents/${encodeURIComponent(given.script)}`);
  await page.goto(at(given, `tasks?text=${encodeURIComponent(given.script)}&from=${encodeURIComponent(given.script)}`));
  await page.getByText('Nothing like that').waitFor();
  await page.goto(at(given, `send?to=${encodeURIComponent(given.script)}`));
  assert.equal(await page.locator('input[name=alias]').inputValue(), given.script);
  for (const place of ['graph', 'evidence', `tasks/${encodeURIComponent(given.script)}`, encodeURIComponent(given.script)]) {
    await page.goto(at(given, place));
    await page.locator('main h1, main h3').first().waitFor();
    assert.equal(await page.evaluate(() => window.ran), undefined, place);
  }
  assert.match(await page.title(), /window\.ran/, 'the name of the network is in the title, as text');
});
