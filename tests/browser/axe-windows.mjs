// axe-core in every window that opens over a page, in one theme and at one size.

import assert from 'node:assert/strict';
import { DESKTOP, PHONE, at, axe, signIn, tell } from './browser.mjs';
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

  await signIn(page, given.base, given);
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
  await dialog.getByText('It is shown only once').waitFor();
  await look('window: the key');
  await leave();
  await visit('network', 'table');
  await button('Invite somebody').click();
  await look('window: invite');
  await dialog.getByRole('button', { name: 'Make invite' }).click();
  await dialog.getByText('It is shown only once').waitFor();
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
