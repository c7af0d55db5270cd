// A generated password opens one thing: the choice of another.

import assert from 'node:assert/strict';
import { axe, fits, signIn, tell } from './browser.mjs';

await tell(async ({ given, open, rest }) => {
  const page = await open();
  const chosen = 'a password of my own';
  await page.goto(given.base);
  await page.getByLabel('Username').fill(given.username);
  await page.getByLabel('Password').fill(given.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const welcome = page.getByRole('heading', { name: `Welcome, ${given.username}` });
  await welcome.waitFor();
  await page.goto(`${given.base}/n/any/tasks`);
  await welcome.waitFor();

  await fits(page);
  assert.deepEqual(await axe(page), []);

  const fill = async (first, again) => {
    await page.getByLabel('The password you were given').fill(given.password);
    await page.getByLabel('New password', { exact: false }).first().fill(first);
    await page.getByLabel('New password, again').fill(again);
    await page.getByRole('button', { name: 'Set password' }).click();
  };
  await fill(chosen, `${chosen}!`);
  await page.getByRole('alert').getByText('The two passwords differ.').waitFor();
  await fill(chosen, chosen);
  await page.locator('.side').waitFor();

  const login = (password) => rest().call('POST', '/api/auth/login', { username: given.username, password });
  assert.equal((await login(given.password)).status, 401, 'the old one no longer works');
  assert.equal((await login(chosen)).status, 200);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, given.base, { username: given.username, password: chosen });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});
