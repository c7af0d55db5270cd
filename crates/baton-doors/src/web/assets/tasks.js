// Tasks, newest first, live. Rows change in place; new ones come in at the top while one is there, and otherwise wait
// behind a button, so that nothing jumps under a reader. A task of its own has its page in task.js.

import { html, useEffect, useRef, useState } from '/assets/vendor.js';
import { get, query } from '/assets/api.js';
import { TextFilter, filtersOf } from '/assets/filters.js';
import { useRead } from '/assets/live.js';
import { ENDS, LIMITS, OPEN } from '/assets/facts.js';
import { Chip, Empty, Link, PageHead, Trouble, Waiting, go, isOpen, mayWrite, plural, title } from '/assets/parts.js';
import { Ago, Since, full, now, parse, seconds } from '/assets/time.js';
import Task from '/assets/task.js';

const PAGE = 50;
const MOST = 1000; // rows on one page; a browser stays quick with them
const SPANS = [['', 'Any time'], ['15', 'Last 15 minutes'], ['60', 'Last hour'], ['1440', 'Last day'], ['10080', 'Last week']];
const FILTERS = ['status', 'from', 'to', 'kind', 'text', 'span', 'since', 'until'];

function path(network, filters, cursor) {
  const since = filters.since || (filters.span ? new Date(Math.floor((now() - filters.span * 60000) / 1000) * 1000).toISOString() : '');
  return query('/api/tasks', {
    network_id: network.network_id, status: filters.status, from: filters.from.trim(), to: filters.to.trim(),
    kind: filters.kind.trim(), text: filters.text.trim(), since, until: filters.until, limit: String(PAGE), cursor, view: 'row',
  });
}

function took(task) {
  if (task.completed_at) return seconds(parse(task.completed_at) - parse(task.created_at));
  return html`<${Since} at=${task.created_at} />`;
}

const Row = ({ task, base }) => html`<tr>
  <td class="c-state"><${Chip} status=${task.status} /></td>
  <td class="c-task"><${Link} to=${`${base}/tasks/${task.task_id}`} class="row-link clip">${title(task.content)}<//></td>
  <td class="c-who"><span class="clip">${task.from_name}</span><span class="quiet"> → </span><span class="clip">${task.to_name}</span></td>
  <td class="c-kind quiet">${task.kind}</td>
  <td class="c-age"><${Ago} at=${task.created_at} /></td>
  <td class="c-took num">${took(task)}</td>
</tr>`;

// A row is made once for a task as it stands: what did not change is not drawn again.
const rows = new WeakMap();
function row(task, base) {
  if (!rows.has(task)) rows.set(task, html`<${Row} key=${task.task_id} task=${task} base=${base} />`);
  return rows.get(task);
}
const isSame = (a, b) => a.status === b.status && a.to_name === b.to_name && a.completed_at === b.completed_at;

function Filters({ filters, set, clear }) {
  const any = FILTERS.some((name) => filters[name]);
  return html`<form class="filters" role="search" onSubmit=${(e) => e.preventDefault()}>
    <label class="filter"><span>State</span><select value=${filters.status || ''} onChange=${(e) => set({ status: e.target.value })}>
      <option value="">Any</option>${[...OPEN, ...ENDS].map((status) => html`<option value=${status}>${status.replace('_', ' ')}</option>`)}</select></label>
    <${TextFilter} name="text" label="Text" type="search" filters=${filters} set=${set} placeholder="in task or answer" />
    <${TextFilter} name="from" label="From" filters=${filters} set=${set} placeholder="anyone" />
    <${TextFilter} name="to" label="To" filters=${filters} set=${set} placeholder="anyone" />
    <${TextFilter} name="kind" label="Kind" filters=${filters} set=${set} placeholder="any" />
    <label class="filter"><span>Sent</span><select value=${filters.since ? 'chosen' : filters.span || ''} onChange=${(e) => set({ span: e.target.value, since: '', until: '' })}>
      ${filters.since && html`<option value="chosen">since ${full(filters.since)}</option>`}
      ${SPANS.map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select></label>
    ${any && html`<button type="button" class="button quiet-button" onClick=${clear}>Clear</button>`}
  </form>`;
}

/// The rows of `shown` in their order, each as `read` has it if it changed. A row that did not stays the same object, so
/// that it is not drawn again.
function renewed(shown, read) {
  const newer = new Map(read.map((task) => [task.task_id, task]));
  return shown.map((task) => { const now = newer.get(task.task_id); return now && !isSame(now, task) ? now : task; });
}
/// The rows of `read`, with those of `was` that did not change.
function unchanged(read, was) {
  const older = new Map(was.map((task) => [task.task_id, task]));
  return read.map((task) => { const old = older.get(task.task_id); return old && isSame(old, task) ? old : task; });
}

