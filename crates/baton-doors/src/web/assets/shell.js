// The frame around every page: where one is, whether the page is live, and the way to everything else.

import { Component, html, useEffect, useRef, useState } from '/assets/vendor.js';
import { del, post } from '/assets/api.js';
import { Invitations } from '/assets/invitations.js';
import { codeOf } from '/assets/invite.js';
import { useLiveState } from '/assets/live.js';
import { LIMITS } from '/assets/facts.js';
import { Card, Dialog, Empty, Field, Icon, Link, PageHead, Trouble, Waiting, go, useAct } from '/assets/parts.js';
import { PasswordForm } from '/assets/sign-in.js';
import { time } from '/assets/time.js';

// Each page comes when it is first opened, so that the first paint waits for none; the others follow once the browser has
// nothing else to do, so that going to them needs no hub.
export const PAGES = {
  overview: { name: 'Overview', load: () => import('/assets/overview.js') },
  tasks: { name: 'Tasks', load: () => import('/assets/tasks.js') },
  graph: { name: 'Work graph', load: () => import('/assets/graph.js') },
  agents: { name: 'Agents', load: () => import('/assets/agents.js') },
  send: { name: 'Send', load: () => import('/assets/send.js') },
  network: { name: 'Network', load: () => import('/assets/network.js') },
  evidence: { name: 'Evidence', load: () => import('/assets/evidence.js') },
};
/// The page of an address that is none.
export const MISSING = 'missing';
const ON_PHONE = ['overview', 'tasks', 'send', 'agents'];

const LIVE_WORDS = { live: 'Live', stale: 'Some data could not be read, retrying…', connecting: 'Connecting…', away: 'Hub unreachable, retrying…', off: 'Not connected' };

function Live() {
  const state = useLiveState();
  return html`<span class="live l-${state}" role="status"><i class="dot"></i>${LIVE_WORDS[state]}</span>`;
}

function ThemeButton() {
  const [now, set] = useState(document.documentElement.dataset.theme);
  const flip = () => {
    const next = now === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem('baton-theme', next); } catch { /* for this page only */ }
    set(next);
  };
  const label = now === 'dark' ? 'Light theme' : 'Dark theme';
  return html`<button type="button" class="icon-button" onClick=${flip} aria-label=${label} title=${label}><${Icon} name=${now === 'dark' ? 'sun' : 'moon'} /></button>`;
}

function NetworkSwitch({ session, network, page }) {
  const change = (event) => go(`/n/${event.target.value}/${page === MISSING ? 'overview' : page}`);
  const isListed = session.networks.some((n) => n.network_id === network?.network_id);
  return html`<label class="switch"><span class="visually-hidden">Network</span>
    <select onChange=${change} value=${network?.network_id || ''}>
      ${!isListed && html`<option value=${network?.network_id || ''}>${network ? network.network_name : 'no network'}</option>`}
      ${session.networks.map((n) => html`<option value=${n.network_id}>${n.network_name}</option>`)}
    </select></label>`;
}

const Nav = ({ names, base, page }) => names.map((name) => html`
  <${Link} to=${`${base}/${name}`} class="nav ${name === page ? 'here' : ''}" aria-current=${name === page ? 'page' : undefined}>
    <${Icon} name=${name} /><span>${PAGES[name].name}</span><//>`);

