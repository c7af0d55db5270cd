// The network's log: how long it is, what was signed last, how to take it away and check it.

import { html, useRef } from '/assets/vendor.js';
import { query } from '/assets/api.js';
import { canCheck, parseNote } from '/assets/check.js';
import { Entry, Outcome, useCheck } from '/assets/entries.js';
import { useRead } from '/assets/live.js';
import { Card, Code, Empty, PageHead, Waiting, number } from '/assets/parts.js';

const LATEST = 30;

export default function Evidence({ network }) {
  const id = network.network_id;
  const note = useRead(query('/api/evidence/checkpoint', { network_id: id }));
  const key = useRead('/api/evidence/key', { live: false });
  const checkpoint = note.data ? parseNote(note.data) : null;
  const after = checkpoint && checkpoint.size > LATEST ? String(checkpoint.size - LATEST - 1) : '';
  const page = useRead(checkpoint ? query('/api/evidence', { network_id: id, after, limit: '100' }) : null);
  const [state, run] = useCheck(network);
  // The log grows while one reads: what was read stays until the next page is there.
  const last = useRef(null);
  if (page.data) last.current = page.data;
  const { events = [], size } = last.current || {};
  const bundle = query('/api/evidence/bundle', { network_id: id });
  return html`<${PageHead} heading="Evidence" sub="What the hub saw, as it happened: an append-only log, signed.">
      ${checkpoint?.size > 0 && html`<a class="button primary" href=${bundle} download=${`${id}.tar.gz`}>Download bundle</a>`}<//>
    ${!checkpoint ? html`<${Waiting} read=${note} />` : html`<div class="split"><div class="col">
      <${Card} title="Latest entries" aside=${events.length && canCheck() ? html`<button type="button" class="button small" disabled=${state.busy} onClick=${() => run(events)}>${state.busy ? 'Checking…' : 'Check proofs here'}</button>` : ''}>
        <${Outcome} state=${state} />
        ${!last.current ? html`<${Waiting} read=${page} />` : !events.length ? html`<${Empty} heading="An empty log"><p>The first task writes the first entry.</p><//>` : html`<ul class="entries">${[...events].reverse().map((event) => html`<${Entry} key=${event.id} event=${event} verdict=${state.verdicts?.[event.assayseq]} />`)}</ul>`}<//>
    </div><div class="col narrow">
      <${Card} title="The log"><p class="big">${number(size ?? checkpoint.size)}</p><p>${(size ?? checkpoint.size) === 1 ? 'entry' : 'entries'}, of which ${number(checkpoint.size)} are under the last checkpoint.</p>
        <h3>Last checkpoint</h3><pre class="said small" tabindex="0">${note.data}</pre>
        ${key.data && html`<h3>The hub’s key</h3><${Code}>${key.data.key}<//>`}<//>
      <${Card} title="Take it away and check it"><p>With proofs, and without this hub:</p>
        <${Code}>${`baton evidence export -o evidence.tar.gz\nbaton evidence verify evidence.tar.gz`}<//>
        <p>Has history been rewritten since the last audit on this machine?</p><${Code}>baton evidence audit<//>
        <p class="guardrail">Checks show that bytes agree: with each other, with a log of one size, with a key. They do not show that the content of an entry is true. Without an outside witness a log shows consistency, not honesty.</p><//>
    </div></div>`}`;
}
