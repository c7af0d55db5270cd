// Signing in, creating an account where the hub lets anybody, and the new password that a generated one asks for.

import { html, useEffect, useState } from '/assets/vendor.js';
import { get, post } from '/assets/api.js';
import { LIMITS } from '/assets/facts.js';
import { Field, Trouble, useAct } from '/assets/parts.js';

export const Frame = ({ heading, sub, children }) => html`
  <main class="gate"><div class="gate-card">
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><use href="/assets/icons.svg#baton"></use></svg>
    <h1>${heading}</h1><p class="sub">${sub}</p>${children}
  </div></main>`;

// Why nobody was signed in at the issuer, as the hub names it in the address.
const WORDS = {
  off: 'This hub has no issuer to sign in with.',
  issuer: 'The issuer could not be asked, or its answer does not count. The hub’s log has the cause.',
  again: 'The sign-in took too long, or began in another browser. Try again.',
  refused: 'The issuer refused the sign-in.',
  group: 'None of your groups at the issuer may sign in to this hub. Ask its operator.',
  hub: 'The hub could not finish the sign-in. Try again in a moment.',
};

/// What this hub offers beside a password; nothing until it has said.
function useOptions() {
  const [options, set] = useState({});
  useEffect(() => { get('/api/session/options').then(set, () => set({})); }, []);
  return options;
}

/// The way to the operator's issuer, if there is one.
function Issuer({ issuer }) {
  const search = new URLSearchParams(location.search);
  const why = WORDS[search.get('sign-in')];
  const to = why ? '/' : location.pathname + location.search;
  return html`${why && html`<p class="trouble" role="alert">${why}</p>`}
    ${issuer && html`<p><a class="button wide" href=${`/oidc/login?return_to=${encodeURIComponent(to)}`}>Sign in with ${issuer}</a></p>`}`;
}

const Username = ({ hint, ...rest }) => html`<${Field} label="Username" hint=${hint}>
  <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus ...${rest} /><//>`;

const PASSWORD_HINT = `At least ${LIMITS.PASSWORD_MIN_CHARS} characters.`;
const NewSecret = ({ label, name, hint }) => html`<${Field} label=${label} hint=${hint}><input name=${name} type="password" autocomplete="new-password" minlength=${LIMITS.PASSWORD_MIN_CHARS} required /><//>`;

/// Sends a form whose fields `new` and `again` must agree.
function useTwice(send) {
  const { busy, error, act } = useAct();
  const [differs, setDiffers] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const isSame = form.get('new') === form.get('again');
    setDiffers(!isSame);
    if (isSame) await act(() => send(form));
  };
  return { busy, error: differs ? { message: 'The two passwords differ.' } : error, submit };
}

function SignUp({ onDone, onBack, sub }) {
  const { busy, error, submit } = useTwice(async (form) => {
    await post('/api/session/register', { username: form.get('username').trim(), password: form.get('new') });
    onDone();
  });
  return html`<${Frame} heading="Create an account" sub=${sub}>
    <form onSubmit=${submit}>
      <${Username} hint="Letters, digits, _ and -. Others see it beside what you send." minlength=${LIMITS.USERNAME_MIN_CHARS} maxlength=${LIMITS.USERNAME_MAX_CHARS} />
      <${NewSecret} label="Password" name="new" hint=${PASSWORD_HINT} />
      <${NewSecret} label="Password, again" name="again" />
      <${Trouble} error=${error} />
      <button class="button primary wide" disabled=${busy}>${busy ? 'Creating…' : 'Create account'}</button>
    </form>
    <p class="hint">Already have an account? <button type="button" class="link" onClick=${onBack}>Sign in</button></p>
  <//>`;
}

export function SignIn({ onDone, sub = 'Sign in to see your networks.' }) {
  const { busy, error, act } = useAct();
  const { open_registration: isOpen, issuer } = useOptions();
  const [isNew, setNew] = useState(false);
  if (isNew) return html`<${SignUp} onDone=${onDone} onBack=${() => setNew(false)} sub="You get a network of your own, and can join others." />`;
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const answer = await act(() => post('/api/session', { username: form.get('username'), password: form.get('password') }));
    if (answer) onDone();
  };
  return html`<${Frame} heading="Baton" sub=${sub}>
    <form onSubmit=${submit}>
      <${Username} />
      <${Field} label="Password"><input name="password" type="password" autocomplete="current-password" required /><//>
      <${Trouble} error=${error} />
      <button class="button primary wide" disabled=${busy}>${busy ? 'Signing in…' : 'Sign in'}</button>
    </form>
    <${Issuer} issuer=${issuer} />
    ${isOpen && html`<p><button type="button" class="button wide" onClick=${() => setNew(true)}>Create an account</button></p>`}
    ${isOpen === false && html`<p class="hint">No account? The operator of this hub can give you one.</p>`}
    <p class="hint">The first admin's password was printed when the hub first started. Lost? <code>baton hub admin reset-user</code></p>
  <//>`;
}

/// A new password, and the old one.
export function PasswordForm({ username, onDone, label, oldLabel }) {
  const { busy, error, submit } = useTwice(async (form) => {
    await post('/api/session/password', { old_password: form.get('old'), new_password: form.get('new') });
    onDone();
  });
  return html`<form onSubmit=${submit}>
    <input type="hidden" autocomplete="username" value=${username} />
    <${Field} label=${oldLabel}><input name="old" type="password" autocomplete="current-password" required /><//>
    <${NewSecret} label="New password" name="new" hint=${PASSWORD_HINT} />
    <${NewSecret} label="New password, again" name="again" />
    <${Trouble} error=${error} />
    <button class="button primary wide" disabled=${busy}>${label}</button>
  </form>`;
}

export const NewPassword = ({ session, onDone }) => html`
  <${Frame} heading=${`Welcome, ${session.user.username}`} sub="The hub generated your password. Choose your own to continue.">
    <${PasswordForm} username=${session.user.username} onDone=${onDone} oldLabel="The password you were given" label="Set password" />
  <//>`;