// What a reader sees stays where it is. Nobody reads while the top is in sight, nothing older was asked for, and neither
// pointer nor focus is among the rows: then the list simply is the newest page.
function useList(network, filters) {
  const key = JSON.stringify(filters);
  const asked = useRef({});
  // "Last hour" begins when it is chosen, so that a page and the ones after it are of one list.
  if (asked.current.key !== key) asked.current = { key, path: path(network, filters) };
  const first = useRead(asked.current.path);
  const [list, set] = useState({ key: null });
  const [more, setMore] = useState({ busy: false, error: null });
  const isHeld = useRef(false);
  const newest = () => ({ key, shown: first.data.tasks, fresh: 0, cursor: first.data.next_cursor, isLonger: false });
  useEffect(() => {
    if (!first.data) return;
    set((was) => {
      if (was.key !== key) return newest();
      const isRead = was.isLonger || isHeld.current || scrollY > 120;
      if (!isRead) return { ...newest(), shown: unchanged(first.data.tasks, was.shown) };
      const known = new Set(was.shown.map((task) => task.task_id));
      return { ...was, shown: renewed(was.shown, first.data.tasks), fresh: first.data.tasks.filter((task) => !known.has(task.task_id)).length };
    });
  }, [first.data, key]);
  // Rows below the newest page that can still change are asked for by name.
  useEffect(() => {
    const onPage = new Set((first.data?.tasks || []).map((task) => task.task_id));
    const open = (list.shown || []).filter((task) => isOpen(task.status) && !onPage.has(task.task_id)).slice(0, 200);
    if (!open.length) return;
    const ids = open.map((task) => task.task_id).join(',');
    get(query('/api/tasks', { network_id: network.network_id, task_ids: ids, limit: LIMITS.TASK_PAGE_MAX, view: 'row' })).then(
      ({ tasks }) => set((was) => (was.key === key ? { ...was, shown: renewed(was.shown, tasks) } : was)),
      () => {}, // the next look tries again, and the page says that it could not read
    );
  }, [first.data]);
  const older = async () => {
    setMore({ busy: true, error: null });
    try {
      const page = await get(path(network, filters, list.cursor));
      set((was) => (was.key === key ? { ...was, shown: [...was.shown, ...page.tasks], cursor: page.next_cursor, isLonger: true } : was));
      setMore({ busy: false, error: null });
    } catch (error) { setMore({ busy: false, error }); }
  };
  const showNewest = () => { scrollTo({ top: 0 }); isHeld.current = false; set(newest()); };
  return { list: list.key === key ? list : null, first, older, more, showNewest, hold: (held) => { isHeld.current = held; } };
}

function List({ network, base, filters, role }) {
  const { list, first, older, more, showNewest, hold } = useList(network, filters);
  if (!list) return html`<${Waiting} read=${first} lines=${8} />`;
  if (!list.shown.length && !list.cursor) return html`<${NoTasks} filters=${filters} base=${base} role=${role} />`;
  const isFull = list.shown.length >= MOST;
  return html`
    ${list.fresh > 0 && html`<button type="button" class="fresh" onClick=${showNewest}>${list.fresh >= PAGE ? 'Many new tasks' : plural(list.fresh, 'new task')}</button>`}
    <div class="card flush" onPointerEnter=${() => hold(true)} onPointerLeave=${() => hold(false)} onFocusIn=${() => hold(true)} onFocusOut=${() => hold(false)}><table class="tasks"><caption class="visually-hidden">Tasks, newest first</caption>
      <thead><tr><th scope="col" class="c-state">State</th><th scope="col" class="c-task">Task</th><th scope="col" class="c-who">From → to</th><th scope="col" class="c-kind">Kind</th><th scope="col" class="c-age">Sent</th><th scope="col" class="c-took num">Took</th></tr></thead>
      <tbody>${list.shown.map((task) => row(task, base))}</tbody></table></div>
    <${Trouble} error=${more.error || first.error} />
    <p class="paging">${list.cursor && !isFull
      ? html`<button type="button" class="button" disabled=${more.busy} onClick=${older}>${more.busy ? 'Loading…' : list.shown.length ? 'Older' : 'Look further back'}</button><span class="quiet">${plural(list.shown.length, 'task')} shown</span>`
      : html`<span class="quiet">${plural(list.shown.length, 'task')}${list.cursor ? ' shown; filters find older ones' : ', that is all of them'}</span>`}</p>`;
}

function NoTasks({ filters, base, role }) {
  const isFiltered = FILTERS.some((name) => filters[name]);
  if (isFiltered) return html`<${Empty} heading="Nothing like that"><p>No task matches these filters. Choose a longer time or fewer filters.</p><${Link} to=${`${base}/tasks`} class="button">Show all tasks<//><//>`;
  return html`<${Empty} heading="No tasks yet"><p>${mayWrite(role) ? html`<${Link} to=${`${base}/send`}>Send the first one<//>, or let agents send each other some.` : 'Once agents send each other tasks, they appear here by themselves.'}</p><//>`;
}

export default function Tasks({ at, network, base, role, session }) {
  if (at.id) return html`<${Task} key=${at.id} id=${at.id} network=${network} base=${base} role=${role} session=${session} />`;
  const filters = filtersOf(at.search, FILTERS);
  // Fields rest at different times: each change is to what the address says by then.
  const set = (change) => go(query(`${base}/tasks`, { ...filtersOf(new URLSearchParams(location.search), FILTERS), ...change }));
  return html`<${PageHead} heading="Tasks">${mayWrite(role) && html`<${Link} to=${`${base}/send`} class="button primary">Send a task<//>`}<//>
    <${Filters} filters=${filters} set=${set} clear=${() => go(`${base}/tasks`)} />
    <${List} network=${network} base=${base} filters=${filters} role=${role} />`;
}
