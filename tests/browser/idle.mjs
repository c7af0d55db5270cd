// Nothing happens in the network, and that is news too: the page reads again what changes by time alone.

import { at, signIn, tell, until } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await page.clock.install();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'overview'));
  await page.locator('.tiles').waitFor();
  await page.locator('.l-live').first().waitFor();
  let reads = 0;
  page.on('request', (request) => { if (request.url().includes('/api/overview')) reads += 1; });
  // What was rung before is done within two seconds; from then on only time passes.
  await page.clock.runFor(2_500);
  const before = reads;
  await page.clock.runFor(31_000);
  await until('another look', () => reads > before);
});
