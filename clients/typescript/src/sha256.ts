// SHA-256 of bytes that come in pieces. `crypto.subtle` only takes all of them at once, which a file of a gigabyte is too
// large for; FIPS 180-4 gives the names.

const K = Int32Array.from(constants(64, 3));
const INITIAL = Int32Array.from(constants(8, 2));

/** The first 32 bits of the fractional parts of the square (2) or cube (3) roots of the first primes. */
function constants(count: number, root: 2 | 3): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= n; divisor += 1) isPrime &&= n % divisor !== 0;
    if (isPrime) found.push(fraction(BigInt(n), root));
  }
  return found;
}

/** floor(root(n) * 2^32) mod 2^32, exactly: floating point is off in the last bits of some. */
function fraction(n: bigint, root: 2 | 3): number {
  const scaled = n << BigInt(32 * root);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(root) <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffff_ffffn);
}

/** A digest in progress. */
export interface Hasher {
  update(bytes: Uint8Array): unknown;
  /** The digest in hex. Nothing can be added after it. */
  hex(): string;
}

export class Sha256 implements Hasher {
  readonly #state = INITIAL.slice();
  readonly #words = new Int32Array(64);
  readonly #rest = new Uint8Array(64);
  #restLength = 0;
  #length = 0;

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(64 - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restLength);
      this.#restLength += at;
      if (this.#restLength < 64) return this;
      block(this.#state, this.#words, viewOf(this.#rest), 0);
    }
    const view = viewOf(bytes);
    for (; at + 64 <= bytes.length; at += 64) block(this.#state, this.#words, view, at);
    this.#rest.set(bytes.subarray(at));
    this.#restLength = bytes.length - at;
    return this;
  }

  hex(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array((this.#restLength < 56 ? 56 : 120) - this.#restLength + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * One block of 64 bytes. The indexes are within the arrays, which the type checker cannot know; plain loops over typed
 * arrays are what makes it quick.
 */
function block(state: Int32Array, w: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}
