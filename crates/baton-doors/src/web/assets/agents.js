// The network's agents: presence, what they work on, how they did, what they say of themselves, their keys, and a new key
// with the lines to paste.

import { html, useState } from '/assets/vendor.js';
import { del, post, query } from '/assets/api.js';
import { useRead } from '/assets/live.js';
import { LIMITS } from '/assets/facts.js';
import { Card, Chip, Code, Dialog, Empty, Field, Icon, Link, PageHead, Presence, Trouble, Waiting, doing, mayManage, mayWrite, number, plural, presence, title, useAct } from '/assets/parts.js';
import { Ago, duration } from '/assets/time.js';

/// A new key: shown once, with what to do with it.
function NewKey({ network, role, onClose }) {
  const { busy, error, act } = useAct();
  const [made, setMade] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const name = form.get('name').trim();
    const body = { network_id: network.network_id, node_name: name };
    if (form.get('coordinator')) body.scope = 'coordinator';
    const answer = await act(() => post('/api/auth/node-token', body));
    if (answer) setMade({ name, token: answer.token });
  };
  if (made) return html`<${Dialog} heading=${`The key of ${made.name}`} onClose=${onClose}>
    <p class="sub">It is shown only once. Anyone who has it can act as ${made.name}.</p>
    <${Code}>${made.token}<//>
    <h3>A command as an agent</h3>
    <${Code}>${`export BATON_HUB=${location.origin} BATON_TOKEN=${made.token}\nbaton work --alias ${made.name} -- COMMAND`}<//>
    <h3>Claude Code</h3>
    <${Code}>${`claude mcp add --transport http baton ${location.origin}/mcp --header "Authorization: Bearer ${made.token}"`}<//>
    <h3>Codex, in ~/.codex/config.toml, with BATON_TOKEN in its environment</h3>
    <${Code}>${`[mcp_servers.baton]\nurl = "${location.origin}/mcp"\nbearer_token_env_var = "BATON_TOKEN"`}<//>
    <h3>Any other MCP client</h3>
    <${Code}>${JSON.stringify({ mcpServers: { baton: { type: 'http', url: `${location.origin}/mcp`, headers: { Authorization: `Bearer ${made.token}` } } } }, null, 2)}<//>
    <div class="dialog-acts"><button type="button" class="button primary" onClick=${onClose}>Done</button></div><//>`;
  return html`<${Dialog} heading="A key for an agent" onClose=${onClose}><form onSubmit=${submit}>
    <${Field} label="The agent's name" hint="Letters, digits, _ . -"><input name="name" required maxlength=${LIMITS.ALIAS_MAX_CHARS} autofocus autocomplete="off" spellcheck="false" /><//>
    ${mayManage(role) && html`<label class="check"><input type="checkbox" name="coordinator" /> <span>Coordinator: may read, cancel, retry and reassign every task of the network</span></label>`}
    <${Trouble} error=${error} />
    <div class="dialog-acts"><button type="button" class="button" onClick=${onClose}>Cancel</button><button class="button primary" disabled=${busy}>Make key</button></div></form><//>`;
}

const NoKeys = ({ alias, base }) => html`<${Empty}>${alias
  ? html`<p>No key for ${alias} that you may see. An agent connects with a key: <${Link} to=${`${base}/agents`}>make one under Agents<//>.</p>`
  : html`<p>No keys yet. An agent connects with a key: “Make a key” gives you one, with the lines to paste.</p>`}<//>`;

function Keys({ network, alias, base, role }) {
  const read = useRead(mayWrite(role) ? `/api/networks/${network.network_id}/tokens` : null, { live: false, list: 'tokens' });
  const { error, act } = useAct();
  const [asked, setAsked] = useState(null);
  if (!mayWrite(role)) return null;
  const keys = (read.data?.tokens || []).filter((key) => !alias || key.node_name === alias);
  const revoke = async (id) => { if (await act(() => del(`/api/networks/${network.network_id}/tokens/${id}`))) { setAsked(null); read.refresh(); } };
  return html`<${Card} title="Keys" aside=${mayManage(role) ? 'of everybody' : 'yours'} class="flush-table">
    ${!read.data ? html`<${Waiting} read=${read} lines=${2} />` : !keys.length ? html`<${NoKeys} alias=${alias} base=${base} />` : html`
    <table class="plain"><caption class="visually-hidden">Agents' keys</caption><thead><tr><th scope="col">Agent</th><th scope="col" class="wide-only">Scope</th><th scope="col" class="wide-only">Owner</th><th scope="col">Last used</th><th scope="col"><span class="visually-hidden">Revoke</span></th></tr></thead>
    <tbody>${keys.map((key) => html`<tr key=${key.token_id}><td><span class="clip">${key.node_name || 'not bound yet'}</span></td><td class="wide-only quiet">${key.scope}</td><td class="wide-only quiet">${key.owner}</td><td>${key.last_used_at ? html`<${Ago} at=${key.last_used_at} />` : html`<span class="quiet">never</span>`}</td>
      <td class="num">${asked === key.token_id
        ? html`<button type="button" class="button small danger" onClick=${() => revoke(key.token_id)}>Revoke permanently</button>`
        : html`<button type="button" class="button small" onClick=${() => setAsked(key.token_id)} aria-label=${`Revoke the key of ${key.node_name || key.token_id}`}>Revoke</button>`}</td></tr>`)}</tbody></table>`}
    <${Trouble} error=${error} /><//>`;
}

