// What happens in the network, as it happens. One EventSource for the whole page; pages subscribe, at most once
// a second, and read again what they show. A stream that ends is opened again, and the pages read again then too. A page
// nobody looks at listens to nothing: a browser has six connections for a host, and the tabs share them.

import { useEffect, useRef, useState } from '/assets/vendor.js';
import { get, getAll } from '/assets/api.js';

const QUIET_MS = 120; // a burst is one refresh
const PACE_MS = 1000; // and a flood is one a second
const IDLE_MS = 30000;
const HIDDEN_MS = 20000; // a glance at another tab costs no stream
const SETTLE_MS = 1000; // a stream that does not open keeps no page from its first read
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

const ticks = new Set();
const states = new Set();
const settling = new Set();
const failing = new Set(); // reads whose last try failed, though the page shows an earlier one
let source = null;
let network = null;
let state = 'off';
let tries = 0;
let retryTimer = 0;
let tickTimer = 0;
let lastTick = 0;
let rungAt = 0;
let hiddenTimer = 0;
let refused = () => {};

/// Told when the hub will not open the stream: the network or the session may be gone.
export const onRefused = (tell) => { refused = tell; };

function become(next) {
  if (state === next) return;
  state = next;
  tellStates();
  if (state === 'connecting') return;
  for (const begin of settling) begin();
  settling.clear();
}

// The hub looked at the call and refused: nothing is away, and its page says so.
const isFinal = ({ status }) => status >= 400 && status < 500 && status !== 429;

const shown = () => (state === 'live' && failing.size ? 'stale' : state);
function tellStates() { for (const tell of states) tell(shown()); }

/// Whoever reads after the stream is open, or known not to be, misses nothing and need not read twice.
const settled = () => (state === 'connecting' ? new Promise((begin) => { settling.add(begin); setTimeout(begin, SETTLE_MS); }) : Promise.resolve());

function ring() {
  rungAt = performance.now();
  if (tickTimer) return;
  const wait = Math.max(QUIET_MS, lastTick + PACE_MS - performance.now());
  tickTimer = setTimeout(() => {
    tickTimer = 0;
    lastTick = performance.now();
    for (const tell of ticks) tell();
  }, wait);
}

function open() {
  clearTimeout(retryTimer);
  source?.close();
  source = new EventSource(`/events/network/${encodeURIComponent(network)}`);
  source.onopen = () => { tries = 0; become('live'); ring(); };
  source.onmessage = (message) => {
    const frame = JSON.parse(message.data);
    if (frame.type !== 'connected') ring(); // that one only greets; opening has rung
  };
  source.onerror = () => {
    become('away');
    // The browser tries again by itself, with the last id it saw, unless the hub gave a refusal.
    if (source.readyState === EventSource.CLOSED) later();
  };
}

function close() {
  clearTimeout(retryTimer);
  source?.close();
  source = null;
}

// Opens a refused stream again, if it is still wanted when the hub answers.
function later() {
  const wanted = network;
  const wait = RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)];
  retryTimer = setTimeout(async () => {
    const isThere = await get('/api/auth/me').then(() => true, (error) => error.status !== 401 && null);
    if (network !== wanted || isThere === false) return;
    if (isThere) { refused(); open(); } else later();
  }, wait);
}

/// Listens to a network; null listens to none.
export function listen(to) {
  if (to === network) return;
  close();
  network = to;
  tries = 0;
  become(to ? 'connecting' : 'off');
  if (to) open();
}

// Some things happen by not happening: nobody takes a task up, an agent goes silent, an hour moves on.
setInterval(() => { if (state === 'live') ring(); }, IDLE_MS);
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(() => { close(); become('off'); }, HIDDEN_MS);
  else if (network && !source) { become('connecting'); open(); } else ring();
});

/// Says what the stream is doing: live, connecting, away or off; stale when it is live and something could not be read.
export function useLiveState() {
  const [now, set] = useState(shown());
  useEffect(() => { states.add(set); set(shown()); return () => states.delete(set); }, []);
  return now;
}

/// Reads `path` and keeps it fresh as things happen, or every so often; with the name of a list, all its pages. What was read stays on the page while it is
/// read again.
export function useRead(path, { live = true, list = null, everyMs = 0 } = {}) {
  const [read, set] = useState({ data: null, error: null, path: null });
  const flight = useRef({ busy: false, dirty: false, beganAt: 0 });
  const wanted = useRef(path);
  wanted.current = path;
  const refresh = useRef(null);
  refresh.current = async () => {
    const asked = wanted.current;
    if (!asked) return;
    if (flight.current.busy) { flight.current.dirty = true; return; }
    Object.assign(flight.current, { busy: true, beganAt: performance.now() });
    try {
      const data = await (list ? getAll(asked, list) : get(asked));
      if (wanted.current === asked) set({ data, error: null, path: asked });
      if (failing.delete(flight)) tellStates();
    } catch (error) {
      const isNews = isFinal(error) ? failing.delete(flight) : !failing.has(flight) && failing.add(flight);
      if (isNews) tellStates();
      if (wanted.current === asked) set((was) => ({ data: was.path === asked ? was.data : null, error, path: asked }));
    }
    flight.current.busy = false;
    if (flight.current.dirty || wanted.current !== asked) { flight.current.dirty = false; refresh.current(); }
  };
  useEffect(() => { settled().then(() => refresh.current()); }, [path]);
  useEffect(() => {
    if (!live) return undefined;
    // What was read since it was rung has it already.
    const tell = () => { if (!document.hidden && flight.current.beganAt < rungAt) refresh.current(); };
    ticks.add(tell);
    return () => ticks.delete(tell);
  }, [live]);
  useEffect(() => {
    if (!everyMs) return undefined;
    const timer = setInterval(() => { if (!document.hidden) refresh.current(); }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  useEffect(() => () => { if (failing.delete(flight)) tellStates(); }, []);
  return { data: read.path === path ? read.data : null, error: read.path === path ? read.error : null, refresh: () => refresh.current() };
}
