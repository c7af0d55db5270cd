// No window and no menu is wider than a small phone, and axe-core finds nothing serious in them at 360 pixels.

import assert from 'node:assert/strict';
import { SMALL_PHONE, at, narrow, signIn, tell } from './browser.mjs';
import { seed } from './seed.mjs';

await tell(async ({ given, open, rest }) => {
  const ids = await seed({ base: given.base, rest, token: given.token, network: given.network, waves: 5 });
  const page = await open(SMALL_PHONE);
  const findings = [];
  const look = async (what) => findings.push(...(await narrow(page)).map((line) => `${what}: ${line}`));
  await signIn(page, given.base, given);
  const dialog = page.getByRole('dialog');
  const leave = async () => { await page.keyboard.press('Escape'); await dialog.waitFor({ state: 'detached' }); };
  const opens = async (place, name) => {
    await page.goto(at(given, place));
    await page.locator('main').getByRole('button', { name, exact: true }).first().click();
    await dialog.waitFor();
    await look(`window: ${name}`);
  };
  for (const [place, name] of [[`tasks/${ids.acked}`, 'Cancel'], [`tasks/${ids.acked}`, 'Reassign'], [`tasks/${ids.failed}`, 'Retry']]) {
    await opens(place, name);
    await leave();
  }
  await opens('agents', 'Make a key');
  await dialog.getByLabel('The agent\'s name').fill('fresh');
  await dialog.getByRole('button', { name: 'Make key' }).click();
  await dialog.getByText('It is shown only once').waitFor();
  await look('window: the key');
  await leave();
  await opens('network', 'Invite somebody');
  await dialog.getByRole('button', { name: 'Make invite' }).click();
  await dialog.getByText('It is shown only once').waitFor();
  await look('window: the invite');
  await leave();
  await page.getByRole('button', { name: 'More' }).click();
  await page.locator('.sheet').waitFor();
  await look('more');
  await page.locator('.sheet .who').click();
  await dialog.waitFor();
  await look('window: password');
  assert.deepEqual(findings, []);
});
