// The tree a task stands in, as a waterfall: a row for each task, indented under its parent, and a bar from when it was sent to
// its end on one axis of time; the darker part is from when work on it last began. Figures stand beside the bar in words.

import { html } from '/assets/vendor.js';
import { Card, Chip, Link, isOpen, plural } from '/assets/parts.js';
import { now, parse, seconds } from '/assets/time.js';

const LEAST = 0.6; // percent: a task of a moment is still seen
const DEEPEST = 8; // levels that are indented further; below that it says how deep

/// Where each task's bar begins and how wide its parts are, in percent of the time that the whole tree took.
export function waterfall(nodes, at) {
  const times = nodes.map((node) => ({
    sent: +parse(node.created_at), begun: node.started_at ? +parse(node.started_at) : null, ended: node.completed_at ? +parse(node.completed_at) : at,
  }));
  const first = Math.min(...times.map((t) => t.sent));
  const whole = Math.max(1000, Math.max(...times.map((t) => t.ended)) - first);
  const percent = (ms) => (100 * ms) / whole;
  return times.map((t) => {
    const width = Math.max(LEAST, percent(Math.max(0, t.ended - t.sent)));
    const left = Math.min(percent(t.sent - first), 100 - width);
    const begun = t.begun == null ? width : Math.min(width, percent(Math.max(0, t.begun - t.sent)));
    return { left, width, waited: begun, took: Math.max(0, t.ended - t.sent) };
  });
}

const Bar = ({ bar, status }) => html`<span class="bar" aria-hidden="true"><i class="f-${status}" style=${{ left: `${bar.left}%`, width: `${bar.width}%` }}>
  <b style=${{ width: `${bar.width ? (100 * bar.waited) / bar.width : 0}%` }}></b></i></span>`;

function Row({ node, bar, base, isThis }) {
  const level = Math.min(node.depth, DEEPEST);
  const words = html`<span class="clip" style=${{ paddingLeft: `${level * 14}px` }}>${node.depth > DEEPEST && html`<small class="quiet">level ${node.depth} </small>`}${node.to_name}</span>
    <${Chip} status=${node.status} /><span class="num quiet">${seconds(bar.took)}${isOpen(node.status) ? ' so far' : ''}</span><${Bar} bar=${bar} status=${node.status} />`;
  return html`<li class=${isThis ? 'this' : ''}>${isThis
    ? html`<span class="row" aria-current="true">${words}</span>`
    : html`<${Link} class="row" to=${`${base}/tasks/${node.task_id}`}>${words}<//>`}</li>`;
}

/// Nothing for a task that stands alone.
export function Tree({ tree, base }) {
  const nodes = tree?.nodes || [];
  if (nodes.length < 2) return null;
  const bars = waterfall(nodes, now());
  return html`<${Card} title="Tree" aside=${html`<span class="quiet">${plural(nodes.length, 'task')}${tree.truncated ? ', more are not shown' : ''}</span>`}>
    <ol class="waterfall">${nodes.map((node, i) => html`<${Row} key=${node.task_id} node=${node} bar=${bars[i]} base=${base} isThis=${node.task_id === tree.task_id} />`)}</ol><//>`;
}
