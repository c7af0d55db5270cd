// The network itself: who its people are, what they may do, how others get in.

import { html, useState } from '/assets/vendor.js';
import { del, post, put } from '/assets/api.js';
import { Invitations } from '/assets/invitations.js';
import { codeOf, linkOf } from '/assets/invite.js';
import { useRead } from '/assets/live.js';
import { LIMITS } from '/assets/facts.js';
import { Card, Code, Dialog, Empty, Field, PageHead, Trouble, Waiting, go, mayManage, useAct } from '/assets/parts.js';
import { Ago, Until } from '/assets/time.js';
import { Tokens } from '/assets/tokens.js';

const ROLES = { admin: 'admin: also members and invites', member: 'member: sends, cancels, makes keys', viewer: 'viewer: looks' };

function Members({ network, role, session }) {
  const read = useRead(mayManage(role) ? `/api/networks/${network.network_id}/members` : null, { live: false, list: 'members' });
  const { error, act } = useAct();
  const [asked, setAsked] = useState(null);
  if (!mayManage(role)) return null;
  const path = (member) => `/api/networks/${network.network_id}/members/${member.user_id}`;
  const change = async (member, next) => { await act(() => put(path(member), { role: next })); read.refresh(); };
  const remove = async (member) => { if (await act(() => del(path(member)))) setAsked(null); read.refresh(); };
  const below = (member) => member.role !== 'owner' && member.user_id !== session.user.user_id && (role === 'owner' || member.role !== 'admin');
  return html`<${Card} title="People" class="flush-table">${!read.data ? html`<${Waiting} read=${read} />` : html`
    <table class="plain roomy"><caption class="visually-hidden">Members</caption><thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col" class="wide-only">Since</th><th scope="col"><span class="visually-hidden">Remove</span></th></tr></thead>
    <tbody>${read.data.members.map((member) => html`<tr key=${member.user_id}><td><b>${member.username}</b>${member.display_name && member.display_name !== member.username ? html` <span class="quiet">${member.display_name}</span>` : ''}</td>
      <td>${role === 'owner' && below(member) ? html`<select aria-label=${`Role of ${member.username}`} value=${member.role} onChange=${(e) => change(member, e.target.value)}>${Object.keys(ROLES).map((name) => html`<option value=${name}>${name}</option>`)}</select>` : member.role}</td>
      <td class="wide-only quiet"><${Ago} at=${member.joined_at} /></td>
      <td class="num">${below(member) && (asked === member.user_id
        ? html`<button type="button" class="button small danger" onClick=${() => remove(member)}>Remove, and end their keys</button>`
        : html`<button type="button" class="button small" onClick=${() => setAsked(member.user_id)} aria-label=${`Remove ${member.username}`}>Remove</button>`)}</td></tr>`)}
    ${(read.data.pending || []).map((invited) => html`<tr key=${invited.user_id}><td><b>${invited.username}</b> <span class="quiet">invited</span></td><td>${invited.role}</td>
      <td class="wide-only quiet"><${Ago} at=${invited.created_at} /></td>
      <td class="num">${below(invited) && html`<button type="button" class="button small" onClick=${() => remove(invited)} aria-label=${`Withdraw the invitation of ${invited.username}`}>Withdraw</button>`}</td></tr>`)}</tbody></table>`}
    <${Trouble} error=${error} /><//>`;
}

function NewInvite({ network, role, onClose, done }) {
  const { busy, error, act } = useAct();
  const [code, setCode] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const answer = await act(() => post(`/api/networks/${network.network_id}/invite`, { role: form.get('role'), max_uses: Number(form.get('uses')), expires_days: Number(form.get('days')) }));
    if (answer) { setCode(answer.invite_code); done(); }
  };
  if (code) return html`<${Dialog} heading="The invite" onClose=${onClose}><p class="sub">It is shown only once. Anyone who has it can join.</p>
    <h3>A link to open in a browser</h3><${Code}>${linkOf(code)}<//><h3>The same at a command line</h3><${Code}>${`baton network join ${code}`}<//>
    <div class="dialog-acts"><button type="button" class="button primary" onClick=${onClose}>Done</button></div><//>`;
  const roles = Object.entries(ROLES).filter(([name]) => role === 'owner' || name !== 'admin');
  return html`<${Dialog} heading="Invite somebody" onClose=${onClose}><form onSubmit=${submit}>
    <${Field} label="As"><select name="role">${roles.map(([name, words]) => html`<option value=${name} selected=${name === 'member'}>${words}</option>`)}</select><//>
    <div class="two"><${Field} label="How many may use it"><input name="uses" type="number" min="1" max=${LIMITS.INVITE_MAX_USES} value="1" required /><//><${Field} label="Days it lasts"><input name="days" type="number" min="1" max=${LIMITS.INVITE_MAX_DAYS} value="7" required /><//></div>
    <${Trouble} error=${error} /><div class="dialog-acts"><button type="button" class="button" onClick=${onClose}>Cancel</button><button class="button primary" disabled=${busy}>Make invite</button></div></form><//>`;
}

