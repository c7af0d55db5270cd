// The log's entries: each leads to its task and says from whom to whom, filters find some of them, and older ones come when
// they are asked for.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell, until } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'evidence'));
  const entries = page.locator('.entry');
  const count = (n) => until(`${n} entries`, async () => (await entries.count()) === n);
  await count(30);
  await page.getByRole('button', { name: 'Older' }).click();
  await count(given.events);
  await sees(page, 'that is all of them');

  await page.getByLabel('Agent or user').fill('RAR'); // a part of the rare agent's name, in another case
  await count(1);
  const entry = entries.first();
  const said = await entry.innerText();
  assert(said.includes('task.requested') && said.includes(`${given.username} → rare`), said);
  await page.getByLabel('Type').selectOption('task.updated');
  await sees(page, 'No entry that was read matches these filters.');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Task', { exact: true }).fill(given.task.slice(4));
  await count(1);
  await entry.getByRole('link').click();
  await sees(page, 'for the rare one');
  assert(page.url().endsWith(`/tasks/${given.task}`));
});
