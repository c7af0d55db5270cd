// Signing in, and the new password that a generated one asks for.

import { html, useEffect, useState } from '/assets/vendor.js';
import { get, post } from '/assets/api.js';
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

/// The way to the operator's issuer, if there is one.
function Issuer() {
  const [issuer, set] = useState(null);
  useEffect(() => { get('/oidc/issuer').then((answer) => set(answer.issuer), () => set(null)); }, []);
  const search = new URLSearchParams(location.search);
  const why = WORDS[search.get('sign-in')];
  const to = why ? '/' : location.pathname + location.search;
  return html`${why && html`<p class="trouble" role="alert">${why}</p>`}
    ${issuer && html`<p><a class="button wide" href=${`/oidc/login?return_to=${encodeURIComponent(to)}`}>Sign in with ${issuer}</a></p>`}`;
}

export function SignIn({ onDone, sub = 'Sign in to see your networks.' }) {
  const { busy, error, act } = useAct();
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const answer = await act(() => post('/api/session', { username: form.get('username'), password: form.get('password') }));
    if (answer) onDone();
  };
  return html`<${Frame} heading="Baton" sub=${sub}>
    <form onSubmit=${submit}>
      <${Field} label="Username"><input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus /><//>
      <${Field} label="Password"><input name="password" type="password" autocomplete="current-password" required /><//>
      <${Trouble} error=${error} />
      <button class="button primary wide" disabled=${busy}>${busy ? 'Signing in…' : 'Sign in'}</button>
    </form>
    <${Issuer} />
    <p class="hint">The first admin's password was printed when the hub first started. Lost? <code>baton hub admin reset-user</code></p>
  <//>`;
}

/// Two fields that must agree, and the old password.
export function PasswordForm({ username, onDone, label, oldLabel }) {
  const { busy, error, act } = useAct();
  const [differs, setDiffers] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const isSame = form.get('new') === form.get('again');
    setDiffers(!isSame);
    if (!isSame) return;
    const answer = await act(() => post('/api/session/password', { old_password: form.get('old'), new_password: form.get('new') }));
    if (answer) onDone();
  };
  return html`<form onSubmit=${submit}>
    <input type="hidden" autocomplete="username" value=${username} />
    <${Field} label=${oldLabel}><input name="old" type="password" autocomplete="current-password" required /><//>
    <${Field} label="New password" hint="At least 8 characters."><input name="new" type="password" autocomplete="new-password" minlength="8" required /><//>
    <${Field} label="New password, again"><input name="again" type="password" autocomplete="new-password" minlength="8" required /><//>
    ${differs && html`<p class="trouble" role="alert">The two new passwords differ.</p>`}
    <${Trouble} error=${error} />
    <button class="button primary wide" disabled=${busy}>${label}</button>
  </form>`;
}

export const NewPassword = ({ session, onDone }) => html`
  <${Frame} heading=${`Welcome, ${session.user.username}`} sub="The hub generated your password. Choose your own to continue.">
    <${PasswordForm} username=${session.user.username} onDone=${onDone} oldLabel="The password you were given" label="Set password" />
  <//>`;
