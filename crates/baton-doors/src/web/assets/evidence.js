// The network's log: its entries from the newest back, how long it is, what was signed last, how to take it away and check it.

import { html, useRef, useState } from '/assets/vendor.js';
import { get, query } from '/assets/api.js';
import { canCheck, parseNote } from '/assets/check.js';
import { Entry, Outcome, kind, useCheck } from '/assets/entries.js';
import { TextFilter, filtersOf } from '/assets/filters.js';
import { useRead } from '/assets/live.js';
import { Card, Code, Empty, PageHead, Trouble, Waiting, go, number, plural } from '/assets/parts.js';

const SHOWN = 30; // entries of a page
const READ = 200; // entries read at once, to find some that are meant
const READS = 5; // and so often, until a button asks to go on
const NEWER = 100; // entries that came after the last checkpoint
const CHECKED = 100; // entries whose proofs are checked at once
const FILTERS = ['agent', 'task', 'kind', 'handoff'];
const KINDS = ['task.requested', 'task.updated', 'artifact.shared', 'agent.capabilities', 'message'];

/// Whether an entry is one of those asked for.
function isMeant(event, { agent, task, kind: wanted, handoff }) {
  const { from, to } = event.data.attributes?.baton || {};
  const has = (part) => (name) => (name || '').toLowerCase().includes(part.trim().toLowerCase());
  return (!agent || [event.data.agent?.id, from, to].some(has(agent)))
    && (!task || has(task)(event.data.task?.id))
    && (!wanted || kind(event) === wanted)
    && (!handoff || Boolean(event.data.handoff?.visible));
}

/// The entries from one index up to another; an answer may be short.
async function stretch(network, begin, end) {
  const events = [];
  for (let next = begin; next < end;) {
    const page = await get(query('/api/evidence', { network_id: network, after: next ? String(next - 1) : '', limit: String(end - next) }));
    if (!page.events.length) break;
    events.push(...page.events);
    next += page.events.length;
  }
  return events;
}

/// Entries below an index, newest first, until enough of them are meant or enough were read; and how far that was.
async function readBack(network, filters, before) {
  const found = [];
  let begin = before;
  for (let n = 0; n < READS && begin > 0 && found.length < SHOWN; n += 1) {
    const end = begin;
    begin = Math.max(0, end - READ);
    found.push(...(await stretch(network, begin, end)).filter((event) => isMeant(event, filters)).reverse());
  }
  return { found, begin };
}

/// The newest entries, live, and older ones as they are asked for. Where the newest begin stays once older ones are there.
function useLog(network, filters, sealed) {
  const key = JSON.stringify([network, filters]);
  const [older, set] = useState({ key: null, found: [] });
  const [state, setState] = useState({ busy: false, error: null });
  const newest = useRef({});
  const isLonger = older.key === key;
  if (sealed != null && !(isLonger && newest.current.key === key)) {
    newest.current = { key, begin: Math.max(0, sealed - (FILTERS.some((name) => filters[name]) ? READ : SHOWN)) };
  }
  const { begin } = newest.current;
  const read = useRead(sealed == null ? null : query('/api/evidence', { network_id: network, after: begin ? String(begin - 1) : '', limit: String(READ + NEWER) }));
  // The log grows while one reads: what was read stays until the next answer is there.
  const last = useRef({});
  if (read.data) last.current = { key, ...read.data };
  const { events, size } = last.current.key === key ? last.current : {};
  const further = async () => {
    setState({ busy: true, error: null });
    try {
      const back = await readBack(network, filters, isLonger ? older.begin : begin);
      set((was) => ({ key, begin: back.begin, found: [...(was.key === key ? was.found : []), ...back.found] }));
      setState({ busy: false, error: null });
    } catch (error) { setState({ busy: false, error }); }
  };
  const shown = events && [...events.filter((event) => isMeant(event, filters)).reverse(), ...(isLonger ? older.found : [])];
  return { ...state, read, shown, size, further, isWhole: !(isLonger ? older.begin : begin),
    hasNewer: Boolean(events) && size > begin + events.length, showNewest: () => set({ key: null, found: [] }) };
}

function Filters({ filters, set, clear }) {
  return html`<form class="filters of-log" role="search" onSubmit=${(e) => e.preventDefault()}>
    <${TextFilter} name="agent" label="Agent or user" filters=${filters} set=${set} placeholder="anyone" />
    <${TextFilter} name="task" label="Task" filters=${filters} set=${set} placeholder="part of its id" spellcheck="false" />
    <label class="filter"><span>Type</span><select value=${filters.kind} onChange=${(e) => set({ kind: e.target.value })}>
      <option value="">Any</option>${KINDS.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
    <label class="filter"><span>Handoff</span><select value=${filters.handoff} onChange=${(e) => set({ handoff: e.target.value })}>
      <option value="">Any</option><option value="visible">visible</option></select></label>
    ${FILTERS.some((name) => filters[name]) && html`<button type="button" class="button quiet-button" onClick=${clear}>Clear</button>`}
  </form>`;
}

