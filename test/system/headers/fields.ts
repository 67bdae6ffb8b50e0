// What a header is made of, as the walkers of the containers in this folder find it.

export interface Field {
  readonly at: number;
  /** Bytes. */
  readonly width: number;
  readonly little?: boolean;
  readonly kind: 'length' | 'name' | 'number';
}

/** A box, chunk, page or tag with its header. */
export interface Element {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

export interface Header {
  readonly fields: Field[];
  readonly elements: Element[];
  /** Puts an element of the same kind around `inner`; null where elements of the container hold no others. */
  readonly wrap: ((element: Uint8Array, inner: Uint8Array) => Uint8Array) | null;
  /** Makes checksums right again, so that what was damaged is looked at. */
  seal(bytes: Uint8Array): void;
}

/** Fields found in one header, at most: mutations fall on what stands first. */
export const MOST_FIELDS = 4000;

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
export const latin = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.slice(from, to)).toString('latin1');

/** Numbers of `width` bytes from `from` to `to`, at most `most`. */
export function words(from: number, to: number, width = 4, most = 40, little = false): Field[] {
  const count = Math.max(0, Math.min(most, Math.floor((to - from) / width)));
  return Array.from({ length: count }, (_, n) => ({ at: from + n * width, width, little, kind: 'number' }));
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A checksum of 32 bits, high bit first, as transport streams and Ogg have it. */
export function crc32(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  }
  return crc >>> 0;
}
