// 64-bit hashes of names and marks, by which files are told apart without keeping their names. Not for
// secrets. Of a million files two have the same hash once in thirty million folders.

/** Two halves of 32 bits, signed. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** Where a text begins; `extended` goes on from here. */
const start: Hash64 = { high: 0x2545f491 | 0, low: 0x6c078965 };

/** Of a beginning and what follows, so that a folder is hashed once for all its files: see `finished`. */
export function extended(before: Hash64, text: string): Hash64 {
  let { high, low } = before;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    high ^= high >>> 15;
    low = Math.imul(low ^ unit, 0x85ebca77);
    low ^= low >>> 13;
    // Without this the halves would be two short hashes beside each other.
    low = (low + high) | 0;
  }
  return { high, low };
}

/** What is compared: every bit of the text changes every bit of it. */
export function finished({ high, low }: Hash64): Hash64 {
  const a = mixed((high + low) | 0);
  const b = mixed((low + a) | 0);
  return { high: (a + b) | 0, low: b };
}

export const emptyHash: Hash64 = start;

export function hashOf(text: string): Hash64 {
  return finished(extended(start, text));
}

/** The last step of MurmurHash3. */
function mixed(value: number): number {
  let mix = value ^ (value >>> 16);
  mix = Math.imul(mix, 0x85ebca6b);
  mix ^= mix >>> 13;
  mix = Math.imul(mix, 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}
