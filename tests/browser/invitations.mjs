// Somebody is invited: they see it where networks are, decline one and accept the other, and leave again. An admin sees who
// has not answered and withdraws an invitation.

import assert from 'node:assert/strict';
import { at, sees, signIn, tell } from './browser.mjs';

await tell(async ({ given, open }) => {
  const page = await open();
  await signIn(page, given.base, given.guest);
  await page.goto(at({ ...given, network: given.own }, 'network'));
  await page.getByRole('button', { name: 'Decline pushy' }).click();
  await page.getByRole('button', { name: 'Decline pushy' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Accept welcome' }).click();
  await page.waitForURL((url) => url.pathname === `/n/${given.welcome}/overview`);
  await page.goto(at({ ...given, network: given.welcome }, 'network'));
  await sees(page, 'You are a member of it.');
  assert.equal(await page.getByRole('heading', { name: 'Invitations' }).count(), 0);
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('button', { name: 'Leave, and revoke my tokens' }).click();
  await page.waitForURL((url) => url.pathname.startsWith(`/n/${given.own}/`));

  const admin = await open();
  await signIn(admin, given.base, given.host);
  await admin.goto(at({ ...given, network: given.welcome }, 'network'));
  await admin.getByRole('row', { name: /gustav.*invited/ }).waitFor();
  await admin.getByRole('button', { name: 'Withdraw the invitation of gustav' }).click();
  await admin.getByRole('row', { name: /gustav/ }).waitFor({ state: 'detached' });
});
