// axe-core on every page and in every window of the dashboard, in one theme and at one size.

import assert from 'node:assert/strict';
import { DESKTOP, PHONE, at, axe, sees, signIn, tell } from './browser.mjs';
import { seed } from './seed.mjs';

await tell(async ({ given, open, rest }) => {
  const ids = await seed({ base: given.base, rest, token: given.token, network: given.network, waves: 5 });
  const isPhone = given.size === 'phone';
  const page = await open({ ...(isPhone ? PHONE : DESKTOP), colorScheme: given.theme });
  const findings = [];
  const look = async (what) => findings.push(...(await axe(page)).map((line) => `${what}: ${line}`));
  const visit = async (place, selector) => { await page.goto(at(given, place)); await page.locator(selector).first().waitFor(); };
  const button = (name) => page.locator('main').getByRole('button', { name, exact: true }).first();
  const dialog = page.getByRole('dialog');
  const leave = async () => { await page.keyboard.press('Escape'); await dialog.waitFor({ state: 'detached' }); };

  await page.goto(given.base);
  await page.getByLabel('Password').fill('wrong');
  await page.getByLabel('Username').fill(given.username);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await look('sign-in');
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
  await button('Check proofs here').click();
  await page.locator('.outcome').waitFor();
  await page.locator('.entry summary').first().click();
  await look('proofs');

  for (const [place, name] of [[ids.acked, 'Cancel'], [ids.acked, 'Reassign'], [ids.failed, 'Retry']]) {
    await visit(`tasks/${place}`, '.entry');
    await button(name).click();
    await dialog.waitFor();
    await look(`window: ${name}`);
    await leave();
  }
  await visit('agents', 'table');
  await button('Make a key').click();
  await dialog.getByLabel('The agent\'s name').fill('fresh');
  await look('window: a key for an agent');
  await dialog.getByRole('button', { name: 'Make key' }).click();
  await dialog.getByText('It is shown this once').waitFor();
  await look('window: the key');
  await leave();
  await visit('network', 'table');
  await button('Invite somebody').click();
  await look('window: invite');
  await dialog.getByRole('button', { name: 'Make invite' }).click();
  await dialog.getByText('It is shown this once').waitFor();
  await look('window: the invite');
  await leave();
  if (isPhone) {
    await page.getByRole('button', { name: 'More' }).click();
    await page.locator('.sheet').waitFor();
    await look('more');
    await page.locator('.sheet .who').click();
  } else {
    await page.locator('.side .who').click();
  }
  await dialog.waitFor();
  await look('window: password');
  assert.deepEqual(findings, []);
});
