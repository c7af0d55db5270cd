// The network's agents: presence, what they say of themselves, their keys, and a new key with the lines to paste.

import { html, useState } from '/assets/vendor.js';
import { del, post, query } from '/assets/api.js';
import { useRead } from '/assets/live.js';
import { Card, Chip, Code, Dialog, Empty, Field, Icon, Link, PageHead, Presence, Trouble, Waiting, mayManage, mayWrite, number, plural, presence, title, useAct } from '/assets/parts.js';
import { Ago } from '/assets/time.js';

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
    <p class="sub">It is shown this once. Whoever has it acts as ${made.name}.</p>
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
    <${Field} label="The agent's name" hint="Letters, digits, _ . -"><input name="name" required maxlength="200" autofocus autocomplete="off" spellcheck="false" /><//>
    ${mayManage(role) && html`<label class="check"><input type="checkbox" name="coordinator" /> <span>Coordinator: may read, cancel, retry and reassign every task of the network</span></label>`}
    <${Trouble} error=${error} />
    <div class="dialog-acts"><button type="button" class="button" onClick=${onClose}>Leave it</button><button class="button primary" disabled=${busy}>Make key</button></div></form><//>`;
}

function Keys({ network, alias, role }) {
  const read = useRead(mayWrite(role) ? `/api/networks/${network.network_id}/tokens` : null, { live: false, list: 'tokens' });
  const { error, act } = useAct();
  const [asked, setAsked] = useState(null);
  if (!mayWrite(role)) return null;
  const keys = (read.data?.tokens || []).filter((key) => !alias || key.node_name === alias);
  const revoke = async (id) => { if (await act(() => del(`/api/networks/${network.network_id}/tokens/${id}`))) { setAsked(null); read.refresh(); } };
  return html`<${Card} title="Keys" aside=${mayManage(role) ? 'of everybody' : 'yours'} class="flush-table">
    ${!read.data ? html`<${Waiting} read=${read} lines=${2} />` : !keys.length ? html`<${Empty}><p>No key.</p><//>` : html`
    <table class="plain"><caption class="visually-hidden">Agents' keys</caption><thead><tr><th scope="col">Agent</th><th scope="col" class="wide-only">Scope</th><th scope="col" class="wide-only">Owner</th><th scope="col">Last used</th><th scope="col"><span class="visually-hidden">Revoke</span></th></tr></thead>
    <tbody>${keys.map((key) => html`<tr key=${key.token_id}><td><span class="clip">${key.node_name || 'not bound yet'}</span></td><td class="wide-only quiet">${key.scope}</td><td class="wide-only quiet">${key.owner}</td><td>${key.last_used_at ? html`<${Ago} at=${key.last_used_at} />` : html`<span class="quiet">never</span>`}</td>
      <td class="num">${asked === key.token_id
        ? html`<button type="button" class="button small danger" onClick=${() => revoke(key.token_id)}>Revoke for good</button>`
        : html`<button type="button" class="button small" onClick=${() => setAsked(key.token_id)} aria-label=${`Revoke the key of ${key.node_name || key.token_id}`}>Revoke</button>`}</td></tr>`)}</tbody></table>`}
    <${Trouble} error=${error} /><//>`;
}

const Skills = ({ skills }) => (skills?.length ? html`<ul class="skills">${skills.map((skill) => html`<li title=${skill.description || ''}>${skill.name || skill.id}</li>`)}</ul>` : null);

