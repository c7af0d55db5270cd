// An invite that was opened as a link: `/#/join/CODE`. Browsers send a fragment to no server, and here the code leaves the
// address at once. The tab keeps it until the question is answered, also while its user signs in somewhere else.

import { html, useEffect, useState } from '/assets/vendor.js';
import { del, post } from '/assets/api.js';
import { Trouble, Waiting, useAct } from '/assets/parts.js';
import { Frame } from '/assets/sign-in.js';

const JOIN = '/#/join/';
const CODE = /^#\/join\/([\w-]+)$/;
const KEPT = 'baton-invite';

/// The link of a code of this hub.
export const linkOf = (code) => `${location.origin}${JOIN}${code}`;

/// The code of what somebody pasted, a code or a link.
export function codeOf(text) {
  const pasted = text.trim();
  if (!pasted.includes('://')) return pasted;
  if (!pasted.startsWith(linkOf(''))) throw new Error('This is not an invite’s link of this hub. Open the link itself, or ask for a new one.');
  return pasted.slice(linkOf('').length);
}

/// The code of the address, or the one that this tab keeps.
export function takeInvite() {
  const [, code] = location.hash.match(CODE) || [];
  try {
    if (!code) return sessionStorage.getItem(KEPT);
    sessionStorage.setItem(KEPT, code);
  } catch { /* storage is off: it is there until the page is left */ }
  if (code) history.replaceState(null, '', location.pathname + location.search);
  return code || null;
}

export function dropInvite() {
  try { sessionStorage.removeItem(KEPT); } catch { /* storage is off */ }
}

function Question({ found, code, session, reload, onClose }) {
  const { busy, error, act } = useAct();
  const { network_name: name, network_id: network, role, invited_by: inviter, is_member: isMember } = found;
  const open = () => onClose(`/n/${network}/overview`);
  const join = async () => { if (await act(() => post('/api/networks/join', { invite_code: code }))) { await reload(); open(); } };
  const signOut = async () => { if (await act(() => del('/api/session'))) reload(); };
  const heading = isMember ? `You are already in ${name}` : `Join ${name}?`;
  return html`<${Frame} heading=${heading} sub=${isMember ? 'This invite changes nothing.' : `${inviter} invites you to this network.`}>
    <dl class="facts">
      <dt>Network</dt><dd>${name} <span class="quiet">${network}</span></dd>
      <dt>Your role</dt><dd>${role}</dd>
      <dt>Signed in as</dt><dd>${session.user.username} <button type="button" class="link" disabled=${busy} onClick=${signOut}>not you?</button></dd>
    </dl>
    <${Trouble} error=${error} />
    ${isMember ? html`<button type="button" class="button primary wide" onClick=${open}>Open the network</button>`
      : html`<button type="button" class="button primary wide" disabled=${busy} onClick=${join}>${busy ? 'Joining…' : 'Join'}</button>
        <p><button type="button" class="button wide" disabled=${busy} onClick=${() => onClose('/')}>Don’t join</button></p>`}
  <//>`;
}

export function JoinByInvite({ code, session, reload, onClose }) {
  const [state, set] = useState({});
  const read = () => {
    set({});
    post('/api/networks/join/preview', { invite_code: code }).then((found) => set({ found }), (error) => set({ error }));
  };
  useEffect(() => { document.title = 'Join a network · Baton'; read(); }, [code]);
  const { found, error } = state;
  if (error) {
    const mayPass = !error.status || error.status >= 429;
    return html`<${Frame} heading=${mayPass ? 'This invite could not be read' : 'This invite cannot be used'} sub="You have not joined a network."><${Trouble} error=${error} />
      ${mayPass && html`<p><button type="button" class="button wide" onClick=${read}>Try again</button></p>`}
      <button type="button" class="button primary wide" onClick=${() => onClose('/')}>Go to the dashboard</button><//>`;
  }
  if (!found) return html`<${Frame} heading="An invite" sub="Asking the hub what it leads to."><${Waiting} read=${{}} lines=${3} /><//>`;
  return html`<${Question} found=${found} code=${code} session=${session} reload=${reload} onClose=${onClose} />`;
}
