// Send a task to an agent, and be taken to it.

import { html, useRef, useState } from '/assets/vendor.js';
import { post, query, unique } from '/assets/api.js';
import { uploadAll } from '/assets/artifacts.js';
import { useRead } from '/assets/live.js';
import { LIMITS } from '/assets/facts.js';
import { Card, Empty, Field, PageHead, Presence, Trouble, go, mayWrite, presence, useAct } from '/assets/parts.js';

const TTLS = { 600: '10 minutes', 3600: '1 hour', 21600: '6 hours', 86400: '1 day' };

export default function Send({ at, network, base, role }) {
  const listed = useRead(query('/api/agents', { network_id: network.network_id, limit: LIMITS.AGENT_PAGE_MAX, view: 'row' }), { list: 'agents' });
  const { busy, error, act } = useAct();
  const [alias, setAlias] = useState(at.search.get('to') || '');
  const agents = listed.data?.agents || [];
  const chosen = agents.find((agent) => agent.alias === alias.trim());
  const [ttl, setTtl] = useState('3600');
  const last = useRef({});
  if (!mayWrite(role)) return html`<${PageHead} heading="Send a task" /><${Card}><${Empty} heading="You can read, not send"><p>${role ? 'Your role here is viewer. An owner or admin of the network can change that.' : 'You see this network as the hub’s admin. Only its members can send tasks.'}</p><//><//>`;
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    const form = new FormData(event.target);
    const task = {
      alias: form.get('alias').trim(), task: form.get('task'), priority: form.get('priority'),
      ttl_seconds: Number(ttl), network_id: network.network_id,
    };
    const files = form.getAll('files').filter((file) => file.name);
    const sent = await act(async () => {
      if (files.length) task.artifacts = await uploadAll(files, network);
      // The same words sent again, because no answer came, are the same task.
      const words = JSON.stringify(task);
      if (last.current.words !== words) last.current = { words, key: unique() };
      return post('/api/task', { ...task, idempotency_key: last.current.key });
    });
    if (sent) go(`${base}/tasks/${sent.task_id}`);
  };
  const keys = (event) => { if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.repeat) event.target.form.requestSubmit(); };
  return html`<${PageHead} heading="Send a task" sub="It waits in the agent's inbox until it is taken up." />
    <${Card} class="form-card"><form onSubmit=${submit}>
      <${Field} label="To" hint=${chosen ? html`<${Presence} kind=${presence(chosen)} />` : alias && listed.data ? 'No agent with this name was seen recently; if it has a key, the task waits for it.' : ''}>
        <input name="alias" list="aliases" value=${alias} onInput=${(e) => setAlias(e.target.value)} required autocomplete="off" spellcheck="false" placeholder="an agent's name" /><//>
      <datalist id="aliases">${agents.map((agent) => html`<option value=${agent.alias}>${presence(agent)}</option>`)}</datalist>
      <${Field} label="Task" hint=${`At most ${LIMITS.TEXT_MAX_BYTES / 1024 ** 2} MiB of text; send more as a file. Ctrl + Enter sends.`}><textarea name="task" rows="7" maxlength=${LIMITS.TEXT_MAX_BYTES} required onKeyDown=${keys}></textarea><//>
      <${Field} label="Files" hint=${`Up to ${LIMITS.ARTIFACT_REFS_MAX_COUNT} files of at most ${LIMITS.ARTIFACT_MAX_BYTES / 1024 ** 3} GiB each.`}><input type="file" name="files" multiple /><//>
      <div class="two">
        <${Field} label="Priority"><select name="priority"><option value="normal">normal</option><option value="high">high</option><option value="low">low</option></select><//>
        <${Field} label="Give up if nobody takes it up within"><select name="ttl" value=${ttl} onChange=${(e) => setTtl(e.target.value)}>${Object.entries(TTLS).map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select><//>
      </div>
      <${Trouble} error=${error} />
      <button class="button primary" disabled=${busy}>${busy ? 'Sending…' : 'Send'}</button>
    </form><//>`;
}
