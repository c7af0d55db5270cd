// One task: its texts, its story event by event, its relatives, its evidence, and what may be done about it.

import { html, useEffect, useState } from '/assets/vendor.js';
import { post, query } from '/assets/api.js';
import { Artifacts } from '/assets/artifacts.js';
import { useRead } from '/assets/live.js';
import { LIMITS, REASSIGNABLE, RETRYABLE } from '/assets/facts.js';
import { Card, Chip, Dialog, Empty, Field, Icon, Link, Trouble, Waiting, isOpen, go, mayWrite, plural, short, title, useAct } from '/assets/parts.js';
import { Ago, Clock, Since, Until, duration } from '/assets/time.js';
import { EvidenceOfTask } from '/assets/entries.js';
import { Tree } from '/assets/tree.js';

const at = (event) => event.created_at_ms;

function Timeline({ events, isGoingOn }) {
  return html`<ol class="timeline">${events.map((event, i) => {
    const next = events[i + 1];
    const stay = next ? at(next) - at(event) : null;
    return html`<li class="s-${event.to_status}" key=${event.n}><i class="dot"></i>
      <div><p><b>${event.to_status.replace('_', ' ')}</b> by ${event.actor}${event.actor_token && html` <code class="quiet" title="The token that acted">${event.actor_token}</code>`} <span class="quiet"><${Clock} at=${event.created_at} /></span></p>
      ${event.detail && html`<p class="quiet detail">${event.detail}</p>`}
      ${stay != null ? html`<p class="stay">${duration(stay)}</p>` : isGoingOn ? html`<p class="stay"><${Since} at=${event.created_at} /> so far</p>` : ''}</div></li>`;
  })}</ol>`;
}

/// Text is text: it stands in a <pre>, and the browser never reads it as HTML.
const Said = ({ label, who, text, children, tone = '' }) => html`<${Card} title=${label} aside=${who} class=${tone}>
  ${text ? html`<pre class="said" tabindex="0">${text}</pre>` : ''}${children}<//>`;

function Parts({ parts }) {
  const extra = (parts || []).filter((part) => part.text === undefined || part.mediaType || part.filename);
  if (!extra.length) return null;
  return html`<ul class="parts">${extra.map((part) => html`<li>${part.filename && html`<b>${part.filename} </b>`}<span class="quiet">${part.mediaType || ''}</span>
    ${part.data !== undefined ? html`<pre class="said" tabindex="0">${JSON.stringify(part.data, null, 2)}</pre>` : ''}${part.url ? html`<code>${part.url}</code>` : ''}${part.raw ? html`<span class="quiet"> ${Math.floor(part.raw.length * 0.75)} bytes</span>` : ''}</li>`)}</ul>`;
}

function Conversation({ messages, network }) {
  if (!messages?.length) return null;
  return html`<${Card} title="Messages"><ul class="talk">${messages.map((m) => html`<li key=${m.message_id}>
    <p><b>${m.from_name}</b> <span class="quiet">${m.kind}${m.auth_required ? ', authentication required' : ''} <${Clock} at=${m.created_at} /></span></p><pre class="said" tabindex="0">${m.content}</pre>
    ${m.options && html`<p class="quiet">Options: ${m.options.join(', ')}</p>`}<${Parts} parts=${m.parts} /><${Artifacts} artifacts=${m.artifacts} network=${network} /></li>`)}</ul><//>`;
}

