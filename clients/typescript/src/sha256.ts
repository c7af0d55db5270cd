// SHA-256 of bytes that come in pieces. `crypto.subtle` only takes all of them at once, which a file of a gigabyte is too
// large for; FIPS 180-4 gives the names.

const K = Uint32Array.from(constants(64, 3));
const INITIAL = Uint32Array.from(constants(8, 2));

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
export class Sha256 {
  readonly #state = INITIAL.slice();
  readonly #words = new Uint32Array(64);
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
      this.#block(this.#rest, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
    this.#restLength = bytes.length - at;
    return this;
  }

  /** The digest in hex. Nothing can be added after it. */
  hex(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array((this.#restLength < 56 ? 56 : 120) - this.#restLength + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  #block(bytes: Uint8Array, at: number): void {
    const w = this.#words;
    // The indexes are within the arrays by construction; `| 0` is what an absent element would be.
    for (let i = 0, j = at; i < 16; i += 1, j += 4) {
      w[i] = ((bytes[j] ?? 0) << 24) | ((bytes[j + 1] ?? 0) << 16) | ((bytes[j + 2] ?? 0) << 8) | (bytes[j + 3] ?? 0);
    }
    for (let i = 16; i < 64; i += 1) {
      const x = w[i - 15] as number;
      const y = w[i - 2] as number;
      const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
    }
    this.#rounds(w);
  }

  #rounds(w: Uint32Array): void {
    const state = this.#state;
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i += 1) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (w[i] as number)) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
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
    [a, b, c, d, e, f, g, h].forEach((value, index) => {
      state[index] = ((state[index] as number) + value) | 0;
    });
  }
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
