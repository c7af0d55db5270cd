// Chromium for the dashboard's tests: started, signed in, listened to, closed. Each script beside this one is a story
// that `tell` runs against the hub it was given. Nothing waits for a time, everything for a condition, with an end.
// Whatever the story is about, it fails if a page broke its Content-Security-Policy, asked another host for something,
// opened a dialog of script, or threw.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import readline from 'node:readline';

const require = createRequire(new URL('../../target/tools/browser/', import.meta.url));
const { chromium } = require('playwright-core');

const PATIENCE_MS = 25_000;
const STORY_MS = 120_000;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const DESKTOP = { viewport: { width: 1360, height: 850 } };
export const TABLET = { viewport: { width: 768, height: 1024 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
export const SMALL_PHONE = { ...PHONE, viewport: { width: 360, height: 780 } };

/// A Chromium with a fresh profile.
export const launch = () => chromium.launch({
  executablePath: process.env.BATON_CHROMIUM || '/usr/bin/chromium', args: FLAGS, timeout: PATIENCE_MS });

/// Runs a story against the hub in `GIVEN`. It ends well, or the process does not.
export async function tell(story) {
  const given = JSON.parse(process.env.GIVEN);
  const stage = { given, troubles: [], pages: [] };
  const end = setTimeout(() => fail(stage, new Error(`still busy after ${STORY_MS} ms`)), STORY_MS);
  try {
    stage.browser = await launch();
    await story({ given, rest: (token) => rest(given.base, token), open: (options) => open(stage, options) });
    assert.deepEqual(stage.troubles, [], 'what the pages should not have done');
    await stage.browser.close();
  } catch (error) {
    await fail(stage, error);
  }
  clearTimeout(end);
  process.exit(0);
}

async function fail(stage, error) {
  console.log(error.stack);
  for (const trouble of stage.troubles) console.log(`trouble: ${trouble}`);
  for (const page of stage.pages) {
    const text = await within(1000, page.evaluate(() => document.body.innerText)).catch((e) => e.message);
    console.log(`--- ${page.url()}\n${text.slice(0, 3000)}`);
  }
  process.exit(1);
}

const within = (ms, promise) => Promise.race([promise, new Promise((_, no) => { setTimeout(() => no(new Error('no answer')), ms); })]);

/// A new window of somebody of their own.
async function open(stage, options = DESKTOP) {
  const context = await stage.browser.newContext({ colorScheme: 'light', locale: 'en-GB', timezoneId: 'Europe/Amsterdam', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  await listen(context, stage);
  const page = await context.newPage();
  stage.pages.push(page);
  return page;
}

async function listen(context, { troubles, given }) {
  await context.exposeBinding('tellTrouble', (_, text) => { troubles.push(text); });
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (e) => window.tellTrouble(`policy: ${e.violatedDirective} refused ${e.blockedURI} ${e.sample}`));
  });
  context.on('console', (m) => { if (/Content.Security.Policy/i.test(m.text())) troubles.push(`console: ${m.text()}`); });
  context.on('dialog', (dialog) => { troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  context.on('weberror', (e) => troubles.push(`error: ${e.error().stack}`));
  const own = [given.base, given.issuer, 'data:'].filter(Boolean);
  context.on('request', (r) => { if (!own.some((start) => r.url().startsWith(start))) troubles.push(`asked ${r.url()}`); });
}

/// Comes to the form, unless it is there, fills it in and waits for the first page, unless something else comes first.
export async function signIn(page, base, { username, password, arrives = true }) {
  const form = page.getByLabel('Username');
  if (!(await form.isVisible())) await page.goto(base);
  await form.fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  if (arrives) await page.locator('.side, .top').first().waitFor({ state: 'attached' });
}

/// The way to a page of a network.
export const at = (given, page) => `${given.base}/n/${given.network}/${page}`;

/// Waits until the page's words have this.
export const sees = (page, text) => page.locator('main').getByText(text).first().waitFor();

/// Waits until `look` gives something, and gives it.
export async function until(what, look) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert(Date.now() < end, `${what} did not come`);
    await new Promise((resolve) => { setTimeout(resolve, 25); });
  }
}

/// Marks a page, and gives a check that it is still that very page: nothing was loaded again.
export async function stays(page) {
  const mark = `mark-${Math.random()}`;
  await page.evaluate((text) => { window.mark = text; }, mark);
  return async () => assert.equal(await page.evaluate(() => window.mark), mark, 'the page was loaded again');
}

/// Fails if the page, as it is, would scroll sideways on a small phone.
export async function fits(page) {
  const was = page.viewportSize();
  await page.setViewportSize(SMALL_PHONE.viewport);
  const wide = await tooWide(page);
  await page.setViewportSize(was);
  assert.deepEqual(wide, []);
}

async function tooWide(page) {
  const { scrolls, shown } = await page.evaluate(() => ({ scrolls: document.documentElement.scrollWidth, shown: window.innerWidth }));
  const most = SMALL_PHONE.viewport.width;
  return scrolls > most || shown > most ? [`scrolls sideways: ${scrolls} of ${shown} pixels at ${most}`] : [];
}

/// What is wrong with the page on a small phone, in lines: it scrolls sideways, or axe-core finds something.
export const narrow = async (page) => [...(await tooWide(page)), ...(await axe(page))];

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/// What axe-core finds serious or critical on the page as it is, in lines.
export async function axe(page) {
  // What fades in is looked at when it is there.
  await page.waitForFunction(() => document.getAnimations().every((a) => a.effect.getTiming().iterations === Infinity || a.playState !== 'running'));
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).flatMap((v) =>
    v.nodes.map((n) => `${v.impact} ${v.id}: ${n.target.join(' ')} – ${n.any.concat(n.all, n.none).map((c) => c.message).join('; ')}`));
}

/// The hub by REST with a token.
export function rest(base, token) {
  const call = async (method, path, body) => {
    const response = await fetch(base + path, {
      method, signal: AbortSignal.timeout(PATIENCE_MS), body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  const ok = async (...asked) => {
    const answer = await call(...asked);
    assert(answer.status < 300 && answer.body?.ok, `${asked.slice(0, 2).join(' ')}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return { call, get: (path) => ok('GET', path), post: (path, body = {}) => ok('POST', path, body) };
}

/// An MCP tool by a token, for what only agents say.
export async function tool(base, token, name, args) {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST', signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const line = (await response.text()).split('\n').find((l) => l.startsWith('data: {'));
  const answer = JSON.parse(JSON.parse(line.slice(6)).result.content[0].text);
  assert(answer.ok, `${name}: ${JSON.stringify(answer)}`);
  return answer;
}

const answers = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/// Asks whoever started this script to do something to the hub, and waits until it is done.
export async function ask(what) {
  console.log(`? ${what}`);
  assert.equal((await answers.next()).value, 'done', what);
}
