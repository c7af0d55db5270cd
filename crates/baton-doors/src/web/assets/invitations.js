// Pending invitations of whoever is signed in: each is accepted or declined. Shown where networks are chosen.

import { html } from '/assets/vendor.js';
import { post } from '/assets/api.js';
import { useRead } from '/assets/live.js';
import { Card, Trouble, go, useAct } from '/assets/parts.js';
import { Ago } from '/assets/time.js';

export function Invitations({ reload }) {
  const read = useRead('/api/invitations', { live: false });
  const { busy, error, act } = useAct();
  const invitations = read.data?.invitations || [];
  if (!invitations.length) return null;
  const accept = async (one) => {
    const joined = await act(() => post(`/api/invitations/${one.network_id}/accept`));
    if (joined) { await reload(); go(`/n/${joined.network_id}/overview`); } else read.refresh();
  };
  const decline = async (one) => { await act(() => post(`/api/invitations/${one.network_id}/decline`)); read.refresh(); };
  return html`<${Card} title="Invitations" class="flush-table">
    <table class="plain roomy"><caption class="visually-hidden">Networks you are invited to</caption><thead><tr><th scope="col">Network</th><th scope="col">Role</th><th scope="col">Invited by</th><th scope="col" class="wide-only">When</th><th scope="col"><span class="visually-hidden">Answer</span></th></tr></thead>
    <tbody>${invitations.map((one) => html`<tr key=${one.network_id}><td><b>${one.network_name}</b> <span class="quiet">${one.network_id}</span></td><td>${one.role}</td><td>${one.invited_by}</td><td class="wide-only quiet"><${Ago} at=${one.created_at} /></td>
      <td class="num"><button type="button" class="button small" disabled=${busy} onClick=${() => decline(one)} aria-label=${`Decline ${one.network_name}`}>Decline</button> <button type="button" class="button small primary" disabled=${busy} onClick=${() => accept(one)} aria-label=${`Accept ${one.network_name}`}>Accept</button></td></tr>`)}</tbody></table>
    <${Trouble} error=${error} /><//>`;
}
