// SHA-256. The browser's own needs a secure context, which a console on a plain address does not have.

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of eight. */
const { K, H } = constants();

function constants(): { K: Uint32Array; H: Uint32Array } {
  const K = new Uint32Array(64);
  const H = new Uint32Array(8);
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32);
  let count = 0;
  for (let number = 2; count < 64; number++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= number; divisor++) isPrime &&= number % divisor !== 0;
    if (!isPrime) continue;
    if (count < 8) H[count] = fraction(Math.sqrt(number));
    K[count++] = fraction(Math.cbrt(number));
  }
  return { K, H };
}

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Computes the hash without the help of the browser. */
export function ownSha256(message: Uint8Array): Uint8Array {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(length - 4, (message.length << 3) >>> 0);
  const hash = H.slice();
  const words = new Uint32Array(64);
  for (let offset = 0; offset < length; offset += 64) block(hash, words, view, offset);
  const bytes = new Uint8Array(32);
  const out = new DataView(bytes.buffer);
  hash.forEach((word, index) => out.setUint32(index * 4, word));
  return bytes;
}

function block(hash: Uint32Array, w: Uint32Array, view: DataView, offset: number): void {
  const at = (words: Uint32Array, index: number) => words[index] ?? 0;
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + i * 4);
  for (let i = 16; i < 64; i++) {
    const [x, y] = [at(w, i - 15), at(w, i - 2)];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = at(hash, index) + word;
  });
}

/** Computes the hash with the browser's own function where there is one. */
export async function sha256(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  return subtle ? new Uint8Array(await subtle.digest("SHA-256", message)) : ownSha256(message);
}