const Skills = ({ skills }) => (skills?.length ? html`<ul class="skills">${skills.map((skill) => html`<li title=${skill.description || ''}>${skill.name || skill.id}</li>`)}</ul>` : null);

const useAgents = (network) => useRead(query('/api/agents', { network_id: network.network_id, limit: LIMITS.AGENT_PAGE_MAX }), { list: 'agents' });

/// `97 % of 120`; all of them is 100 %, and nothing less.
const day = ({ ended, replied }) => (ended ? `${Math.floor((100 * replied) / ended)} % of ${number(ended)}` : '');
const p50 = (agent) => (agent.day.p50_seconds == null ? '' : duration(1000 * agent.day.p50_seconds));

const Seen = ({ agent }) => (agent.last_seen_at ? html`<${Ago} at=${agent.last_seen_at} />` : html`<span class="quiet">never</span>`);

const Workers = ({ workers }) => html`<${Card} title="Workers" aside=${plural(workers.length, 'worker')} class="flush-table">
  <table class="plain"><caption class="visually-hidden">Workers</caption><thead><tr><th scope="col">Machine</th><th scope="col" class="wide-only">Folder</th><th scope="col" class="num">At once</th><th scope="col">Started</th></tr></thead>
  <tbody>${workers.map((worker) => html`<tr key=${worker.worker_id}><td><span class="clip">${worker.hostname || worker.worker_id}</span></td><td class="wide-only quiet"><span class="clip">${worker.project_dir}</span></td><td class="num">${worker.concurrency}</td><td><${Ago} at=${worker.started_at} /></td></tr>`)}</tbody></table><//>`;

const WorksOn = ({ agent, base }) => html`<${Card} title="Works on" aside=${plural(agent.leases, 'lease')}>
  <ul class="children">${agent.works_on.map((task) => html`<li key=${task.task_id}><${Link} to=${`${base}/tasks/${task.task_id}`}><span class="clip">${title(task.content, 90)}</span><small class="quiet">since <${Ago} at=${task.since} /></small><//></li>`)}</ul><//>`;

