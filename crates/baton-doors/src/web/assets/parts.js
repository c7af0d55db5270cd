// The small things every page is made of.

import { html, useEffect, useLayoutEffect, useRef, useState } from '/assets/vendor.js';
import { MEANINGS, OPEN } from '/assets/facts.js';

export const isOpen = (status) => OPEN.includes(status);

export const Icon = ({ name }) => html`<svg class="icon" aria-hidden="true"><use href="/assets/icons.svg#${name}"></use></svg>`;

/// A task's state, in colour and in words.
export const Chip = ({ status }) =>
  html`<span class="chip s-${status}" title=${MEANINGS[status]}><i class="dot"></i>${status.replace('_', ' ')}</span>`;

// Links that stay on the page; anything but a plain click is the browser's.
let navigate = (to) => { location.href = to; };
export const onNavigate = (go) => { navigate = go; };
export const go = (to) => navigate(to);
export function Link({ to, children, ...rest }) {
  const click = (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return html`<a href=${to} onClick=${click} ...${rest}>${children}</a>`;
}

export const short = (id) => (id ? id.slice(-8) : '');
/// The first line of a text, cut to fit; never HTML.
export function title(text, most = 120) {
  const line = (text || '').trim().split('\n', 1)[0];
  return line.length > most ? `${line.slice(0, most - 1)}…` : line || '(no text)';
}
export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export const number = (n) => Number(n || 0).toLocaleString();

export const Card = ({ title: heading, aside, children, class: more = '' }) => html`
  <section class="card ${more}">
    ${heading && html`<header class="card-head"><h2>${heading}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>`}
    ${children}
  </section>`;

export const Empty = ({ children, heading }) => html`<div class="empty">${heading && html`<h3>${heading}</h3>`}${children}</div>`;

/// Something to type, with a button that copies it.
export function Code({ children }) {
  const [copied, set] = useState(false);
  const text = [].concat(children).join('');
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); set(true); setTimeout(() => set(false), 1500); } catch { set(false); }
  };
  return html`<div class="code"><pre tabindex="0">${text}</pre>
    <button type="button" class="icon-button" onClick=${copy} aria-label="Copy" title="Copy">${copied ? 'copied' : html`<${Icon} name="copy" />`}</button></div>`;
}

export const Trouble = ({ error }) => (error ? html`<p class="trouble" role="alert">${error.message}</p>` : null);

/// What a page shows until its first answer is there.
export const Waiting = ({ read, lines = 4 }) => (read.error
  ? html`<${Trouble} error=${read.error} />`
  : html`<div class="waiting" aria-busy="true">${Array.from({ length: lines }, () => html`<i></i>`)}</div>`);

/// A button for something that takes a moment and may be refused.
export function useAct() {
  const [state, set] = useState({ busy: false, error: null });
  const act = async (work) => {
    set({ busy: true, error: null });
    try {
      const answer = await work();
      set({ busy: false, error: null });
      return answer;
    } catch (error) {
      set({ busy: false, error });
      return null;
    }
  };
  return { ...state, act, clear: () => set({ busy: false, error: null }) };
}

/// A modal window: the browser keeps the focus inside and Escape closes it. Whatever opened it has the focus again then.
export function Dialog({ heading, onClose, children }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close(); // while it is still in the document: the browser gives the focus back then
  }, []);
  const outside = (event) => { if (event.target === box.current) onClose(); };
  return html`<dialog ref=${box} aria-labelledby="dialog-heading" onCancel=${(e) => { e.preventDefault(); onClose(); }} onMouseDown=${outside}>
    <div class="dialog"><h2 id="dialog-heading">${heading}</h2>${children}</div></dialog>`;
}

/// A labelled field.
export const Field = ({ label, hint, children }) => html`<label class="field"><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;

export const PageHead = ({ heading, sub, children }) => html`
  <div class="page-head"><div><h1 tabindex="-1">${heading}</h1>${sub && html`<p class="sub">${sub}</p>`}</div>
  <div class="page-acts">${children}</div></div>`;

/// The width of an element, as it changes.
export function useWidth(fallback = 600) {
  const box = useRef(null);
  const [width, set] = useState(fallback);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => set(Math.round(entry.contentRect.width)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width];
}

/// Presence in the hub's words, and what they come to.
export function presence(agent) {
  if (!agent || agent.status === 'offline') return 'silent';
  if (agent.status === 'working') return 'working';
  if (agent.status === 'idle') return 'idle';
  return 'held';
}
/// What an agent works on, in words.
export const doing = (agent) => agent.works_on[0]?.content || agent.session?.task || 'working';
const PRESENCE_WORDS = { working: 'working', idle: 'idle', held: 'held up', silent: 'silent' };
export const Presence = ({ kind }) => html`<span class="presence p-${kind}"><i class="dot"></i>${PRESENCE_WORDS[kind]}</span>`;

export const mayWrite = (role) => ['owner', 'admin', 'member'].includes(role);
export const mayManage = (role) => ['owner', 'admin'].includes(role);
