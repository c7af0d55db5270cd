// One's own tokens: when each expires, and a mark on the one that soon does.

import assert from 'node:assert/strict';
import { at, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given.user);
  await page.goto(at(given, 'network'));
  const expires = async (name) => {
    const row = page.getByRole('row', { name: new RegExp(`node:${name} `) });
    await row.waitFor();
    const cell = row.getByRole('cell').nth(3);
    return [(await cell.innerText()).trim(), await cell.locator('.soon').count()];
  };
  const [soon, marked] = await expires('soon');
  assert.match(soon, /\(soon\)$/);
  assert.equal(marked, 1);
  const [later, unmarked] = await expires('later');
  assert.match(later, /\d/);
  assert.doesNotMatch(later, /soon/);
  assert.equal(unmarked, 0);
  assert.deepEqual(await expires('never'), ['never', 0]);
});
