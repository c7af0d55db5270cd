// Without a mouse: sign in, reach a task, open the window that cancels it, leave it with Escape, do it after all.

import assert from 'node:assert/strict';
import { sees, tell } from './browser.mjs';

const MOST_TABS = 60;

await tell(async ({ given, open }) => {
  const page = await open();
  const { keyboard } = page;
  const focused = () => page.evaluate(() => {
    const el = document.activeElement;
    const name = el === document.body ? '' : el.getAttribute('aria-label') || el.labels?.[0]?.innerText || el.innerText || '';
    const { outlineStyle, outlineWidth } = getComputedStyle(el);
    return { name: name.trim(), tag: el.tagName, isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 };
  });
  const tabTo = async (name) => {
    for (let i = 0; i < MOST_TABS; i += 1) {
      const now = await focused();
      if (now.name.startsWith(name)) { assert(now.isMarked, `${name} has the focus and does not show it`); return; }
      await keyboard.press('Tab');
    }
    assert.fail(`${name} is not reached by ${MOST_TABS} tabs`);
  };
  await page.goto(given.base);
  await page.getByLabel('Username').waitFor();
  await tabTo('Username');
  await keyboard.type(given.username);
  await tabTo('Password');
  await keyboard.type(given.password);
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await tabTo('Skip to content');
  await tabTo('Tasks');
  await keyboard.press('Enter');
  await sees(page, 'reached by keys');
  await tabTo('reached by keys');
  await keyboard.press('Enter');
  await page.waitForURL(/\/tasks\/[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
  await tabTo('Cancel');
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Cancel this task' });
  await dialog.waitFor();
  assert.equal((await focused()).name, 'Reason, for the record');
  await keyboard.type('changed my mind');
  await keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await focused()).name, 'Cancel', 'the focus is back where it was');
  await page.locator('.task-head .s-delivered').waitFor();
  await keyboard.press('Enter');
  await dialog.waitFor();
  await keyboard.type('by keys');
  await keyboard.press('Enter');
  await page.locator('.task-head .s-cancelled').waitFor();
  await sees(page, 'by keys');
});
