// Files go along with a task from the send page; the task's page shows text as text, pictures as pictures, and downloads.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { at, sees, signIn, tell } from './browser.mjs';

const SCRIPT = '<script>document.title = "taken over"</script>';
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

await tell(async ({ given, open, rest }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, `send?to=${given.alias}`));
  await page.locator('textarea[name=task]').fill('look at these');
  await page.locator('input[name=files]').setInputFiles([
    { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(SCRIPT) },
    { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
  ]);
  await sees(page, 'Up to 100 files of at most 1 GiB each.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const row = (name) => page.locator('.artifacts li', { hasText: name });
  await row('page.html').waitFor();
  await row('page.html').getByRole('button', { name: 'Preview' }).click();
  await row('page.html').locator('pre.said', { hasText: 'taken over' }).waitFor();
  assert.notEqual(await page.title(), 'taken over', 'what is shown as text is text');
  await row('pixel.png').getByRole('button', { name: 'Preview' }).click();
  const picture = row('pixel.png').locator('img');
  await picture.waitFor();
  await page.waitForFunction(() => document.querySelector('.artifacts img')?.naturalWidth === 1);
  const [download] = await Promise.all([page.waitForEvent('download'), row('page.html').getByRole('link').click()]);
  assert.equal(download.suggestedFilename(), 'page.html');
  assert.equal(await readFile(await download.path(), 'utf8'), SCRIPT);
  const { task } = await rest(given.token).get(`/api/tasks/${page.url().split('/').pop()}`);
  assert.deepEqual(task.artifacts.map((artifact) => artifact.name), ['page.html', 'pixel.png']);
});
