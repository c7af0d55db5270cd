// Tasks are found by a part of a name, and an address that is no page says so.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'tasks'));
  await sees(page, 'for the reviewer');
  await page.getByLabel('To', { exact: true }).fill('VIEW');
  await page.getByText('for the coder').waitFor({ state: 'detached' });
  await sees(page, 'for the reviewer');
  await page.getByLabel('From', { exact: true }).fill('nobody');
  await sees(page, 'No task matches these filters.');

  await page.goto(at(given, 'no-such-page'));
  await sees(page, 'Page not found');
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await sees(page, 'Tasks by state');
  assert.equal(new URL(page.url()).pathname, `/n/${given.network}/overview`);

  // A task that is not there is an answer: nothing is away, and the way back is on the page.
  await page.goto(at(given, 'tasks/unknown'));
  await sees(page, 'No such task');
  await page.locator('.side .l-live').waitFor();
  await page.getByRole('link', { name: 'Go to the tasks' }).click();
  await sees(page, 'for the reviewer');
});
