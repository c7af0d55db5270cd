// The work graph: who sent tasks to whom, drawn from the task rows and from nothing else. What the evidence says of
// handoffs stands beside it, as a count, and is never drawn.

import { html, useMemo, useRef } from '/assets/vendor.js';
import { query } from '/assets/api.js';
import { BANDS, layout } from '/assets/flow.js';
import { useRead } from '/assets/live.js';
import { Card, Empty, Link, PageHead, Waiting, go, mayWrite, number, plural, useWidth } from '/assets/parts.js';
import { full, now, parse } from '/assets/time.js';

const SPANS = { 1: 'Last hour', 24: 'Last day', 168: 'Last week', 720: 'Last 30 days' };
const DRAWN = 40;
// The freeze's sentence, word for word.
const GUARDRAIL = 'Every handoff.* boolean is a bounded observed visibility flag only. None of these fields mean the handoff was valid, authorized, complete, trusted, or successful.';
const NAMES = { open: 'still open' };

const tasksOf = (base, edge, since) => query(`${base}/tasks`, { from: edge.from_name, to: edge.to_name, since });
const idOf = (edge) => `${edge.from_kind} ${edge.from_name} ${edge.to_name}`;
const told = (edge) => BANDS.filter((end) => edge[end]).map((end) => `${number(edge[end])} ${NAMES[end] || end}`).join(', ');

function Picture({ edges, base, since }) {
  const [box, width] = useWidth(720);
  const longest = Math.max(...edges.map((edge) => Math.max(edge.from_name.length, edge.to_name.length)));
  const label = Math.min(width < 560 ? 92 : 170, 24 + longest * 7.4);
  const flow = useMemo(() => layout(edges, width, label), [edges, width, label]);
  const most = Math.floor((label - 16) / 7);
  const cut = (name) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
  return html`<div class="flow" ref=${box}><svg width=${width} height=${flow.height + 8} role="group" aria-label="Who sent tasks to whom; the table below says the same">
    <g transform="translate(0 4)">
      ${edges.map((edge) => html`<a href=${tasksOf(base, edge, since)} key=${idOf(edge)} class="edge" aria-label=${`${edge.from_name} to ${edge.to_name}: ${told(edge)}`}
          onClick=${(event) => { if (event.metaKey || event.ctrlKey) return; event.preventDefault(); go(tasksOf(base, edge, since)); }}>
        <title>${`${edge.from_name} → ${edge.to_name}: ${told(edge)}`}</title>
        ${flow.bands.filter((band) => band.edge === edge).map((band) => html`<path class="band f-${band.end}" d=${band.path} />`)}</a>`)}
      ${flow.senders.map((n) => html`<g><rect class="node" x=${flow.left - 5} y=${n.y} width="5" height=${n.height} rx="2" /><text class="node-name" x=${flow.left - 12} y=${n.y + n.height / 2 + 4} text-anchor="end">${cut(n.name)}<title>${n.name}</title></text></g>`)}
      ${flow.recipients.map((n) => html`<g><rect class="node" x=${flow.right} y=${n.y} width="5" height=${n.height} rx="2" /><text class="node-name" x=${flow.right + 12} y=${n.y + n.height / 2 + 4}>${cut(n.name)}<title>${n.name}</title></text></g>`)}
    </g></svg></div>`;
}

const Table = ({ edges, base, since }) => html`<table class="plain"><caption class="visually-hidden">Tasks by sender and recipient</caption>
  <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="num">Tasks</th>${BANDS.map((end) => html`<th scope="col" class="num wide-only">${NAMES[end] || end}</th>`)}</tr></thead>
  <tbody>${edges.map((edge) => html`<tr key=${idOf(edge)}><td><span class="clip">${edge.from_name}</span></td><td><${Link} to=${tasksOf(base, edge, since)} class="clip">${edge.to_name}<//></td><td class="num"><b>${number(edge.total)}</b></td>
    ${BANDS.map((end) => html`<td class="num wide-only ${edge[end] ? `t-${end}` : 'quiet'}">${edge[end] ? number(edge[end]) : '–'}</td>`)}</tr>`)}</tbody></table>`;

function Handoffs({ handoffs, since }) {
  // The counts are kept for some days, and begin when the hub learnt to keep them.
  const isPartial = handoffs.counted_since && parse(handoffs.counted_since) > parse(since);
  return html`<${Card} title="Visible handoff records" class="side-card">
    <p class="big">${number(handoffs.count)}</p>
    <p>${plural(handoffs.count, 'entry', 'entries')} of the evidence log in this time whose <code>handoff.visible</code> is true${isPartial ? html`, counted since ${full(handoffs.counted_since)}` : ''}.</p>
    <p class="guardrail">${GUARDRAIL}</p>
    <p class="quiet">The graph does not use them.</p><//>`;
}

export default function Graph({ at, network, base, role }) {
  const hours = SPANS[at.search.get('hours')] ? at.search.get('hours') : '24';
  // The beginning is fixed while the page is open, so that the picture grows and does not slide.
  const since = useRef({});
  if (since.current.hours !== hours) since.current = { hours, at: new Date(Math.floor((now() - hours * 3600000) / 1000) * 1000).toISOString() };
  const read = useRead(query('/api/work-graph', { network_id: network.network_id, since: since.current.at }));
  const graph = read.data;
  const counted = graph?.since; // the lists that the picture leads to begin where its counts do
  const drawn = useMemo(() => (graph?.edges || []).slice(0, DRAWN), [graph]);
  return html`<${PageHead} heading="Work graph" sub="Who sent tasks to whom. Drawn from the task rows.">
      <label class="switch"><span class="visually-hidden">Time</span><select value=${hours} onChange=${(e) => go(`${base}/graph?hours=${e.target.value}`)}>${Object.entries(SPANS).map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select></label><//>
    ${!graph ? html`<${Waiting} read=${read} lines=${8} />` : html`<div class="split graph-split"><div class="col">
      ${!drawn.length ? html`<${Card} title="Tasks"><${Empty} heading="Nothing was sent"><p>No task was sent in this time. Choose a longer one${mayWrite(role) ? html`, or <${Link} to=${`${base}/send`}>send a task<//>` : ''}.</p><//><//>` : html`
        <${Card} title=${plural(graph.tasks_read, 'task')} aside=${html`<span class="legend">${BANDS.map((end) => html`<span><i class="key f-${end}"></i>${NAMES[end] || end}</span>`)}</span>`}>
          <${Picture} edges=${drawn} base=${base} since=${counted} />
          <p class="foot-note">Counted by whole hours, from ${full(graph.since)}.</p>
          ${graph.truncated && html`<p class="foot-note">An hour of this time had more pairs than are counted one by one: the tasks of the others are part of the ${plural(graph.tasks_read, 'task')} only.</p>`}
          ${graph.edges.length > DRAWN && html`<p class="foot-note">The ${DRAWN} largest of ${number(graph.edges.length)} pairs are drawn; the table has the rest.</p>`}
          ${graph.edges_left_out > 0 && html`<p class="foot-note">${plural(graph.edges_left_out, 'smaller pair')} left out.</p>`}
        <//>
        <${Card} title="The same as a table" class="flush-table"><${Table} edges=${graph.edges} base=${base} since=${counted} /><//>`}
      </div><div class="col narrow"><${Handoffs} handoffs=${graph.visible_handoffs} since=${counted} /></div></div>`}`;
}