function Agent({ alias, network, base, role }) {
  const listed = useAgents(network);
  const tasks = useRead(query('/api/tasks', { network_id: network.network_id, to_name: alias, limit: '10', view: 'row' }));
  const agent = listed.data?.agents.find((one) => one.alias === alias);
  const session = agent?.session || {};
  const facts = agent ? [['Last day', day(agent.day)], ['p50 duration', p50(agent)], ['Queue', agent.queue ? number(agent.queue) : ''], ['Program', session.agent], ['Model', session.model], ['Version', session.version], ['Machine', session.hostname], ['Server', session.server], ['Folder', session.project_dir]].filter(([, value]) => value) : [];
  return html`<p class="crumb"><${Link} to=${`${base}/agents`}><${Icon} name="back" />Agents<//></p>
    <${PageHead} heading=${alias} sub=${agent ? html`<${Presence} kind=${presence(agent)} /> · last seen <${Seen} agent=${agent} />` : listed.data ? 'not seen within the last day' : ''}>
      ${mayWrite(role) && html`<${Link} to=${`${base}/send?to=${encodeURIComponent(alias)}`} class="button primary">Send it a task<//>`}<//>
    <div class="split"><div class="col">
      ${agent?.works_on.length > 0 && html`<${WorksOn} agent=${agent} base=${base} />`}
      ${agent && html`<${Card} title="What it says">
        ${agent.description && html`<p>${agent.description}</p>`}<${Skills} skills=${agent.skills} />
        ${agent.progress != null && html`<progress max="100" value=${agent.progress} aria-label="progress"></progress>`}
        ${session.output && html`<h3>Last output</h3><pre class="said" tabindex="0">${session.output}</pre>`}
        ${!agent.description && !agent.skills?.length && !session.output && html`<p class="quiet">No activity yet.</p>`}<//>`}
      <${Card} title="Its latest tasks" aside=${html`<${Link} to=${query(`${base}/tasks`, { to: alias })}>All<//>`}>
        ${!tasks.data ? html`<${Waiting} read=${tasks} />` : !tasks.data.tasks.length ? html`<${Empty}><p>Nobody has sent it a task yet.${mayWrite(role) ? html` <${Link} to=${`${base}/send?to=${encodeURIComponent(alias)}`}>Send it the first one<//>.` : ''}</p><//>` : html`<ul class="children">${tasks.data.tasks.map((task) => html`<li key=${task.task_id}><${Link} to=${`${base}/tasks/${task.task_id}`}><${Chip} status=${task.status} /><span class="clip">${title(task.content, 90)}</span><small class="quiet"><${Ago} at=${task.created_at} /></small><//></li>`)}</ul>`}<//>
    </div><div class="col narrow">
      ${facts.length > 0 && html`<${Card} title="Facts"><dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><//>`}
      ${agent?.workers.length > 0 && html`<${Workers} workers=${agent.workers} />`}
      <${Keys} network=${network} alias=${alias} base=${base} role=${role} />
    </div></div>`;
}

function Row({ agent, base }) {
  return html`<tr><td><${Link} to=${`${base}/agents/${encodeURIComponent(agent.alias)}`} class="row-link clip">${agent.alias}<//>${agent.workers.length > 1 && html` <small class="quiet">${plural(agent.workers.length, 'worker')}</small>`}</td>
    <td><${Presence} kind=${presence(agent)} /></td>
    <td class="wide-only"><span class="clip doing">${presence(agent) === 'working' ? title(doing(agent), 80) : html`<${Skills} skills=${(agent.skills || []).slice(0, 4)} />`}</span>
      ${agent.progress != null && html`<progress max="100" value=${agent.progress} aria-label=${`progress of ${agent.alias}`}></progress>`}</td>
    <td class="num wide-only">${number(agent.queue)}</td>
    <td class="num wide-only">${day(agent.day)}</td>
    <td class="num wide-only">${p50(agent)}</td>
    <td class="num"><${Seen} agent=${agent} /></td></tr>`;
}

export default function Agents({ at, network, base, role }) {
  if (at.id) return html`<${Agent} key=${at.id} alias=${at.id} network=${network} base=${base} role=${role} />`;
  return html`<${All} network=${network} base=${base} role=${role} />`;
}

function All({ network, base, role }) {
  const listed = useAgents(network);
  const [making, setMaking] = useState(false);
  const agents = [...(listed.data?.agents || [])].sort((a, b) => a.alias.localeCompare(b.alias));
  const there = agents.filter((agent) => presence(agent) !== 'silent').length;
  return html`<${PageHead} heading="Agents" sub=${listed.data ? `${number(there)} online, ${number(agents.length - there)} silent` : ''}>
      ${mayWrite(role) && html`<button type="button" class="button primary" onClick=${() => setMaking(true)}>Make a key</button>`}<//>
    ${!listed.data ? html`<${Waiting} read=${listed} lines=${6} />` : !agents.length ? html`<${Card}><${Empty} heading="No agent has been seen yet">
        <p>${mayWrite(role) ? 'Make a key and paste the lines it comes with, or put a command to work:' : 'Once an agent connects, it appears here by itself.'}</p>${mayWrite(role) && html`<${Code}>baton work --alias shouter -- tr a-z A-Z<//>`}<//><//>` : html`
      <div class="card flush"><table class="plain roomy"><caption class="visually-hidden">${plural(agents.length, 'agent')}</caption>
        <thead><tr><th scope="col">Agent</th><th scope="col">Status</th><th scope="col" class="wide-only">Works on, or can do</th><th scope="col" class="num wide-only">Queue</th><th scope="col" class="num wide-only">Last day</th><th scope="col" class="num wide-only">p50</th><th scope="col" class="num">Last seen</th></tr></thead>
        <tbody>${agents.map((agent) => html`<${Row} key=${agent.alias} agent=${agent} base=${base} />`)}</tbody></table></div>`}
    <${Keys} key=${making} network=${network} base=${base} role=${role} />
    ${making && html`<${NewKey} network=${network} role=${role} onClose=${() => setMaking(false)} />`}`;
}
