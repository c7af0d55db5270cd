// axe-core on every page of the dashboard, in one theme and at one size.

import assert from 'node:assert/strict';
import { DESKTOP, PHONE, TABLET, at, axe, sees, signIn, tell } from './browser.mjs';
import { seed } from './seed.mjs';

await tell(async ({ given, open, rest }) => {
  const ids = await seed({ base: given.base, rest, token: given.token, network: given.network, waves: 5 });
  const page = await open({ ...{ desktop: DESKTOP, tablet: TABLET, phone: PHONE }[given.size], colorScheme: given.theme });
  const findings = [];
  const look = async (what) => findings.push(...(await axe(page)).map((line) => `${what}: ${line}`));
  const visit = async (place, selector) => { await page.goto(at(given, place)); await page.locator(selector).first().waitFor(); };

  await page.goto(given.base);
  await page.getByLabel('Password').fill('wrong');
  await page.getByLabel('Username').fill(given.username);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await look('sign-in');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await look('sign-up');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn(page, given.base, given.newcomer);
  await sees(page, 'Begin here');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), given.theme);
  await look('an empty overview');
  await page.goto(at(given, 'tasks'));
  await sees(page, 'No network here');
  await look('no network');
  await page.context().clearCookies();
  await signIn(page, given.base, given);

  for (const [place, selector] of [['overview', '.agent-grid'], ['tasks', 'table.tasks'], ['tasks?to=nothing-of-the-kind', '.empty'], ['graph', '.flow svg a'],
    ['agents', 'table'], ['agents/coder', '.children'], ['agents/nobody', '.empty'], ['send', 'form'], ['network', 'table'], ['evidence', '.entry'],
    ...Object.values(ids).map((id) => [`tasks/${id}`, '.entry']), ['tasks/unknown', '.empty']]) {
    await visit(place, selector);
    await look(place);
  }
  await page.goto(at(given, 'evidence'));
  await page.getByRole('button', { name: 'Check proofs here' }).click();
  await page.locator('.outcome').waitFor();
  await page.locator('.entry summary').first().click();
  await look('proofs');
  assert.deepEqual(findings, []);
});
