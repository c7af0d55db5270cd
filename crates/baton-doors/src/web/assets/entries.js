// Entries of the evidence log, and a button that checks their proofs here, in the browser.

import { html, useState } from '/assets/vendor.js';
import { get, query } from '/assets/api.js';
import { canCheck, isIncluded, parseNote, signatureFits } from '/assets/check.js';
import { useRead } from '/assets/live.js';
import { Card, Code, Empty, Link, Trouble, Waiting, number, plural, short } from '/assets/parts.js';
import { Clock } from '/assets/time.js';

/// What an event is of, without what all of them begin with.
export const kind = (event) => event.type.replace('assay.adapter.a2a.', '');

export function Entry({ event, verdict, base }) {
  const { handoff, task, agent, attributes } = event.data;
  const { from, to } = attributes?.baton || {};
  return html`<li class="entry"><details>
    <summary><span class="entry-n num">#${number(event.assayseq)}</span><b>${kind(event)}</b>
      <span class="clip">${(task?.status || '').replace('_', ' ')} ${agent?.id ? `by ${agent.id}` : ''}</span>
      ${base && from && to && html`<span class="clip entry-who">${from} → ${to}</span>`}
      ${event.batonorigin === 'reported' && html`<span class="tag" title="Handed in by ${event.batonreporter}: the hub did not see it happen">reported</span>`}
      ${handoff?.visible && html`<span class="tag" title="A bounded observed visibility flag only">handoff visible</span>`}
      ${verdict && html`<span class="verdict ${verdict.ok ? 'good' : 'bad'}">${verdict.ok ? 'in the log' : 'does not agree'}</span>`}
      <span class="quiet entry-time"><${Clock} at=${event.time} /></span></summary>
    <pre class="said small" tabindex="0">${JSON.stringify(event, null, 2)}</pre></details>
    ${base && task?.id && html`<${Link} to=${`${base}/tasks/${task.id}`} class="entry-task" title=${task.id}>task ${short(task.id)}<//>`}</li>`;
}

/// Checks each event against one signed checkpoint.
async function check(network, events) {
  const seal = await get(query('/api/evidence/proof', { network_id: network.network_id, index: String(events[events.length - 1].assayseq) }));
  const [text, key] = await Promise.all([
    get(query('/api/evidence/checkpoint', { network_id: network.network_id })), get('/api/evidence/key')]);
  const note = parseNote(text);
  const verdicts = {};
  for (const event of events) {
    const proof = event.assayseq === seal.index && seal.size === note.size ? seal
      : await get(query('/api/evidence/proof', { network_id: network.network_id, index: String(event.assayseq), size: String(note.size) }));
    verdicts[event.assayseq] = { ok: await isIncluded(event, event.assayseq, note.size, proof.hashes, note.root) };
  }
  const isOrigin = note.origin === `baton/${network.network_id}`;
  return { verdicts, note, isOrigin, signature: await signatureFits(note, key.key) };
}

export function useCheck(network) {
  const [state, set] = useState({ busy: false });
  const run = async (events) => {
    set({ busy: true });
    try { set({ busy: false, ...(await check(network, events)) }); } catch (error) { set({ busy: false, error }); }
  };
  return [state, run];
}

export function Outcome({ state }) {
  if (state.error) return html`<${Trouble} error=${state.error} />`;
  if (!state.verdicts) return null;
  const all = Object.values(state.verdicts);
  const bad = all.filter((verdict) => !verdict.ok).length;
  const isWhole = !bad && state.isOrigin && state.signature !== false;
  // Good is only said when everything was looked at.
  const tone = !isWhole ? 'bad' : state.signature ? 'good' : '';
  return html`<p class="outcome ${tone}" role="status">
    ${bad ? `${plural(bad, 'entry', 'entries')} of ${all.length} do not agree with the checkpoint of size ${number(state.note.size)}.`
      : `${plural(all.length, 'entry', 'entries')} agree with the checkpoint of size ${number(state.note.size)}, computed in this browser.`}
    ${state.signature === true ? ' Its signature fits the hub’s key.' : state.signature === false ? ' Its signature does not fit the hub’s key.' : ' This browser cannot check its signature.'}
    ${!state.isOrigin ? ' The checkpoint names another log.' : ''}</p>`;
}

export function EvidenceOfTask({ task, network }) {
  const page = useRead(query('/api/evidence', { network_id: network.network_id, task_id: task.task_id }));
  const [state, run] = useCheck(network);
  const events = page.data?.events || [];
  const aside = events.length && canCheck() ? html`<button type="button" class="button small" disabled=${state.busy} onClick=${() => run(events)}>${state.busy ? 'Checking…' : 'Check proofs here'}</button>` : '';
  return html`<${Card} title="Evidence" aside=${aside}>
    ${!page.data ? html`<${Waiting} read=${page} lines=${2} />` : !events.length ? html`<${Empty}><p>The log has no entry about this task. Each change of a task writes one; the first appears here by itself.</p><//>` : html`
      <ul class="entries">${events.map((event) => html`<${Entry} key=${event.id} event=${event} verdict=${state.verdicts?.[event.assayseq]} />`)}</ul>
      <${Outcome} state=${state} />
      <p class="foot-note">The same, offline:</p>
      <${Code}>${`baton evidence export --task ${task.task_id} -o evidence.tar.gz\nbaton evidence verify evidence.tar.gz`}<//>`}
  <//>`;
}
