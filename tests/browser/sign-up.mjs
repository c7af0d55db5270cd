// Somebody creates an account on the page: what is wrong is explained, and then they are signed in as anybody else is. No
// answer has a token.

import assert from 'node:assert/strict';
import { axe, fits, sees, signIn, tell } from './browser.mjs';

const PASSWORD = 'a long password of mine';

await tell(async ({ given, open }) => {
  const page = await open();
  await page.goto(given.base);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  const send = async (username, password, again = password) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: false }).first().fill(password);
    await page.getByLabel('Password, again').fill(again);
    await page.getByRole('button', { name: 'Create account' }).click();
  };
  const explains = (words) => page.getByRole('alert').getByText(words).waitFor();
  await send('nina', PASSWORD, `${PASSWORD}!`);
  await explains('The two passwords differ.');
  await send('nina', 'PassWord123');
  await explains('This password is one of the most used ones.');
  await send(given.taken, PASSWORD);
  await explains('This username is taken.');
  assert.deepEqual(await page.context().cookies(), [], 'nobody is signed in yet');
  await fits(page);
  assert.deepEqual(await axe(page), []);

  const answered = page.waitForResponse((response) => response.url().endsWith('/api/session/register') && response.ok());
  await send('nina', PASSWORD);
  assert.doesNotMatch(await (await answered).text(), /tok_/);
  await page.waitForURL(/\/n\/net_\w+\/overview$/);
  await sees(page, 'Begin here');
  const [cookie] = await page.context().cookies();
  assert(cookie.httpOnly && cookie.sameSite === 'Strict', JSON.stringify(cookie));
  assert.equal(await page.evaluate(() => document.cookie), '', 'script does not see the cookie');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn(page, given.base, { username: 'nina', password: PASSWORD });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});
