// Signing in and out, a wrong password, switching the network.

import assert from 'node:assert/strict';
import { sees, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  const form = page.getByRole('button', { name: 'Sign in' });

  await page.goto(given.base);
  await page.getByLabel('Username').fill(given.username);
  await page.getByLabel('Password').fill('a wrong password');
  await form.click();
  await page.getByRole('alert').getByText('invalid username or password').waitFor();
  assert.deepEqual(await page.context().cookies(), [], 'a wrong password gives no cookie');

  await signIn(page, given.base, given);
  await page.waitForURL(/\/n\/net_\w+\/overview$/);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const [cookie] = await page.context().cookies();
  assert(cookie.httpOnly && cookie.sameSite === 'Strict', JSON.stringify(cookie));
  assert.equal(await page.evaluate(() => document.cookie), '', 'script does not see the cookie');

  for (const { id, name } of [given.networks[1], given.networks[0], given.networks[1]]) {
    await page.locator('.side').getByLabel('Network').selectOption({ label: name });
    await page.waitForURL(`${given.base}/n/${id}/overview`);
    await sees(page, name);
    await page.locator('.l-live').first().waitFor();
  }
  await page.goto(given.base);
  await page.waitForURL(`${given.base}/n/${given.networks[1].id}/overview`, { timeout: 5000 });

  await page.getByRole('button', { name: 'Sign out' }).click();
  await form.waitFor();
  assert.deepEqual(await page.context().cookies(), [], 'the cookie is gone');
  await page.goto(`${given.base}/n/${given.networks[0].id}/tasks`);
  await form.waitFor();
  const answer = await page.evaluate(() => fetch('/api/tasks').then((r) => r.status));
  assert.equal(answer, 401);
});
