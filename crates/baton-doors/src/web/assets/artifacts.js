// Files that came with a task, a message or a reply: each can be downloaded, and text and pictures can be looked at here. What
// is shown as text is text: the browser never reads it as anything else.

import { html, useState } from '/assets/vendor.js';
import { query, upload } from '/assets/api.js';
import { Trouble, useAct } from '/assets/parts.js';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TEXT_SHOWN_BYTES = 65536;
const PICTURE_MAX_BYTES = 20 * 1024 * 1024;
const LONGEST_MS = 20000;

const kind = (artifact) => artifact.media_type.split(';')[0].trim().toLowerCase();
const isPicture = (artifact) => PICTURES.includes(kind(artifact)) && artifact.size <= PICTURE_MAX_BYTES;
const isText = (artifact) => artifact.size > 0 && (/^text\//.test(kind(artifact)) || /^application\/(json|xml)$/.test(kind(artifact)));
const address = (artifact, network) => query(`/api/artifacts/${artifact.sha256}`, { network_id: network.network_id });

function size(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${step ? (bytes / 1024 ** step).toFixed(1) : bytes} ${units[step]}`;
}

async function beginning(path) {
  const headers = { range: `bytes=0-${TEXT_SHOWN_BYTES - 1}` };
  const response = await fetch(path, { headers, credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(LONGEST_MS) });
  if (!response.ok) throw new Error('The file cannot be read.');
  return response.text();
}

/// A text, a link or data that its agent shared: it stands here, and is no file.
function Shared({ artifact }) {
  const { text, url, data } = artifact.part;
  return html`<li><b>${artifact.artifact_id}</b> <span class="quiet">${kind(artifact)}, ${size(artifact.size)}</span>
    <pre class="said" tabindex="0">${text ?? url ?? JSON.stringify(data, null, 2)}</pre></li>`;
}

function Artifact({ artifact, network }) {
  const { busy, error, act } = useAct();
  const [shown, setShown] = useState(null);
  const path = address(artifact, network);
  const look = async () => {
    if (shown) return setShown(null);
    if (isPicture(artifact)) return setShown({ picture: path });
    const text = await act(() => beginning(path));
    if (text != null) setShown({ text });
  };
  return html`<li><a href=${path} download=${artifact.name}><b>${artifact.name}</b></a> <span class="quiet">${kind(artifact)}, ${size(artifact.size)}</span>
    ${(isPicture(artifact) || isText(artifact)) && html` <button type="button" class="button small" aria-expanded=${Boolean(shown)} disabled=${busy} onClick=${look}>${shown ? 'Hide' : 'Preview'}</button>`}
    ${artifact.description && html`<p class="quiet">${artifact.description}</p>`}<${Trouble} error=${error} />
    ${shown?.picture && html`<img class="preview" src=${shown.picture} alt=${artifact.name} />`}
    ${shown?.text != null && html`<pre class="said" tabindex="0">${shown.text}</pre>${artifact.size > TEXT_SHOWN_BYTES && html`<p class="quiet">The first ${size(TEXT_SHOWN_BYTES)}; download it for the rest.</p>`}`}</li>`;
}

export function Artifacts({ artifacts, network }) {
  if (!artifacts?.length) return null;
  return html`<ul class="parts artifacts">${artifacts.map((artifact, n) => (artifact.part ? html`<${Shared} key=${n} artifact=${artifact} />` : html`<${Artifact} key=${n} artifact=${artifact} network=${network} />`))}</ul>`;
}

/// Uploads files one after the other; gives what a task refers to them by.
export async function uploadAll(files, network) {
  const artifacts = [];
  for (const file of files) {
    const values = { network_id: network.network_id, name: file.name, media_type: file.type };
    const { artifact } = await upload(query('/api/artifacts', values), file);
    artifacts.push({ sha256: artifact.sha256, name: artifact.name, media_type: artifact.media_type });
  }
  return artifacts;
}
