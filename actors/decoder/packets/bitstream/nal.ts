// NAL units inside a packet of H.264 or HEVC: length-prefixed as in MP4 and Matroska, or an Annex B byte
// stream as in transport streams.

/** Size of the length prefix in bytes; 0 for an Annex B byte stream. */
export type NalFraming = 0 | 1 | 2 | 3 | 4;

/**
 * The framing announced by the codec's extradata: avcC and hvcC start with version 1 and contain the length
 * size; anything else is an Annex B byte stream.
 */
export function nalFraming(extradata: Uint8Array | null, lengthAt: 4 | 21): NalFraming {
  if (!extradata || extradata.length <= lengthAt || extradata[0] !== 1) return 0;
  return ((extradata[lengthAt]! & 3) + 1) as NalFraming;
}

/**
 * Calls `visit` with the range of every NAL unit until it returns false. Returns false when the length
 * prefixes do not add up, which means that nothing may be concluded from the packet.
 */
export function eachNal(
  data: Uint8Array,
  framing: NalFraming,
  visit: (start: number, end: number) => boolean,
): boolean {
  return framing === 0 ? eachAnnexB(data, visit) : eachPrefixed(data, framing, visit);
}

function eachPrefixed(data: Uint8Array, framing: number, visit: (start: number, end: number) => boolean) {
  let at = 0;
  while (at + framing <= data.length) {
    let length = 0;
    for (let i = 0; i < framing; i++) length = length * 256 + data[at + i]!;
    const start = at + framing;
    const end = start + length;
    if (end > data.length) return false;
    if (length > 0 && !visit(start, end)) return true;
    at = end;
  }
  return at === data.length;
}

function eachAnnexB(data: Uint8Array, visit: (start: number, end: number) => boolean): boolean {
  let start = nextStartCode(data, 0);
  if (start < 0) return false;
  while (start >= 0) {
    // `next` is the index after a start code of three bytes; the unit before it ends where the start code
    // begins.
    const next = nextStartCode(data, start);
    const end = next < 0 ? data.length : next - 3;
    if (end > start && !visit(start, end)) return true;
    start = next;
  }
  return true;
}

/** Index after the next start code 00 00 01 at or after `from`; -1 when there is none. */
export function nextStartCode(data: Uint8Array, from: number): number {
  for (let at = data.indexOf(1, from + 2); at >= 0; at = data.indexOf(1, at + 1)) {
    if (data[at - 1] === 0 && data[at - 2] === 0) return at + 1;
  }
  return -1;
}

/** Reads bits, most significant first, skipping the emulation prevention bytes of a NAL unit. */
export class BitReader {
  readonly #data: Uint8Array;
  readonly #end: number;
  #at: number;
  #bit = 0;
  #zeros = 0;

  constructor(data: Uint8Array, start: number, end: number) {
    this.#data = data;
    this.#at = start;
    this.#end = end;
  }

  /** The next bit; past the end, zeros. */
  bit(): number {
    if (this.#at >= this.#end) return 0;
    const value = (this.#data[this.#at]! >> (7 - this.#bit)) & 1;
    if (++this.#bit === 8) this.#nextByte();
    return value;
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.bit();
    return value;
  }

  /** An unsigned Exp-Golomb number; -1 when the bits are not one. */
  golomb(): number {
    let zeros = 0;
    while (this.bit() === 0) if (++zeros > 31 || this.#at >= this.#end) return -1;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  #nextByte() {
    this.#bit = 0;
    this.#zeros = this.#data[this.#at] === 0 ? this.#zeros + 1 : 0;
    this.#at++;
    if (this.#zeros >= 2 && this.#data[this.#at] === 3) {
      this.#at++;
      this.#zeros = 0;
    }
  }
}
