// A client asks to act for the user who is signed in: who asks, where it leads back to, and the user's decision. Everything the
// client says of itself is shown as text.

import { html, render, useEffect, useState } from '/assets/vendor.js';
import { get, getAll, post } from '/assets/api.js';
import { LIMITS } from '/assets/facts.js';
import { Field, Trouble, mayWrite, useAct } from '/assets/parts.js';
import { Frame, NewPassword, SignIn } from '/assets/sign-in.js';

const NAMES = ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method', 'state', 'resource', 'scope'];

/// The client's request, from the address; what is not of a request is left out.
const search = new URLSearchParams(location.search);
const request = Object.fromEntries(NAMES.filter((name) => search.has(name)).map((name) => [name, search.get(name)]));
// A parameter that comes twice is refused, so all of them are passed on.
const asked = () => new URLSearchParams([...search].filter(([name]) => NAMES.includes(name))).toString();

const Back = ({ to, place }) => html`<p><a class="button wide" href=${to}>Return to ${place}</a></p>`;

function Consent({ session, question, signOut }) {
  const { busy, error, act } = useAct();
  const [gone, setGone] = useState(null);
  const networks = session.networks.filter((network) => mayWrite(network.member_role));
  const { client_name: name, returns_to: place, problem } = question;
  const decide = async (allow, form) => {
    const choice = allow ? { network_id: form.get('network'), alias: form.get('alias').trim() } : {};
    const answer = await act(() => post('/api/oauth/authorization', { request, allow, ...choice }));
    if (!answer) return;
    setGone({ allow, to: answer.redirect_to });
    location.assign(answer.redirect_to);
  };
  const submit = (event) => { event.preventDefault(); decide(true, new FormData(event.target)); };
  if (gone) {
    return html`<${Frame} heading=${gone.allow ? 'Allowed' : 'Refused'} sub=${`You are sent back to ${place}. You can close this page if it stays open.`}>
      <${Back} to=${gone.to} place=${place} /><//>`;
  }
  if (problem) {
    return html`<${Frame} heading="This request cannot be allowed" sub=${`${name} sent a request that the hub refuses.`}>
      <${Trouble} error=${problem} /><${Back} to=${problem.redirect_to} place=${place} /><//>`;
  }
  return html`<${Frame} heading=${`Allow ${name}?`} sub=${`${name} asks to send and receive tasks in a network of yours, as an agent with the alias you choose.`}>
    <dl class="consent">
      <dt>It calls itself</dt><dd>${name}</dd>
      ${question.client_id.includes('://') && html`<dt>Its address</dt><dd>${question.client_id}</dd>`}
      <dt>You return to</dt><dd><b>${place}</b>${question.is_on_this_machine ? ' (a program on this machine)' : ''}</dd>
      <dt>Signed in as</dt><dd>${question.username} <button type="button" class="link" onClick=${signOut}>not you?</button></dd>
    </dl>
    ${!networks.length ? html`<p class="trouble" role="alert">You are a member of no network in which you may create tokens.</p>` : html`
    <form onSubmit=${submit}>
      <${Field} label="Network"><select name="network" required>${networks.map((network) => html`<option value=${network.network_id}>${network.network_name}</option>`)}</select><//>
      <${Field} label="Alias" hint="One of your agents’, or a new one."><input name="alias" value=${question.suggested_alias} required maxlength=${LIMITS.ALIAS_MAX_CHARS} autocapitalize="none" spellcheck="false" /><//>
      <${Trouble} error=${error} />
      <button class="button primary wide" disabled=${busy}>Allow</button>
    </form>`}
    <p><button type="button" class="button wide" disabled=${busy} onClick=${() => decide(false)}>Refuse</button></p>
    <p class="hint">Allow this only if you started it yourself. You can end the access at any time, under Network, Your tokens.</p>
  <//>`;
}

function App() {
  const [state, set] = useState({}); // nothing: not asked yet
  const read = async () => {
    try {
      const session = await getAll('/api/networks', 'networks', await get('/api/session'));
      if (session.must_change_password) { set({ session }); return; }
      set({ session, question: await get(`/api/oauth/authorization?${asked()}`) });
    } catch (error) {
      set(error.status === 401 ? { isSignedOut: true } : { error });
    }
  };
  useEffect(() => { read(); }, []);
  const { session, question, error, isSignedOut } = state;
  if (isSignedOut) return html`<${SignIn} onDone=${read} sub="Sign in to decide what a client may do." />`;
  if (error) return html`<${Frame} heading="This request cannot be shown" sub="Nothing was allowed."><${Trouble} error=${error} /><//>`;
  if (!session) return html`<div class="boot"></div>`;
  if (session.must_change_password) return html`<${NewPassword} session=${session} onDone=${read} />`;
  return html`<${Consent} session=${session} question=${question} signOut=${() => set({ isSignedOut: true })} />`;
}

render(html`<${App} />`, document.getElementById('app'));
