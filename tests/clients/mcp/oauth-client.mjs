// The official MCP SDK as a client that was given an address and nothing else: it is refused, finds the authorization server,
// registers, asks the user (who is the test: a line `open URL` asks it to), and calls a tool. Then its access token stops
// working, and it gets another by itself.

import assert from 'node:assert/strict';
import http from 'node:http';

const sdk = new URL('../../../target/tools/mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/client/', import.meta.url);
const load = (name) => import(new URL(name, sdk));
const { Client } = await load('index.js');
const { StreamableHTTPClientTransport } = await load('streamableHttp.js');
const { UnauthorizedError } = await load('auth.js');

const url = new URL(process.argv[2]);

// Where the browser comes back to.
const listener = http.createServer();
await new Promise((done) => { listener.listen(0, '127.0.0.1', done); });
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;
const back = new Promise((done) => {
  listener.on('request', (request, response) => { response.end('You can close this page.'); done(new URL(request.url, redirectUrl).searchParams); });
});

/// What the SDK keeps of the hub, in memory.
const kept = { refreshed: 0 };
const provider = {
  redirectUrl,
  clientMetadata: { client_name: 'SDK client', redirect_uris: [redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
  state: () => 'the SDK’s state',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; kept.refreshed += 1; },
  redirectToAuthorization: (address) => { console.log(`open ${address}`); },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
};

const connect = async () => {
  const client = new Client({ name: 'oauth', version: '1' });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const answer = await back;
    assert.equal(answer.get('state'), 'the SDK’s state');
    await transport.finishAuth(answer.get('code'));
    return connect();
  }
};

const client = await connect();
const call = async () => (await client.callTool({ name: 'send_task', arguments: { alias: process.argv[3], task: 'by OAuth' } })).structuredContent.task_id;
console.log(`sent ${await call()}`);
const before = kept.tokens.refresh_token;
kept.tokens = { ...kept.tokens, access_token: `oat_${'0'.repeat(64)}` };
console.log(`sent ${await call()}`);
assert.notEqual(kept.tokens.refresh_token, before, 'the refresh token rotates');
assert.equal(kept.refreshed, 2);
await client.close();
listener.close();
