// Takes the dashboard's pictures into docs/images, of a hub of its own that `tests/browser/seed.mjs` fills: each page at
// desktop and phone width, light and dark. `make screenshots` runs it, by hand; nothing else needs it. So that the last
// hour is an hour, the hub's clock is moved along while it is filled. On Debian: apt-get install faketime pngquant.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DESKTOP, PHONE, launch, rest, signIn } from '../tests/browser/browser.mjs';
import { seed } from '../tests/browser/seed.mjs';

const MOST_BYTES = 150_000;
const HOUR_SECONDS = 58 * 60;
const FAKETIME = ['/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1', '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1'].find(existsSync);
const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'docs/images');
const who = { username: 'mira', password: 'a-password-for-pictures' };

/// A hub in a folder of its own; `moment` moves its clock from an hour ago to now.
async function startHub(folder) {
  if (!FAKETIME) throw new Error('the pictures need libfaketime (on Debian: apt-get install faketime)');
  const clock = join(folder, 'clock');
  const moment = async (part) => { // in one piece, because the hub reads it whenever it asks for the time
    writeFileSync(`${clock}.new`, `-${Math.round((1 - part) * HOUR_SECONDS)}\n`);
    renameSync(`${clock}.new`, clock);
  };
  await moment(0);
  const hub = spawn(join(root, 'target/debug/baton'),
    ['hub', 'start', '--port', '0', '--data-dir', join(folder, 'data'), '--username', who.username, '--password', '-'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' } });
  hub.stdin.end(`${who.password}\n`);
  for await (const line of readline.createInterface({ input: hub.stdout })) {
    if (line.startsWith('Baton hub listening on ')) return { hub, base: line.split(' ').pop(), moment };
  }
  throw new Error('the hub did not start');
}

const folder = mkdtempSync(join(tmpdir(), 'baton-pictures-'));
const { hub, base, moment } = await startHub(folder);
const browser = await launch();
try {
  const { token, network_id: network } = await rest(base).post('/api/auth/login', who);
  const user = rest(base, token);
  await user.call('PUT', `/api/networks/${network}`, { name: 'Release team' });
  await user.call('PUT', '/api/auth/me', { display_name: 'Mira' });
  for (const name of ['jonas', 'priya']) await rest(base).post('/api/auth/register', { username: name, password: who.password });
  const ids = await seed({ base, rest: (key) => rest(base, key), token, network, waves: 60, moment });
  for (const [name, role] of [['jonas', 'admin'], ['priya', 'viewer']]) {
    const { invite_code } = await user.post(`/api/networks/${network}/invite`, { role, max_uses: 1, expires_days: 1 });
    const { token: theirs } = await rest(base).post('/api/auth/login', { username: name, password: who.password });
    await rest(base, theirs).post('/api/networks/join', { invite_code });
  }
  await user.post(`/api/networks/${network}/invite`, { role: 'member', max_uses: 5, expires_days: 7 });
  await take(`${base}/n/${network}`, ids);
} finally {
  await browser.close();
  hub.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function take(network, ids) {
  const places = [['overview', 'overview', '.agent-grid'], ['tasks', 'tasks', 'table.tasks'], ['task', `tasks/${ids.parent}`, '.entry'],
    ['graph', 'graph?hours=1', '.flow svg a'], ['agents', 'agents', 'table'], ['agent', 'agents/coder', '.children'], ['send', 'send?to=coder', '.presence'],
    ['network', 'network', 'table'], ['evidence', 'evidence', '.entry']];
  mkdirSync(out, { recursive: true });
  for (const [size, options] of [['desktop', DESKTOP], ['phone', PHONE]]) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ ...options, colorScheme, locale: 'en-GB', timezoneId: 'Europe/Amsterdam', reducedMotion: 'reduce' });
      const page = await context.newPage();
      const picture = async (name) => {
        await page.waitForLoadState('load');
        await page.evaluate(() => document.fonts.ready);
        const path = join(out, `dashboard-${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path });
        execFileSync('pngquant', ['--force', '--ext', '.png', '--strip', '--speed', '1', path]);
        const { size: bytes } = statSync(path);
        console.log(`${path.slice(root.length)} ${bytes}`);
        if (bytes > MOST_BYTES) throw new Error(`${path} has ${bytes} bytes, more than ${MOST_BYTES}`);
      };
      await page.goto(base);
      await page.getByLabel('Username').waitFor();
      await picture('sign-in');
      await signIn(page, base, who);
      for (const [name, place, selector] of places) {
        await page.goto(`${network}/${place}`);
        await page.locator(selector).first().waitFor();
        await page.locator('.l-live').first().waitFor({ state: 'attached' });
        await page.locator('.waiting').waitFor({ state: 'detached' });
        if (name === 'evidence') {
          await page.getByRole('button', { name: 'Check proofs here' }).click();
          await page.locator('.outcome').waitFor();
        }
        if (name === 'send') await page.locator('textarea').fill('Review the diff of branch fast-claims.\n\nMind the index on the inbox query.');
        await picture(name);
      }
      await context.close();
    }
  }
}
