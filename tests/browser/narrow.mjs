// No page is wider than a small phone: nothing scrolls sideways at 360 pixels.

import assert from 'node:assert/strict';
import { PHONE, at, signIn, tell } from './browser.mjs';
import { seed } from './seed.mjs';

await tell(async ({ given, open, rest }) => {
  const ids = await seed({ base: given.base, rest, token: given.token, network: given.network, waves: 5 });
  const page = await open({ ...PHONE, viewport: { width: 360, height: 780 } });
  const wide = [];
  const look = async (what) => {
    const { scrolls, shown } = await page.evaluate(() => ({ scrolls: document.documentElement.scrollWidth, shown: window.innerWidth }));
    if (scrolls > 360 || shown > 360) wide.push(`${what}: ${scrolls} of ${shown} pixels`);
  };
  await page.goto(given.base);
  await page.getByLabel('Username').waitFor();
  await look('sign-in');
  await signIn(page, given.base, given);
  for (const [place, selector] of [['overview', '.plot svg'], ['tasks', 'table.tasks'], ['tasks?from=nobody', '.empty'], ['graph', '.flow svg a'], ['agents', 'table'],
    ['agents/coder', '.children'], ['send', 'form'], ['network', 'table'], ['evidence', '.entry'], ['no-such-page', '.empty'],
    ...Object.values(ids).map((id) => [`tasks/${id}`, '.entry'])]) {
    await page.goto(at(given, place));
    await page.locator(selector).first().waitFor();
    await look(place);
  }
  await page.locator('.entry summary').first().click();
  await look('an open entry');
  assert.deepEqual(wide, []);
});