/// What the agent asks, above everything else: its options are buttons, without options any text is an answer.
function Question({ task, messages, mayAnswer, done }) {
  const { busy, error, act } = useAct();
  const asked = [...(messages || [])].reverse().find((message) => message.kind === 'question');
  const options = asked?.options || [];
  const answer = async (text) => { if (await act(() => post(`/api/tasks/${task.task_id}/answer`, { text }))) done(); };
  const submit = (event) => { event.preventDefault(); answer(new FormData(event.target).get('text')); };
  return html`<${Card} title=${`${task.to_name} asks`} aside=${html`<${Until} at=${task.expires_at} />`} class="asks">
    ${asked?.auth_required && html`<p><span class="tag">Authentication required</span></p>`}
    ${asked && html`<pre class="said" tabindex="0">${asked.content}</pre>`}
    ${!mayAnswer ? html`<p class="quiet">${task.to_name} waits for an answer from ${task.from_name}.${options.length ? ` Options: ${options.join(', ')}.` : ''}</p>`
    : options.length ? html`<div class="options" role="group" aria-label="Your answer">${options.map((option) => html`<button type="button" class="button" key=${option} disabled=${busy} onClick=${() => answer(option)}>${option}</button>`)}</div><${Trouble} error=${error} />`
    : html`<form onSubmit=${submit}><textarea name="text" rows="3" required maxlength=${LIMITS.TEXT_MAX_BYTES} aria-label="Your answer"></textarea>
      <${Trouble} error=${error} /><button class="button primary" disabled=${busy}>Answer</button></form>`}<//>`;
}

function Act({ kind, task, openBelow, network, onClose, done, base }) {
  const { busy, error, act } = useAct();
  const status = useRead(kind === 'reassign' ? query('/api/status', { network_id: network.network_id }) : null, { live: false, list: 'sessions' });
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const path = `/api/tasks/${task.task_id}/${kind}`;
    const body = kind === 'cancel' ? { reason: form.get('reason') || undefined, cascade: form.has('cascade') || undefined } : kind === 'reassign' ? { new_alias: form.get('alias') } : {};
    const answer = await act(() => post(path, body));
    if (!answer) return;
    onClose();
    if (kind === 'retry') go(`${base}/tasks/${answer.task_id}`); else done();
  };
  const words = { cancel: ['Cancel this task', 'Cancel task'], retry: ['Send this task again', 'Send again'], reassign: ['Give this task to another agent', 'Reassign'] }[kind];
  return html`<${Dialog} heading=${words[0]} onClose=${onClose}><form onSubmit=${submit}>
    ${kind === 'cancel' && html`<p class="sub">This is final. The agent that works on it is asked to stop.</p><${Field} label="Reason, for the record"><input name="reason" maxlength=${LIMITS.REASON_MAX_CHARS} autofocus placeholder="optional" /><//>
      ${openBelow > 0 && html`<label class="check"><input type="checkbox" name="cascade" /><span>Cancel ${plural(openBelow, 'open task')} below it too</span></label>`}`}
    ${kind === 'retry' && html`<p class="sub">This one stays as it is. A new task with the same text goes to ${task.to_name}.</p>`}
    ${kind === 'reassign' && html`<p class="sub">${task.to_name} loses the task; the next agent starts it from the beginning.</p><${Field} label="Agent"><input name="alias" list="agents" required autofocus autocomplete="off" /><//>
      <datalist id="agents">${(status.data?.sessions || []).map((s) => html`<option value=${s.alias}></option>`)}</datalist>`}
    <${Trouble} error=${error} />
    <div class="dialog-acts"><button type="button" class="button" onClick=${onClose}>${kind === 'cancel' ? 'Keep task' : 'Cancel'}</button><button class="button ${kind === 'cancel' ? 'danger' : 'primary'}" disabled=${busy}>${words[1]}</button></div>
  </form><//>`;
}

/// How many tasks below the one that is shown have not ended, of those that the tree shows.
const openBelow = (tree) => {
  const nodes = tree?.nodes || [];
  const at = nodes.findIndex((node) => node.task_id === tree.task_id);
  return nodes.slice(at + 1).filter((node) => isOpen(node.status)).length;
};

