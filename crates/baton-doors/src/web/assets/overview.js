// The network at a glance: who is there, what happens, what needs somebody.

import { html, useEffect, useState } from '/assets/vendor.js';
import { query } from '/assets/api.js';
import { useRead } from '/assets/live.js';
import { ENDS, LIMITS, OPEN } from '/assets/facts.js';
import { Card, Chip, Code, Empty, Link, PageHead, Presence, Waiting, doing, mayWrite, number, plural, presence, title } from '/assets/parts.js';
import { Plot } from '/assets/plot.js';
import { Ago, Until, duration, setNow } from '/assets/time.js';

const ATTENTION = [
  ['waiting_input', 'Waiting for an answer', 'An agent asked its sender something.'],
  ['stuck', 'Not moving', 'No agent started it, or its agent stopped responding.'],
  ['failing', 'Failed in the last hour', 'The agent reported a failure, or no agent started in time.'],
  ['expiring', 'About to expire', 'Its time runs out within minutes.'],
];

const OPEN_NAMES = { waiting_input: 'waiting for input' };

const Tile = ({ name, value, note, to, tone = '' }) => html`
  <${to ? Link : 'div'} to=${to} class="tile ${tone}"><span class="tile-name">${name}</span><span class="tile-value">${value}</span><span class="tile-note">${note}</span><//>`;

function Tiles({ overview, agents, base }) {
  const count = Object.fromEntries(overview.tasks.by_status.map((s) => [s.status, s.count]));
  const open = OPEN.filter((status) => count[status]).map((status) => `${number(count[status])} ${OPEN_NAMES[status] || status}`).join(' · ');
  const hour = (key) => overview.minutes.reduce((sum, m) => sum + m[key], 0);
  const ended = ENDS.reduce((sum, end) => sum + hour(end), 0);
  const kinds = agents.map(presence);
  const there = kinds.filter((kind) => kind !== 'silent').length;
  const busy = kinds.filter((kind) => kind === 'working').length;
  const failed = hour('failed');
  const { p50_ms: p50, p95_ms: p95 } = overview.last_hour;
  return html`<div class="tiles">
    <${Tile} name="Agents online" value=${number(there)} note=${`${number(busy)} working · ${number(kinds.length - there)} silent`} to=${`${base}/agents`} />
    <${Tile} name="Open tasks" value=${number(overview.tasks.open)} note=${open || 'nothing to do'} to=${`${base}/tasks`} />
    <${Tile} name="Ended, last hour" value=${number(ended)} note=${`${number(hour('sent'))} sent`} to=${`${base}/tasks`} />
    <${Tile} name="Failed, last hour" value=${number(failed)} note=${ended ? `${((100 * failed) / ended).toFixed(failed && failed / ended < 0.01 ? 1 : 0)} % of ends · ${number(hour('expired'))} expired` : 'nothing ended yet'} tone=${failed ? 'bad' : ''} to=${`${base}/tasks?status=failed`} />
    <${Tile} name="p50 duration, last hour" value=${p50 == null ? '–' : duration(p50)} note=${p95 == null ? 'nothing ended yet' : `p95 ${duration(p95)}`} />
  </div>`;
}

const RANGES = { 1: 'The last hour', 24: 'The last day', 168: 'The last week' };

/// What happened, over an hour, a day or a week. Only the hour is read again as things happen; the others each minute.
function Activity({ network, overview }) {
  const [hours, set] = useState('1');
  const longer = useRead(hours === '1' ? null : query('/api/overview', { network_id: network.network_id, hours }), { live: false, everyMs: 60000 });
  const read = hours === '1' ? { data: overview } : longer;
  const range = html`<div class="choice" role="group" aria-label="Time">${Object.entries({ 1: '1 h', 24: '24 h', 168: '7 days' }).map(([value, name]) => html`
    <button type="button" aria-pressed=${hours === value} onClick=${() => set(value)}>${name}</button>`)}</div>`;
  const isQuiet = read.data?.minutes.every((m) => !m.sent && ENDS.every((end) => !m[end]));
  return html`<${Card} title=${RANGES[hours]} aside=${range}>
    ${!read.data ? html`<${Waiting} read=${read} lines=${5} />` : isQuiet ? html`<${Empty}><p>No task was sent and none ended in this time.${hours === '1' ? ' Choose a longer one to see earlier work.' : ''}</p><//>`
      : html`<${Plot} minutes=${read.data.minutes} stepMinutes=${read.data.step_minutes} name=${RANGES[hours]} />`}<//>`;
}

function States({ counts, base }) {
  const known = [...OPEN, ...ENDS].map((status) => ({ status, count: counts.find((s) => s.status === status)?.count || 0 }));
  const total = known.reduce((sum, s) => sum + s.count, 0);
  if (!total) return null;
  return html`<${Card} title="Tasks by state" aside=${plural(total, 'task')}>
    <div class="stack" aria-hidden="true">${known.filter((s) => s.count).map((s) => html`<i class="f-${s.status}" style=${{ flexGrow: Math.max(s.count / total, 0.006) }}></i>`)}</div>
    <ul class="state-list">${known.filter((s) => s.count).map((s) => html`<li><${Link} to=${`${base}/tasks?status=${s.status}`}><${Chip} status=${s.status} /><b>${number(s.count)}</b><//></li>`)}</ul>
  <//>`;
}

