// The hub is killed and comes back: the page says so, continues, and shows what happened meanwhile. Still signed in.

import { ask, at, sees, signIn, stays, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'tasks'));
  await sees(page, 'sent before');
  const state = page.locator('.side .live');
  await state.getByText('Live').waitFor();
  const check = await stays(page);
  await ask('kill');
  await state.getByText('Hub unreachable, retrying…').waitFor();
  await sees(page, 'sent before');
  await ask('start');
  await state.getByText('Live').waitFor();
  await sees(page, 'sent after');
  await check();
  await page.reload();
  await sees(page, 'sent after');
});