function Relatives({ task, children, base, retriedTo }) {
  const link = (id, text) => html`<${Link} to=${`${base}/tasks/${id}`}><code>${short(id)}</code> ${text || ''}<//>`;
  const hasAny = task.parent_task_id || task.retry_of || retriedTo || children.length;
  if (!hasAny) return null;
  return html`<${Card} title="Related">
    ${(task.parent_task_id || task.retry_of || retriedTo) && html`<dl class="facts">
      ${task.parent_task_id && html`<dt>Part of</dt><dd>${link(task.parent_task_id)}</dd>`}
      ${task.retry_of && html`<dt>Retry of</dt><dd>${link(task.retry_of)}</dd>`}
      ${retriedTo && html`<dt>Sent again as</dt><dd>${link(retriedTo)}</dd>`}
    </dl>`}
    ${children.length > 0 && html`<h3>Tasks it led to</h3><ul class="children">${children.map((child) => html`<li key=${child.task_id}><${Link} to=${`${base}/tasks/${child.task_id}`}><${Chip} status=${child.status} /><span class="clip">${title(child.content, 70)}</span><small class="quiet">${child.to_name}</small><//></li>`)}</ul>`}
  <//>`;
}

function Facts({ task }) {
  return html`<${Card} title="Facts"><dl class="facts">
    <dt>From</dt><dd>${task.from_name}</dd><dt>To</dt><dd>${task.to_name}</dd>
    <dt>Kind</dt><dd>${task.kind}</dd><dt>Priority</dt><dd>${task.priority}</dd><dt>Attempt</dt><dd>${task.attempt}</dd>
    <dt>Sent</dt><dd><${Ago} at=${task.created_at} /></dd>
    ${task.started_at && html`<dt>Begun</dt><dd><${Ago} at=${task.started_at} /></dd>`}
    ${task.completed_at ? html`<dt>Ended</dt><dd><${Ago} at=${task.completed_at} /></dd>` : html`<dt>Expires</dt><dd><${Until} at=${task.expires_at} /></dd>`}
    <dt>Id</dt><dd><code class="id">${task.task_id}</code></dd>
    ${task.context_id && task.context_id !== task.task_id && html`<dt>Context</dt><dd><code class="id">${task.context_id}</code></dd>`}
  </dl><//>`;
}

/// What the task's command prints and how far it is, as it happens; of a task that has ended, what is kept.
function Progress({ task }) {
  const [live, set] = useState({ output: '', progress: null });
  useEffect(() => {
    set({ output: '', progress: null });
    const source = new EventSource(`/events/task/${encodeURIComponent(task.task_id)}`);
    source.onmessage = (message) => {
      const frame = JSON.parse(message.data);
      if (frame.type === 'output') set((was) => ({ ...was, output: (was.output + frame.text).slice(-LIMITS.TASK_OUTPUT_KEPT_BYTES) }));
      if (frame.type === 'progress') set((was) => ({ ...was, progress: frame }));
      if (frame.type === 'status' && !isOpen(frame.status)) source.close(); // the hub ends the stream, and nothing follows
    };
    return () => source.close();
  }, [task.task_id]);
  const progress = isOpen(task.status) ? live.progress || task.progress : null;
  if (!progress && !live.output) return null;
  return html`<${Card} title=${isOpen(task.status) ? 'While it runs' : 'Output'}>
    ${progress?.percent != null && html`<progress max="100" value=${progress.percent} aria-label="progress"></progress>`}
    ${progress?.message && html`<p>${progress.message}</p>`}
    ${live.output && html`<pre class="said" tabindex="0">${live.output}</pre>`}<//>`;
}

