// Checking evidence in the browser: the same sums as `baton evidence verify`, from docs/evidence-format.md. What agrees
// here are bytes: an event, a tree of one size, a key. It says nothing of whether what an event says is so.

const subtle = globalThis.crypto?.subtle;
/// Browsers give these sums only to pages from https or this machine.
export const canCheck = () => Boolean(subtle);

const encoder = new TextEncoder();
const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};
const sha256 = async (data) => new Uint8Array(await subtle.digest('SHA-256', data));
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
const node = (left, right) => sha256(join([1], left, right));

/// RFC 8785: the one way to write a JSON value. Sorting strings compares UTF-16 code units, as it asks.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value && typeof value === 'object') return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
  return JSON.stringify(value);
}

/// A checkpoint's parts; the signature is over `text`.
export function parseNote(note) {
  const cut = note.indexOf('\n\n');
  const text = note.slice(0, cut + 1);
  const [origin, size, root] = text.split('\n');
  const signatures = note.slice(cut + 2).split('\n').filter(Boolean).map((line) => {
    const [, name, packed] = line.split(' ');
    return { name, packed: bytes(packed) };
  });
  return { text, origin, size: Number(size), root: bytes(root), signatures };
}

function parseKey(key) {
  const [name, hash, ...rest] = key.split('+');
  const packed = bytes(rest.join('+'));
  return { name, hash: Uint8Array.from(hash.match(/../g), (pair) => parseInt(pair, 16)), packed };
}

/// Whether the note is signed by the key: true, false, or null where the browser has no Ed25519.
export async function signatureFits(note, key) {
  const { name, hash, packed } = parseKey(key);
  const found = note.signatures.find((s) => s.name === name && same(s.packed.subarray(0, 4), hash));
  if (!found || packed[0] !== 1) return false;
  const own = (await sha256(join(encoder.encode(`${name}\n`), packed))).subarray(0, 4);
  if (!same(own, hash)) return false;
  let imported;
  try { imported = await subtle.importKey('raw', packed.subarray(1), 'Ed25519', false, ['verify']); } catch { return null; }
  return subtle.verify('Ed25519', imported, found.packed.subarray(4), encoder.encode(note.text));
}

/// RFC 9162, 2.1.3.2: whether the event is in the tree.
export async function isIncluded(event, index, size, hashes, root) {
  if (index >= size) return false;
  let [fn, sn] = [BigInt(index), BigInt(size) - 1n];
  let r = await sha256(join([0], encoder.encode(canonical(event))));
  for (const hash of hashes.map(bytes)) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      r = await node(hash, r);
      while (!(fn & 1n) && fn) { fn >>= 1n; sn >>= 1n; }
    } else r = await node(r, hash);
    fn >>= 1n; sn >>= 1n;
  }
  return sn === 0n && same(r, root);
}
