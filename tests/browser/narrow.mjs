// No page is wider than a small phone: nothing scrolls sideways at 360 pixels. axe-core looks at them at this width, too.

import assert from 'node:assert/strict';
import { SMALL_PHONE, at, narrow, sees, signIn, tell } from './browser.mjs';
import { seed } from './seed.mjs';

await tell(async ({ given, open, rest }) => {
  const ids = await seed({ base: given.base, rest, token: given.token, network: given.network, waves: 5 });
  const page = await open(SMALL_PHONE);
  const findings = [];
  const look = async (what) => findings.push(...(await narrow(page)).map((line) => `${what}: ${line}`));
  await page.goto(given.base);
  await page.getByLabel('Username').waitFor();
  await look('sign-in');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await look('sign-up');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn(page, given.base, given.newcomer);
  await sees(page, 'Begin here');
  await look('an empty overview');
  await page.goto(at(given, 'tasks'));
  await sees(page, 'No network here');
  await look('no network');
  await page.context().clearCookies();
  await signIn(page, given.base, given);
  for (const [place, selector] of [['overview', '.plot svg'], ['tasks', 'table.tasks'], ['tasks?from=nobody', '.empty'], ['graph', '.flow svg a'], ['agents', 'table'],
    ['agents/coder', '.children'], ['agents/nobody', '.empty'], ['send', 'form'], ['network', 'table'], ['evidence', '.entry'], ['evidence?agent=nobody', '.empty'],
    ['no-such-page', '.empty'], ['tasks/unknown', '.empty'], ...Object.values(ids).map((id) => [`tasks/${id}`, '.entry'])]) {
    await page.goto(at(given, place));
    await page.locator(selector).first().waitFor();
    await look(place);
  }
  await page.locator('.entry summary').first().click();
  await look('an open entry');
  assert.deepEqual(findings, []);
});
