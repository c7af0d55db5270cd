// Who is signed in, to which network, on which page. Everything else is a page of its own.

import { html, render, useEffect, useRef, useState } from '/assets/vendor.js';
import { get, getAll, onSignedOut } from '/assets/api.js';
import { JoinByInvite, dropInvite, takeInvite } from '/assets/invite.js';
import { listen, onRefused } from '/assets/live.js';
import { onNavigate } from '/assets/parts.js';
import { MISSING, PAGES, Shell, loadOthers } from '/assets/shell.js';
import { NewPassword, SignIn } from '/assets/sign-in.js';

const decoded = (part) => { try { return decodeURIComponent(part); } catch { return ''; } };

/// `/n/NETWORK/PAGE/ID?query` as its parts.
function place() {
  const [, n, network, page = '', id = ''] = location.pathname.split('/').map(decoded);
  return { network: n === 'n' ? network : null, page: Object.hasOwn(PAGES, page) ? page : page ? MISSING : 'overview', id, search: new URLSearchParams(location.search) };
}

function remembered(networks) {
  let last = null;
  try { last = localStorage.getItem('baton-network'); } catch { /* storage is off */ }
  return networks.some((n) => n.network_id === last) ? last : networks[0]?.network_id;
}

function App() {
  const [session, setSession] = useState(undefined); // undefined: not asked yet; null: signed out
  const [at, setAt] = useState(place());
  const [trouble, setTrouble] = useState(null);
  const [invite, setInvite] = useState(takeInvite);
  const isKnown = useRef(false);

  const read = () => get('/api/session').then((answer) => getAll('/api/networks', 'networks', answer)).then(
    (answer) => {
      setTrouble(null);
      isKnown.current = true;
      setSession((was) => {
        // Another tab signed in as somebody else: nothing of the first one stays.
        if (was && was.user.user_id !== answer.user.user_id) location.reload();
        return answer;
      });
    },
    (error) => {
      if (error.status === 401) { isKnown.current = true; setSession(null); return; }
      setTrouble(error);
      // A page that is there continues with what it knows; its stream says that the hub is away.
      if (!isKnown.current) setTimeout(read, 2000);
    },
  );
  const navigate = (to) => {
    if (to !== location.pathname + location.search) history.pushState(null, '', to);
    setAt(place());
    scrollTo(0, 0);
  };
  useEffect(() => {
    onNavigate(navigate);
    onSignedOut(() => setSession(null));
    onRefused(read);
    const look = () => { if (!document.hidden) read(); };
    document.addEventListener('visibilitychange', look);
    const back = () => setAt(place());
    addEventListener('popstate', back);
    const arrive = () => setInvite((was) => takeInvite() || was);
    addEventListener('hashchange', arrive);
    read();
    return () => { removeEventListener('popstate', back); removeEventListener('hashchange', arrive); document.removeEventListener('visibilitychange', look); };
  }, []);

  const networks = session?.networks || [];
  // A system admin may look at a network of others by its address.
  const network = networks.find((n) => n.network_id === at.network)
    || (at.network && session?.user.role === 'admin' ? { network_id: at.network, network_name: at.network, member_role: null } : null);
  const current = session && !session.must_change_password ? network?.network_id || null : null;
  useEffect(() => {
    listen(current);
    if (current) try { localStorage.setItem('baton-network', current); } catch { /* storage is off */ }
  }, [current]);
  useEffect(() => { if (session) loadOthers(); }, [!session]);
  useEffect(() => {
    if (session && !invite && !at.network && remembered(networks)) {
      history.replaceState(null, '', `/n/${remembered(networks)}/overview`);
      setAt(place());
    }
  }, [session, invite, at.network]);
  const closeInvite = (to) => { dropInvite(); setInvite(null); navigate(to); };

  if (trouble && session === undefined) return html`<div class="boot"><p>The hub cannot be reached. Trying again…</p></div>`;
  if (session === undefined) return html`<div class="boot"></div>`;
  if (session === null) return html`<${SignIn} onDone=${read} sub=${invite ? 'Sign in to join the network you are invited to.' : undefined} />`;
  if (session.must_change_password) return html`<${NewPassword} session=${session} onDone=${read} />`;
  if (invite) return html`<${JoinByInvite} code=${invite} session=${session} reload=${read} onClose=${closeInvite} />`;
  return html`<${Shell} session=${session} network=${network} at=${at} reload=${read} />`;
}

render(html`<${App} />`, document.getElementById('app'));