function Attention({ attention, base }) {
  const groups = ATTENTION.filter(([key]) => attention[key]?.tasks.length);
  if (!groups.length) return html`<${Card} title="Needs attention"><${Empty} heading="All quiet"><p>Nothing is stuck, failing, expiring or waiting for an answer.</p><//><//>`;
  return html`<${Card} title="Needs attention">${groups.map(([key, name, why]) => html`
    <div class="attention a-${key}"><h3 title=${why}>${name} <span class="count">${number(attention[key].count)}${attention[key].count_is_at_least ? '+' : ''}</span></h3>
      <ul>${attention[key].tasks.slice(0, 4).map((task) => html`<li><${Link} to=${`${base}/tasks/${task.task_id}`}>
        <span class="clip">${title(task.title, 90)}</span>
        <small>${task.from_name} → ${task.to_name} · ${key === 'expiring' ? html`<${Until} at=${task.expires_at} />` : task.why}</small><//></li>`)}</ul>
    </div>`)}<//>`;
}

function Agents({ agents, base }) {
  const order = { working: 0, held: 1, idle: 2, silent: 3 };
  const sorted = [...agents].sort((a, b) => order[presence(a)] - order[presence(b)] || a.alias.localeCompare(b.alias));
  return html`<${Card} title="Agents" aside=${html`<${Link} to=${`${base}/agents`}>All agents<//>`}>
    <ul class="agent-grid">${sorted.slice(0, 60).map((agent) => html`<li key=${agent.alias}><${Link} to=${`${base}/agents/${encodeURIComponent(agent.alias)}`} class="agent">
      <span class="agent-head"><b class="clip">${agent.alias}</b><${Presence} kind=${presence(agent)} /></span>
      <span class="agent-doing clip">${presence(agent) === 'working' ? title(doing(agent), 80) : html`<span class="quiet">${presence(agent) !== 'silent' ? 'nothing to do' : agent.last_seen_at ? html`last seen <${Ago} at=${agent.last_seen_at} />` : 'not seen yet'}</span>`}</span>
      ${agent.progress != null && html`<progress max="100" value=${agent.progress} aria-label=${`progress of ${agent.alias}`}></progress>`}
    <//></li>`)}</ul>
    ${sorted.length > 60 && html`<p class="foot-note"><${Link} to=${`${base}/agents`}>and ${number(sorted.length - 60)} more<//></p>`}
  <//>`;
}

const FirstSteps = ({ base, role }) => html`<${Card} title="Begin here">
  <p>No agent has been seen yet. Any command can be one: what it reads is the task, what it prints is the answer.</p>
  <${Code}>${`baton login --hub ${location.origin}\nbaton work --alias shouter -- tr a-z A-Z`}<//>
  <p>Then send it something${mayWrite(role) ? html`, <${Link} to=${`${base}/send`}>from here<//> or` : ''} from a shell:</p>
  <${Code}>baton send shouter "hello" --wait<//>
  ${mayWrite(role) && html`<p>For Claude Code, Codex or another MCP client, <${Link} to=${`${base}/agents`}>make a key<//> and paste the lines it comes with.</p>`}
<//>`;

export default function Overview({ network, base, role }) {
  const overview = useRead(query('/api/overview', { network_id: network.network_id }));
  const listed = useRead(query('/api/agents', { network_id: network.network_id, limit: LIMITS.AGENT_PAGE_MAX, view: 'row' }), { list: 'agents' });
  useEffect(() => { if (overview.data) setNow(overview.data.now); }, [overview.data]);
  const agents = listed.data?.agents || [];
  const isNew = listed.data && !agents.length && overview.data && !overview.data.tasks.total;
  return html`
    <${PageHead} heading="Overview" sub=${network.network_name}>${mayWrite(role) && html`<${Link} to=${`${base}/send`} class="button primary">Send a task<//>`}<//>
    ${!overview.data || !listed.data ? html`<${Waiting} read=${overview.error ? overview : listed} lines=${6} />` : html`
      ${isNew ? html`<${FirstSteps} base=${base} role=${role} />` : html`
        <${Tiles} overview=${overview.data} agents=${agents} base=${base} />
        <div class="split">
          <div class="col"><${Activity} network=${network} overview=${overview.data} /><${States} counts=${overview.data.tasks.by_status} base=${base} /></div>
          <div class="col"><${Attention} attention=${overview.data.attention} base=${base} /></div>
        </div>
        ${agents.length ? html`<${Agents} agents=${agents} base=${base} />` : html`<${FirstSteps} base=${base} role=${role} />`}`}`}`;
}
