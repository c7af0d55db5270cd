// An invite's link: an admin makes it, a user who is signed in is asked and joins, somebody new signs up on the way, and a link
// that is used up says so. The code leaves the address at once.

import assert from 'node:assert/strict';
import { at, axe, fits, sees, signIn, tell } from './browser.mjs';

const PASSWORD = 'a long password of mine';

await tell(async ({ given, open }) => {
  const host = await open();
  await signIn(host, given.base, given.host);
  await host.goto(at(given, 'network'));
  await host.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = host.getByRole('dialog');
  await dialog.locator('select[name=role]').selectOption('viewer');
  await dialog.getByLabel('How many may use it').fill('2');
  await dialog.getByRole('button', { name: 'Make invite' }).click();
  await dialog.getByText('It is shown only once').waitFor();
  const link = await dialog.locator('pre').first().innerText();
  assert(link.startsWith(`${given.base}/#/join/inv_`), link);
  const code = link.split('/').pop();
  console.log(`code: ${code}`);
  const question = (page) => page.getByRole('heading', { name: 'Join welcome?' });
  const isIn = async (page) => {
    await page.waitForURL(`${given.base}/n/${given.network}/overview`);
    await page.goto(at(given, 'network'));
    await sees(page, 'You are a viewer of it.');
  };

  // The admin's own tab is asked nothing that it could answer with yes.
  await host.evaluate((hash) => { location.hash = hash; }, `#/join/${code}`);
  await host.getByRole('heading', { name: 'You are already in welcome' }).waitFor();
  await host.getByRole('button', { name: 'Open the network' }).click();
  await host.waitForURL(`${given.base}/n/${given.network}/overview`);

  const guest = await open();
  await signIn(guest, given.base, given.guest);
  await guest.goto(link);
  await question(guest).waitFor();
  assert(!guest.url().includes(code), guest.url());
  for (const words of [given.network, 'viewer', `${given.host.username} invites you`, given.guest.username]) await sees(guest, words);
  await fits(guest);
  assert.deepEqual(await axe(guest), []);
  await guest.getByRole('button', { name: 'Don’t join' }).click();
  await guest.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await guest.reload();
  await guest.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  // What the hub could not be asked is asked again.
  await guest.route('**/api/networks/join/preview', (route) => route.abort());
  await guest.goto(link);
  await guest.getByRole('heading', { name: 'This invite could not be read' }).waitFor();
  await guest.unroute('**/api/networks/join/preview');
  await guest.getByRole('button', { name: 'Try again' }).click();
  await guest.getByRole('button', { name: 'Join', exact: true }).click();
  await isIn(guest);

  // Somebody new is led over the account to the same question, also over a reload.
  const stranger = await open();
  await stranger.goto(link);
  await sees(stranger, 'Sign in to join the network you are invited to.');
  assert(!stranger.url().includes(code), stranger.url());
  await stranger.reload();
  await sees(stranger, 'Sign in to join the network you are invited to.');
  await stranger.getByRole('button', { name: 'Create an account' }).click();
  await stranger.getByLabel('Username').fill('nina');
  await stranger.getByLabel('Password', { exact: false }).first().fill(PASSWORD);
  await stranger.getByLabel('Password, again').fill(PASSWORD);
  await stranger.getByRole('button', { name: 'Create account' }).click();
  await question(stranger).waitFor();
  await stranger.getByRole('button', { name: 'Join', exact: true }).click();
  await isIn(stranger);

  const late = await open();
  await late.goto(link);
  await signIn(late, given.base, { ...given.late, arrives: false });
  await late.getByRole('heading', { name: 'This invite cannot be used' }).waitFor();
  await late.getByRole('alert').getByText('This invite has been used up.').waitFor();
  assert.deepEqual(await axe(late), []);
  await late.getByRole('button', { name: 'Go to the dashboard' }).click();
  await late.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  // A code or a link is taken where networks are chosen, too; a link of another hub is not.
  await late.goto(`${given.base}/n/${given.home}/network`);
  await late.getByLabel('Join one').fill(`https://hub.example/#/join/${code}`);
  await late.getByRole('button', { name: 'Join', exact: true }).click();
  await late.getByRole('alert').getByText('not an invite’s link of this hub').waitFor();
  await late.getByLabel('Join one').fill(link);
  await late.getByRole('button', { name: 'Join', exact: true }).click();
  await late.getByRole('alert').getByText('This invite has been used up.').waitFor();
});
