// Where only the operator creates accounts, the page offers none and says whom to ask.

import assert from 'node:assert/strict';
import { axe, sees, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await page.goto(given.base);
  await sees(page, 'The operator of this hub can give you one.');
  assert.equal(await page.getByRole('button', { name: 'Create an account' }).count(), 0);
  assert.deepEqual(await axe(page), []);
});
