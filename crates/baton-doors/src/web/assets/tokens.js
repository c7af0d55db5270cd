// One's own tokens: agents', tools', browsers', and what OAuth clients were allowed. Each can be ended; one that ends soon is
// marked.

import { html, useState } from '/assets/vendor.js';
import { del } from '/assets/api.js';
import { LIMITS } from '/assets/facts.js';
import { useRead } from '/assets/live.js';
import { Card, Empty, Trouble, Waiting, useAct } from '/assets/parts.js';
import { Ago, Until, now, parse } from '/assets/time.js';

const isSoon = (at) => parse(at) - now() < 1000 * LIMITS.TOKEN_EXPIRES_SOON_SECONDS;

/// What a token is, in words.
function kind(token) {
  if (token.client_id) return 'OAuth client';
  return token.network_id ? token.scope : 'login';
}

export function Tokens({ network }) {
  const read = useRead('/api/auth/tokens', { live: false, list: 'tokens' });
  const { busy, error, act } = useAct();
  const [asked, setAsked] = useState(null);
  const revoke = async (token) => { if (await act(() => del(`/api/auth/tokens/${token.token_id}`))) setAsked(null); read.refresh(); };
  // Of other networks they are shown there; logins belong to none.
  const tokens = (read.data?.tokens || []).filter((token) => !token.network_id || token.network_id === network.network_id);
  return html`<${Card} title="Your tokens" class="flush-table">
    ${!read.data ? html`<${Waiting} read=${read} lines=${2} />` : !tokens.length ? html`<${Empty}><p>You have no tokens for this network. <code>baton login</code> makes one for you, a key under Agents one for an agent.</p><//>` : html`
    <table class="plain roomy"><caption class="visually-hidden">Your tokens</caption><thead><tr><th scope="col">Name</th><th scope="col" class="wide-only">Kind</th><th scope="col" class="wide-only">Last used</th><th scope="col">Expires</th><th scope="col"><span class="visually-hidden">Revoke</span></th></tr></thead>
    <tbody>${tokens.map((token) => html`<tr key=${token.token_id}><td><b class="clip" title=${token.name}>${token.name}</b> <span class="quiet wide-only">${token.token_id}</span></td><td class="wide-only">${kind(token)}</td>
      <td class="wide-only quiet">${token.last_used_at ? html`<${Ago} at=${token.last_used_at} />` : 'never'}</td>
      <td>${token.expires_at ? html`<span class=${isSoon(token.expires_at) ? 'soon' : ''}><${Until} at=${token.expires_at} />${isSoon(token.expires_at) ? ' (soon)' : ''}</span>` : 'never'}</td>
      <td class="num">${asked === token.token_id
        ? html`<button type="button" class="button small danger" disabled=${busy} onClick=${() => revoke(token)}>Revoke at once</button>`
        : html`<button type="button" class="button small" onClick=${() => setAsked(token.token_id)} aria-label=${`Revoke ${token.name}`}>Revoke</button>`}</td></tr>`)}</tbody></table>`}
    <${Trouble} error=${error} /><//>`;
}
