// The hub is killed and comes back: the page says so, continues, and shows what happened meanwhile. Still signed in. A page
// whose script the browser does not have yet opens once the hub is back.

import assert from 'node:assert/strict';
import { ask, at, sees, signIn, stays, tell, until } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'tasks'));
  await sees(page, 'sent before');
  const state = page.locator('.side .live');
  await state.getByText('Live').waitFor();
  const check = await stays(page);
  await ask('kill');
  await state.getByText('Hub unreachable, retrying…').waitFor();
  await sees(page, 'sent before');
  const banner = page.locator('.banner');
  await banner.getByText('The hub does not respond.').waitFor();
  await until('dimmed data', () => page.locator('main.away > :not(.banner)').first().evaluate((part) => Number(getComputedStyle(part).opacity) < 1));
  await ask('start');
  await state.getByText('Live').waitFor();
  await banner.waitFor({ state: 'detached' });
  await sees(page, 'sent after');
  await check();

  // A page that cannot ask who it is for says so, and appears once it can.
  await page.route('**/api/session', (route) => route.abort());
  await page.reload();
  await page.getByText('The hub cannot be reached. Trying again…').waitFor();
  await page.unroute('**/api/session');
  await sees(page, 'sent after');
  await page.reload();
  await sees(page, 'sent after');

  // The browser has no script of the evidence page when the hub goes.
  await page.route('**/assets/evidence.js', (route) => route.abort());
  await page.reload();
  await sees(page, 'sent after');
  await ask('kill');
  await state.getByText('Hub unreachable, retrying…').waitFor();
  await page.getByRole('link', { name: 'Evidence' }).click();
  await sees(page, 'This page opens as soon as it does.');
  await page.unroute('**/assets/evidence.js');
  await ask('start');
  await page.locator('.entry').first().waitFor();
});