function Invites({ network, role }) {
  const read = useRead(mayManage(role) ? `/api/networks/${network.network_id}/invites` : null, { live: false, list: 'invites' });
  const { error, act } = useAct();
  const [making, setMaking] = useState(false);
  if (!mayManage(role)) return null;
  const invites = (read.data?.invites || []).filter((invite) => invite.uses < invite.max_uses);
  const withdraw = async (invite) => { await act(() => del(`/api/networks/${network.network_id}/invites/${invite.invite_id}`)); read.refresh(); };
  return html`<${Card} title="Open invites" class="flush-table" aside=${html`<button type="button" class="button small" onClick=${() => setMaking(true)}>Invite somebody</button>`}>
    ${!read.data ? html`<${Waiting} read=${read} lines=${2} />` : !invites.length ? html`<${Empty}><p>No open invites. “Invite somebody” makes a link: whoever opens it can join this network.</p><//>` : html`
    <table class="plain roomy"><caption class="visually-hidden">Invites</caption><thead><tr><th scope="col">Role</th><th scope="col" class="num">Used</th><th scope="col">Ends</th><th scope="col" class="wide-only">By</th><th scope="col"><span class="visually-hidden">Withdraw</span></th></tr></thead>
    <tbody>${invites.map((invite) => html`<tr key=${invite.invite_id}><td>${invite.role}</td><td class="num">${invite.uses} of ${invite.max_uses}</td><td>${invite.expires_at ? html`<${Until} at=${invite.expires_at} />` : 'never'}</td><td class="wide-only quiet">${invite.created_by}</td><td class="num"><button type="button" class="button small" onClick=${() => withdraw(invite)}>Withdraw</button></td></tr>`)}</tbody></table>`}
    <${Trouble} error=${error} />${making && html`<${NewInvite} network=${network} role=${role} onClose=${() => setMaking(false)} done=${read.refresh} />`}<//>`;
}

function Name({ network, reload }) {
  const { busy, error, act } = useAct();
  const submit = async (event) => {
    event.preventDefault();
    if (await act(() => put(`/api/networks/${network.network_id}`, { name: new FormData(event.target).get('name') }))) reload();
  };
  return html`<${Card} title="Name"><form class="row-form" onSubmit=${submit}><input name="name" value=${network.network_name} required maxlength=${LIMITS.NETWORK_NAME_MAX_CHARS} aria-label="Name of the network" /><button class="button" disabled=${busy}>Rename</button></form><${Trouble} error=${error} /><//>`;
}

function Leave({ network, reload }) {
  const { busy, error, act } = useAct();
  const [asked, setAsked] = useState(false);
  const leave = async () => { if (await act(() => del(`/api/networks/${network.network_id}/members/me`))) { await reload(); go('/'); } };
  return html`<${Card} title="Leave this network"><p class="sub">Your tokens for it are revoked. To come back you need a new invitation.</p>
    ${asked ? html`<button type="button" class="button danger" disabled=${busy} onClick=${leave}>Leave, and revoke my tokens</button>` : html`<button type="button" class="button" onClick=${() => setAsked(true)}>Leave</button>`}
    <${Trouble} error=${error} /><//>`;
}

function Others({ reload }) {
  const { busy, error, act } = useAct();
  const submit = (name, path, read = (text) => text.trim()) => async (event) => {
    event.preventDefault();
    const form = event.target;
    const answer = await act(async () => post(path, { [name]: read(new FormData(form).get(name)) }));
    if (answer) { form.reset(); await reload(); go(`/n/${answer.network_id}/overview`); }
  };
  return html`<${Card} title="Another network"><div class="two">
    <form onSubmit=${submit('name', '/api/networks')}><${Field} label="Make a new one"><input name="name" required maxlength=${LIMITS.NETWORK_NAME_MAX_CHARS} placeholder="its name" /><//><button class="button" disabled=${busy}>Make</button></form>
    <form onSubmit=${submit('invite_code', '/api/networks/join', codeOf)}><${Field} label="Join one"><input name="invite_code" required placeholder="invite code or link" autocomplete="off" /><//><button class="button" disabled=${busy}>Join</button></form>
  </div><${Trouble} error=${error} /><//>`;
}

export default function Network({ network, role, session, reload }) {
  return html`<${PageHead} heading=${network.network_name} sub=${role ? `You are ${role === 'owner' ? 'its owner' : `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role} of it`}.` : 'You see it as the hub’s admin; this access is recorded.'} />
    <${Members} network=${network} role=${role} session=${session} />
    <${Invites} network=${network} role=${role} />
    ${!mayManage(role) && html`<${Card}><${Empty}><p>Owners and admins of the network see its members and invites here. Ask one of them to invite somebody.</p><//><//>`}
    ${role === 'owner' && html`<${Name} key=${network.network_name} network=${network} reload=${reload} />`}
    ${role && role !== 'owner' && html`<${Leave} network=${network} reload=${reload} />`}
    <${Tokens} network=${network} />
    <${Invitations} reload=${reload} />
    <${Others} reload=${reload} />
    <${Card} title="Its id"><${Code}>${network.network_id}<//><//>`;
}