function Agent({ alias, network, base, role }) {
  const status = useRead(query('/api/status', { network_id: network.network_id }), { list: 'sessions' });
  const tasks = useRead(query('/api/tasks', { network_id: network.network_id, to_name: alias, limit: '10', view: 'row' }));
  const agent = status.data?.sessions.find((s) => s.alias === alias);
  const facts = agent ? [['Program', agent.agent], ['Model', agent.model], ['Version', agent.version], ['Machine', agent.hostname], ['Server', agent.server], ['Folder', agent.project_dir]].filter(([, value]) => value) : [];
  return html`<p class="crumb"><${Link} to=${`${base}/agents`}><${Icon} name="back" />Agents<//></p>
    <${PageHead} heading=${alias} sub=${agent ? html`<${Presence} kind=${presence(agent)} /> · last seen <${Ago} at=${agent.last_seen_at} />` : status.data ? 'has not reported yet' : ''}>
      ${mayWrite(role) && html`<${Link} to=${`${base}/send?to=${encodeURIComponent(alias)}`} class="button primary">Send it a task<//>`}<//>
    <div class="split"><div class="col">
      ${agent && html`<${Card} title="What it says">
        ${agent.description && html`<p>${agent.description}</p>`}<${Skills} skills=${agent.skills} />
        ${agent.progress != null && presence(agent) === 'working' && html`<progress max="100" value=${agent.progress} aria-label="progress"></progress>`}
        ${agent.output && html`<h3>Last output</h3><pre class="said" tabindex="0">${agent.output}</pre>`}
        ${!agent.description && !agent.skills?.length && !agent.output && html`<p class="quiet">Nothing yet beyond being there.</p>`}<//>`}
      <${Card} title="Its latest tasks" aside=${html`<${Link} to=${query(`${base}/tasks`, { to: alias })}>All<//>`}>
        ${!tasks.data ? html`<${Waiting} read=${tasks} />` : !tasks.data.tasks.length ? html`<${Empty}><p>Nobody has sent it a task yet.</p><//>` : html`<ul class="children">${tasks.data.tasks.map((task) => html`<li key=${task.task_id}><${Link} to=${`${base}/tasks/${task.task_id}`}><${Chip} status=${task.status} /><span class="clip">${title(task.content, 90)}</span><small class="quiet"><${Ago} at=${task.created_at} /></small><//></li>`)}</ul>`}<//>
    </div><div class="col narrow">
      ${facts.length > 0 && html`<${Card} title="Facts"><dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><//>`}
      <${Keys} network=${network} alias=${alias} role=${role} />
    </div></div>`;
}

function Row({ agent, doing, base }) {
  return html`<tr><td><${Link} to=${`${base}/agents/${encodeURIComponent(agent.alias)}`} class="row-link clip">${agent.alias}<//></td>
    <td><${Presence} kind=${presence(agent)} /></td>
    <td class="wide-only"><span class="clip doing">${presence(agent) === 'working' ? title(doing || agent.task || 'working', 80) : html`<${Skills} skills=${(agent.skills || []).slice(0, 4)} />`}</span></td>
    <td class="wide-only quiet"><span class="clip">${[agent.agent, agent.version].filter(Boolean).join(' ')}</span></td>
    <td class="num"><${Ago} at=${agent.last_seen_at} /></td></tr>`;
}

export default function Agents({ at, network, base, role }) {
  if (at.id) return html`<${Agent} key=${at.id} alias=${at.id} network=${network} base=${base} role=${role} />`;
  return html`<${All} network=${network} base=${base} role=${role} />`;
}

function All({ network, base, role }) {
  const status = useRead(query('/api/status', { network_id: network.network_id }), { list: 'sessions' });
  const running = useRead(query('/api/tasks', { network_id: network.network_id, status: 'running', limit: '200', view: 'row' }));
  const [making, setMaking] = useState(false);
  const sessions = [...(status.data?.sessions || [])].sort((a, b) => a.alias.localeCompare(b.alias));
  const doing = new Map((running.data?.tasks || []).map((task) => [task.to_name, task.content]));
  const there = sessions.filter((s) => presence(s) !== 'silent').length;
  return html`<${PageHead} heading="Agents" sub=${status.data ? `${number(there)} there, ${number(sessions.length - there)} silent` : ''}>
      ${mayWrite(role) && html`<button type="button" class="button primary" onClick=${() => setMaking(true)}>Make a key</button>`}<//>
    ${!status.data ? html`<${Waiting} read=${status} lines=${6} />` : !sessions.length ? html`<${Card}><${Empty} heading="No agent has reported yet">
        <p>${mayWrite(role) ? 'Make a key and paste the lines it comes with, or put a command to work:' : 'Once an agent reports, it appears here by itself.'}</p>${mayWrite(role) && html`<${Code}>baton work --alias shouter -- tr a-z A-Z<//>`}<//><//>` : html`
      <div class="card flush"><table class="plain roomy"><caption class="visually-hidden">${plural(sessions.length, 'agent')}</caption>
        <thead><tr><th scope="col">Agent</th><th scope="col">Presence</th><th scope="col" class="wide-only">Doing, or able to</th><th scope="col" class="wide-only">Program</th><th scope="col" class="num">Last seen</th></tr></thead>
        <tbody>${sessions.map((agent) => html`<${Row} key=${agent.alias} agent=${agent} doing=${doing.get(agent.alias)} base=${base} />`)}</tbody></table></div>`}
    <${Keys} key=${making} network=${network} role=${role} />
    ${making && html`<${NewKey} network=${network} role=${role} onClose=${() => setMaking(false)} />`}`;
}
