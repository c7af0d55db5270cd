// Times: the hub says UTC, a user reads their own zone. One clock ticks for every "3 min ago" on the page.

import { html, useEffect, useRef, useState } from '/assets/vendor.js';

export const parse = (text) => (text instanceof Date ? text : text ? new Date(/[TZ]/.test(text) ? text : `${text.replace(' ', 'T')}Z`) : null);

const listeners = new Set();
setInterval(() => { for (const tell of listeners) tell(); }, 5000);

/// What `say` says now, said again as time passes; drawn only when the words change.
function useSaid(say) {
  const latest = useRef(say);
  latest.current = say;
  const [, set] = useState(say());
  useEffect(() => {
    const tell = () => set(latest.current());
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, []);
  return say();
}

// The hub's clock may differ from the browser's; ages use the hub's clock.
let skewMs = 0;
export const setNow = (hubNow) => { const at = parse(hubNow); if (at) skewMs = Math.abs(at - Date.now()) > 3000 ? at - Date.now() : 0; };
export const now = () => Date.now() + skewMs;

/// Times between whole seconds: not more exact than they are.
export const seconds = (ms) => (ms < 1000 ? '< 1 s' : ms < 10000 ? `${Math.round(ms / 1000)} s` : duration(ms));

export function duration(ms) {
  if (ms == null || Number.isNaN(ms)) return '–';
  if (ms < 1) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return Math.round(s % 60) && m < 10 ? `${m} min ${Math.round(s % 60)} s` : `${m} min`;
  const h = Math.floor(m / 60);
  if (h < 48) return m % 60 && h < 10 ? `${h} h ${m % 60} min` : `${h} h`;
  return `${Math.floor(h / 24)} days`;
}

function ago(ms) {
  if (ms < 5000) return 'just now';
  if (ms < 60000) return `${Math.floor(ms / 1000)} s ago`;
  if (ms < 3600000) return `${Math.floor(ms / 60000)} min ago`;
  if (ms < 48 * 3600000) return `${Math.floor(ms / 3600000)} h ago`;
  return `${Math.floor(ms / 86400000)} days ago`;
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' });
const MOMENT = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
export const full = (text) => { const at = parse(text); return at ? FULL.format(at) : ''; };
export const time = (text) => CLOCK.format(parse(text));
export const minute = (text) => MINUTE.format(parse(text));
export const day = (text) => DAY.format(parse(text));
export const moment = (text) => MOMENT.format(parse(text));

/// "3 min ago", with the whole time behind it.
export function Ago({ at }) {
  const then = parse(at);
  const said = useSaid(() => (then ? ago(Math.max(0, now() - then)) : '–'));
  if (!then) return html`<span class="quiet">${said}</span>`;
  return html`<time datetime=${then.toISOString()} title=${FULL.format(then)}>${said}</time>`;
}

/// "in 12 min", for what is to come.
export function Until({ at }) {
  const then = parse(at);
  const said = useSaid(() => (then > now() ? `in ${seconds(then - now())}` : 'due'));
  return html`<time datetime=${then.toISOString()} title=${FULL.format(then)}>${said}</time>`;
}

/// The time of day; the date too when it is not today.
export function Clock({ at }) {
  const then = parse(at);
  if (!then) return html`<span class="quiet">–</span>`;
  const isToday = then.toDateString() === new Date().toDateString();
  return html`<time datetime=${then.toISOString()} title=${FULL.format(then)}>${isToday ? CLOCK.format(then) : FULL.format(then)}</time>`;
}

/// How long something has taken until now.
export function Since({ at }) {
  const said = useSaid(() => seconds(Math.max(0, now() - parse(at))));
  return html`<span>${said}</span>`;
}