function NoEntries({ log, isFiltered, clear }) {
  if (!isFiltered) return html`<${Empty} heading="An empty log"><p>The first task writes the first entry.</p><//>`;
  return html`<${Empty}><p>No entry that was read matches these filters.${log.isWhole ? ' The whole log was read.' : ' Look further back, or use fewer filters.'}</p>
    <button type="button" class="button" onClick=${clear}>Show all entries</button><//>`;
}

function Entries({ log, state, base, isFiltered, clear }) {
  if (!log.shown) return html`<${Waiting} read=${log.read} />`;
  return html`
    ${log.hasNewer && html`<button type="button" class="fresh" onClick=${log.showNewest}>New entries</button>`}
    ${!log.shown.length ? html`<${NoEntries} log=${log} isFiltered=${isFiltered} clear=${clear} />` : html`<ul class="entries">${log.shown.map((event) => html`<${Entry} key=${event.id} event=${event} base=${base} verdict=${state.verdicts?.[event.assayseq]} />`)}</ul>`}
    <${Trouble} error=${log.error} />
    <p class="paging">${!log.isWhole && html`<button type="button" class="button" disabled=${log.busy} onClick=${log.further}>${log.busy ? 'Loading…' : isFiltered ? 'Look further back' : 'Older'}</button>`}
      <span class="quiet">${plural(log.shown.length, 'entry', 'entries')}${log.isWhole ? ', that is all of them' : ' shown'}</span></p>`;
}

export default function Evidence({ at, network, base }) {
  const id = network.network_id;
  const clear = () => go(`${base}/evidence`);
  const filters = filtersOf(at.search, FILTERS);
  const set = (change) => go(query(`${base}/evidence`, { ...filtersOf(new URLSearchParams(location.search), FILTERS), ...change }));
  const note = useRead(query('/api/evidence/checkpoint', { network_id: id }));
  const key = useRead('/api/evidence/key', { live: false });
  const checkpoint = note.data ? parseNote(note.data) : null;
  const log = useLog(id, filters, checkpoint ? checkpoint.size : null);
  const [state, run] = useCheck(network);
  const size = log.size ?? checkpoint?.size;
  const bundle = query('/api/evidence/bundle', { network_id: id });
  const check = () => run(log.shown.slice(0, CHECKED).reverse());
  return html`<${PageHead} heading="Evidence" sub="What the hub saw, as it happened: an append-only log, signed.">
      ${checkpoint?.size > 0 && html`<a class="button primary" href=${bundle} download=${`${id}.tar.gz`}>Download bundle</a>`}<//>
    ${!checkpoint ? html`<${Waiting} read=${note} />` : html`<div class="split of-log"><div class="col">
      <${Filters} filters=${filters} set=${set} clear=${clear} />
      <${Card} title="Entries" aside=${log.shown?.length && canCheck() ? html`<button type="button" class="button small" disabled=${state.busy} onClick=${check}>${state.busy ? 'Checking…' : 'Check proofs here'}</button>` : ''}>
        <${Outcome} state=${state} />
        <${Entries} log=${log} state=${state} base=${base} isFiltered=${FILTERS.some((name) => filters[name])} clear=${clear} /><//>
    </div><div class="col narrow">
      <${Card} title="The log"><p class="big">${number(size)}</p><p>${size === 1 ? 'entry' : 'entries'}, of which ${number(checkpoint.size)} are under the last checkpoint.</p>
        <h3>Last checkpoint</h3><pre class="said small" tabindex="0">${note.data}</pre>
        ${key.data && html`<h3>The hub’s key</h3><${Code}>${key.data.key}<//>`}<//>
      <${Card} title="Take it away and check it"><p>With proofs, and without this hub:</p>
        <${Code}>${`baton evidence export -o evidence.tar.gz\nbaton evidence verify evidence.tar.gz`}<//>
        <p>Has history been rewritten since the last audit on this machine?</p><${Code}>baton evidence audit<//>
        <p class="guardrail">Checks show that bytes agree: with each other, with a log of one size, with a key. They do not show that the content of an entry is true. Without an outside witness a log shows consistency, not honesty.</p><//>
    </div></div>`}`;
}