export default function Task({ id, network, base, role, session }) {
  const read = useRead(`/api/tasks/${encodeURIComponent(id)}`);
  const history = useRead(query('/api/task_events', { task_id: id, limit: LIMITS.EVENT_PAGE_MAX }));
  const children = useRead(query('/api/tasks', { network_id: network.network_id, parent_task_id: id, limit: '50', view: 'row' }));
  const tree = useRead(`/api/tasks/${encodeURIComponent(id)}/tree`);
  const [acting, setActing] = useState(null);
  const refresh = () => { read.refresh(); history.refresh(); tree.refresh(); };
  const task = read.data?.task;
  const head = html`<p class="crumb"><${Link} to=${`${base}/tasks`}><${Icon} name="back" />Tasks<//></p>`;
  const isElsewhere = task && task.network_id !== network.network_id;
  if (isElsewhere || (!task && read.error?.status === 404)) return html`${head}<${Empty} heading="No such task"><p>It does not exist, or you have no access to it. Check the address, or look for the task by its text.</p><${Link} to=${`${base}/tasks`} class="button">Go to the tasks<//><//>`;
  if (!task) return html`${head}<${Waiting} read=${read} lines=${8} />`;
  const may = mayWrite(role) || (role == null && session.user.role === 'admin');
  const canRetry = RETRYABLE.includes(task.status) && !read.data.retried_to;
  const [sent, work, brought] = ['task', 'work', 'reply'].map((source) => (task.artifacts || []).filter((artifact) => artifact.source === source));
  const events = [...(history.data?.events || [])].sort((a, b) => a.n - b.n);
  return html`${head}
    <div class="page-head task-head"><div><h1 tabindex="-1" class="task-title">${title(task.content, 160)}</h1>
      <p class="sub"><${Chip} status=${task.status} />${task.rejected ? html` <span class="tag">Rejected</span>` : ''} ${task.from_name} → ${task.to_name} · <${Ago} at=${task.created_at} /></p></div>
      <div class="page-acts">${may && html`
        ${REASSIGNABLE.includes(task.status) && html`<button type="button" class="button" onClick=${() => setActing('reassign')}>Reassign</button>`}
        ${isOpen(task.status) && html`<button type="button" class="button danger" onClick=${() => setActing('cancel')}>Cancel</button>`}
        ${canRetry && html`<button type="button" class="button primary" onClick=${() => setActing('retry')}>Retry</button>`}`}</div></div>
    <div class="split task-split">
      <div class="col">
        ${task.status === 'waiting_input' && html`<${Question} task=${task} messages=${read.data.messages} mayAnswer=${mayWrite(role) && task.from_name === session.user.username} done=${refresh} />`}
        <${Said} label="Task" who=${`from ${task.from_name}`} text=${task.content}>${task.context && html`<h3>Context</h3><pre class="said" tabindex="0">${task.context}</pre>`}<${Parts} parts=${task.parts} /><${Artifacts} artifacts=${sent} network=${network} /><//>
        <${Conversation} messages=${read.data.messages} network=${network} />
        <${Progress} task=${task} network=${network} />
        ${work.length > 0 && html`<${Card} title="Shared before the end"><${Artifacts} artifacts=${work} network=${network} /><//>`}
        ${task.result != null && html`<${Said} label=${task.status === 'replied' ? 'Answer' : task.status === 'cancelled' ? 'Why it was cancelled' : 'Final message'} who=${task.status === 'replied' ? `from ${task.to_name}` : ''} text=${task.result} tone="end-${task.status}"><${Artifacts} artifacts=${brought} network=${network} /><//>`}
        <${Tree} tree=${tree.data?.tree} base=${base} />
        <${EvidenceOfTask} task=${task} network=${network} />
      </div>
      <div class="col narrow">
        <${Card} title="Timeline">${history.data ? html`<${Timeline} events=${events} isGoingOn=${isOpen(task.status)} />` : html`<${Waiting} read=${history} />`}<//>
        <${Facts} task=${task} /><${Relatives} task=${task} children=${children.data?.tasks || []} base=${base} retriedTo=${read.data.retried_to} />
      </div>
    </div>
    ${acting && html`<${Act} kind=${acting} task=${task} openBelow=${openBelow(tree.data?.tree)} network=${network} base=${base} onClose=${() => setActing(null)} done=${refresh} />`}`;
}
