// `oidc-provider`, certified by the OpenID Foundation, as the issuer of a hub, and a browser of sorts that signs in: it follows
// redirects and keeps cookies. It prints its URL, reads the hub's from standard input, and prints whom the hub takes the browser for.
// With the argument `serve` it leaves that to another browser, and serves until standard input ends.

import http from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const { default: Provider } = await import(new URL('../../../target/tools/oidc/node_modules/oidc-provider/lib/index.js', import.meta.url));

const server = http.createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
console.log(`issuer ${issuer}`);
const input = createInterface(process.stdin);
const [hub] = await once(input, 'line');

const provider = new Provider(issuer, {
  clients: [{ client_id: 'hub', client_secret: 'a secret of the hub', redirect_uris: [`${hub}/oidc/callback`] }],
  // Groups are a claim of a scope of their own; without this, claims beside `sub` come from userinfo alone, as the standard has it.
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'], groups: ['groups'] },
  scopes: ['openid', 'profile', 'email', 'groups'],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: 'Ada', preferred_username: 'ada', email: 'ada@example.org', groups: ['ops'] }),
  }),
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/signs-in/${interaction.uid}` },
  pkce: { required: () => true },
  cookies: { keys: ['of the test'] },
  // The user has allowed the hub everything it asks for.
  loadExistingGrant: async (ctx) => {
    const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId });
    grant.addOIDCScope('openid profile email groups');
    await grant.save();
    return grant;
  },
});
const answers = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/signs-in/')) { answers(request, response); return; }
  provider.interactionFinished(request, response, { login: { accountId: 'subject-1' } });
});

if (process.argv[2] === 'serve') {
  console.log('serving');
  await once(input, 'close');
  process.exit(0);
}

/// The cookies of the browser, by host: the two differ in their ports, which cookies do not know.
const cookies = new Map();
async function visit(url) {
  for (let hops = 0; hops < 12; hops += 1) {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') } });
    for (const line of response.headers.getSetCookie()) {
      const [name, ...value] = line.split(';')[0].split('=');
      if (value.join('=')) cookies.set(name, value.join('=')); else cookies.delete(name);
    }
    const to = response.headers.get('location');
    if (!to) return response;
    if (new URL(to, url).pathname === '/' && new URL(to, url).origin === hub) { console.log(`came to ${to}`); return response; }
    url = new URL(to, url).href;
  }
  throw new Error(`still on the way, at ${url}`);
}

for (let signIn = 0; signIn < 2; signIn += 1) {
  await visit(`${hub}/oidc/login`);
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const session = await fetch(`${hub}/api/session`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  console.log(`session ${JSON.stringify((await session.json()).user)}`);
}
process.exit(0);
