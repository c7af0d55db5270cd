// The overview's figures: the parts of the open tasks add up to their number, durations are those of the hour, and the plot
// covers an hour, a day or a week and shows a step's figures by keys and pointer.

import assert from 'node:assert/strict';
import { at, signIn, tell, until } from './browser.mjs';

const LEFT = 44; // where the plot's axis ends and its steps begin, as in plot.js

await tell(async ({ given, open, rest }) => {
  const hub = rest(given.token);
  const page = await open();
  await signIn(page, given.base, given);
  await page.goto(at(given, 'overview'));
  const tile = (name) => page.locator('.tile').filter({ has: page.locator('.tile-name', { hasText: name }) });
  const value = await tile('Open tasks').locator('.tile-value').innerText();
  const note = await tile('Open tasks').locator('.tile-note').innerText();
  const parts = note.match(/\d+/g).map(Number);
  assert.equal(Number(value), given.open);
  assert.equal(parts.reduce((sum, part) => sum + part, 0), given.open, note);

  const { last_hour: hour } = await hub.get(`/api/overview?network_id=${given.network}`);
  assert.equal(typeof hour.p50_ms, 'number');
  const shown = await tile('p50 duration').innerText();
  assert.match(shown, /\d+(\.\d)? m?s[^]*p95 \d/, shown);

  // The plot's figures are reached by the arrow keys, over an hour, a day and a week.
  const plot = page.locator('.plot svg');
  const said = page.locator('.plot .legend');
  await plot.focus();
  for (let back = 0; back < 3 && !/\d+ sent/.test(await said.innerText().catch(() => '')); back += 1) await page.keyboard.press('ArrowLeft');
  assert.match(await said.innerText(), /\d\d:\d\d[^]*\d+ sent/);
  for (const [range, heading] of [['24 h', 'The last day'], ['7 days', 'The last week']]) {
    await page.getByRole('button', { name: range }).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.getByRole('img', { name: `${heading}: ${given.sent} tasks sent` }).waitFor();
  }

  // Under the pointer, the steps of a day add up to what was sent; beside the plot no step is meant.
  await page.getByRole('button', { name: '24 h' }).click();
  await page.getByRole('img', { name: `The last day: ${given.sent} tasks sent` }).waitFor();
  const { minutes: steps } = await hub.get(`/api/overview?network_id=${given.network}&hours=24`);
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width } = await plot.boundingBox();
  let [sum, last] = [0, ''];
  for (let i = 0; i < steps.length; i += 1) {
    await page.mouse.move(x + LEFT + ((i + 0.5) * (width - LEFT)) / steps.length, y + 60);
    last = await until(`step ${i}`, async () => {
      const when = (await said.locator('b').count()) && (await said.locator('b').innerText());
      return when && when !== last && when;
    });
    sum += Number((await said.innerText()).match(/(\d+) sent/)[1]);
  }
  assert.equal(sum, given.sent);
  assert.equal(await page.locator('.plot .cursor').count(), 1);
  await page.mouse.move(x + LEFT / 2, y + 60);
  await page.locator('.plot .cursor').waitFor({ state: 'detached' });
});