function Account({ session, reload }) {
  const [changing, setChanging] = useState(false);
  const { error, act, clear } = useAct();
  const signOut = async () => { if (await act(() => del('/api/session'))) { go('/'); reload(); } };
  return html`
    <div class="account">
      <button type="button" class="who" onClick=${() => setChanging(true)} title="Change password">
        <span class="avatar" aria-hidden="true">${session.user.username.slice(0, 1).toUpperCase()}</span>
        <span class="who-name">${session.user.display_name || session.user.username}</span></button>
      <${ThemeButton} />
      <button type="button" class="icon-button" onClick=${signOut} aria-label="Sign out" title="Sign out"><${Icon} name="out" /></button>
    </div>
    ${error && html`<${Dialog} heading="Not signed out" onClose=${clear}><${Trouble} error=${error} /><p class="sub">This browser is still signed in.</p><//>`}
    ${changing && html`<${Dialog} heading=${`Password of ${session.user.username}`} onClose=${() => setChanging(false)}>
      <p class="sub">Changing it signs you out everywhere else. Agents' keys stay.</p>
      <${PasswordForm} username=${session.user.username} oldLabel="Your password now" label="Change password" onDone=${() => { setChanging(false); reload(); }} />
    <//>`}`;
}

/// A page that breaks says so, and leaves the way to the others.
class Boundary extends Component {
  componentDidCatch(error) { console.error(error); this.setState({ error }); }

  render({ children }, { error }) {
    return error ? html`<${Trouble} error=${{ message: 'This page failed. Reload to try again; the browser’s console has the cause.' }} />` : children;
  }
}

const AGAIN_MS = 2000;
const isThere = (page) => fetch(`/assets/${page}.js`, { method: 'HEAD', cache: 'no-store' }).then((answer) => answer.ok, () => false);

// Which page was loaded again because its script had failed; once, so that a broken script does not do it forever.
const RELOADED = 'baton-reloaded';
const reloaded = { get: () => { try { return sessionStorage.getItem(RELOADED); } catch { return null; } },
  set: (page) => { try { sessionStorage.setItem(RELOADED, page); return true; } catch { return false; } } };

function Page({ at, ...rest }) {
  const [loaded, set] = useState({});
  useEffect(() => {
    let isHere = true;
    let timer = 0;
    // A browser may remember that a script could not be fetched: only loading everything again is sure to fetch it.
    const again = async () => {
      const isBack = await isThere(at.page);
      if (!isHere) return;
      if (!isBack) {
        set({ page: at.page, error: 'The hub does not respond. This page opens as soon as it does.' });
        timer = setTimeout(again, AGAIN_MS);
      } else if (reloaded.get() !== at.page && reloaded.set(at.page)) location.reload();
      else set({ page: at.page, error: 'This page could not be loaded. Reload to try again.' });
    };
    PAGES[at.page].load().then((module) => { reloaded.set(''); if (isHere) set({ page: at.page, View: module.default }); }, again);
    return () => { isHere = false; clearTimeout(timer); };
  }, [at.page]);
  if (loaded.page !== at.page) return html`<${Waiting} read=${{}} />`;
  if (loaded.error) return html`<${Trouble} error=${{ message: loaded.error }} />`;
  return html`<${loaded.View} at=${at} ...${rest} />`;
}

/// Says over the page that the hub is away, and since when what it shows has not changed.
function Banner({ isAway }) {
  const since = useRef(null);
  since.current = isAway ? since.current || new Date() : null;
  return isAway ? html`<p class="banner" role="alert">The hub does not respond. This page shows what it last read, at ${time(since.current)}. Retrying…</p>` : null;
}

const NotFound = ({ base }) => html`<${PageHead} heading="Page not found" /><${Card}>
  <${Empty}><p>The dashboard has no page at this address.</p><${Link} to=${`${base}/overview`} class="button">Go to the overview<//><//><//>`;

const OTHERS_AFTER_MS = 5000; // what the first page needs comes first

/// Loads the pages that were not opened yet, once the browser has nothing else to do. One that fails is loaded again when it
/// is opened.
export const loadOthers = () => setTimeout(() => (window.requestIdleCallback || setTimeout)(() => {
  for (const page of Object.values(PAGES)) page.load().catch(() => {});
}), OTHERS_AFTER_MS);

function NoNetwork({ reload }) {
  const { busy, error, act } = useAct();
  const create = async (event) => {
    event.preventDefault();
    const made = await act(() => post('/api/networks', { name: new FormData(event.target).get('name') }));
    if (made) { await reload(); go(`/n/${made.network_id}/overview`); }
  };
  const join = async (event) => {
    event.preventDefault();
    const joined = await act(async () => post('/api/networks/join', { invite_code: codeOf(new FormData(event.target).get('code')) }));
    if (joined) { await reload(); go(`/n/${joined.network_id}/overview`); }
  };
  return html`<${Invitations} reload=${reload} /><${Card} title="No network here">
    <${Empty}><p>Network not found, or you have no access to it. Create one, or join one with an invite.</p><//>
    <div class="two">
      <form onSubmit=${create}><${Field} label="Name of a new network"><input name="name" required maxlength=${LIMITS.NETWORK_NAME_MAX_CHARS} /><//><button class="button" disabled=${busy}>Make network</button></form>
      <form onSubmit=${join}><${Field} label="Invite code or link"><input name="code" placeholder="inv_…" required autocomplete="off" /><//><button class="button" disabled=${busy}>Join</button></form>
    </div><${Trouble} error=${error} /><//>`;
}

export function Shell({ session, network, at, reload }) {
  const main = useRef(null);
  const isAway = useLiveState() === 'away';
  const isFirst = useRef(true);
  const base = `/n/${network?.network_id || ''}`;
  const heading = at.page === MISSING ? 'Page not found' : PAGES[at.page].name;
  useEffect(() => {
    document.title = `${heading} · ${network?.network_name || 'Baton'}`;
    // Whoever reads by ear is taken to the new page; the first one needs no taking.
    if (isFirst.current) isFirst.current = false;
    else main.current.focus({ preventScroll: true });
  }, [at.page, at.id, network?.network_id]);
  const props = { at, session, network, base, role: network?.member_role, reload };
  return html`
    <a class="skip" href="#main">Skip to content</a>
    <div class="shell">
      <aside class="side">
        <${Link} to=${`${base}/overview`} class="brand"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><use href="/assets/icons.svg#baton"></use></svg><span>Baton</span><//>
        <${NetworkSwitch} session=${session} network=${network} page=${at.page} />
        <nav aria-label="Pages"><${Nav} names=${Object.keys(PAGES)} base=${base} page=${at.page} /></nav>
        <div class="side-foot"><${Live} /><${Account} session=${session} reload=${reload} /></div>
      </aside>
      <header class="top">
        <${Link} to=${`${base}/overview`} class="brand"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><use href="/assets/icons.svg#baton"></use></svg><span class="visually-hidden">Baton</span><//>
        <${NetworkSwitch} session=${session} network=${network} page=${at.page} /><${Live} />
      </header>
      <main id="main" ref=${main} tabindex="-1" class=${isAway ? 'away' : ''}><${Banner} isAway=${isAway} />${at.page === MISSING ? html`<${NotFound} base=${base} />` : network ? html`<${Boundary} key=${`${network.network_id} ${at.page} ${at.id}`}><${Page} ...${props} /><//>` : html`<${NoNetwork} reload=${reload} />`}</main>
      <nav class="tabs" aria-label="Pages, for small screens">
        <${Nav} names=${ON_PHONE} base=${base} page=${at.page} />
        <${More} base=${base} page=${at.page} session=${session} reload=${reload} />
      </nav>
    </div>`;
}

function More({ base, page, session, reload }) {
  const [open, set] = useState(false);
  useEffect(() => set(false), [page]);
  const rest = Object.keys(PAGES).filter((name) => !ON_PHONE.includes(name));
  return html`
    <button type="button" class="nav ${rest.includes(page) ? 'here' : ''}" aria-expanded=${open} onClick=${() => set(!open)}><${Icon} name="more" /><span>More</span></button>
    ${open && html`<div class="sheet"><${Nav} names=${rest} base=${base} page=${page} /><${Account} session=${session} reload=${reload} /></div>`}`;
}
