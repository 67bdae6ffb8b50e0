// Boxes of ISO base media files (ISO/IEC 14496-12) in memory, and numbers in them.
import { OutsideFile } from '../byte-source.ts';

export interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** The boxes that follow each other in `bytes`. Throws OutsideFile for one that is longer than what is there. */
export function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    const short = bytes.readUInt32BE(at);
    const wide = short === 1;
    if (wide && at + 16 > bytes.length) throw new OutsideFile();
    const size = wide ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const head = wide ? 16 : 8;
    if (size < head || at + size > bytes.length) throw new OutsideFile();
    boxes.push({ type, body: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}

/** Reads the fields of a box in order. Throws OutsideFile at the end of the box. */
export class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** An unsigned number of 0 to 8 bytes. */
  u(length: number): number {
    if (length === 0) return 0;
    const at = this.#take(length);
    if (length === 8) return Number(this.#bytes.readBigUInt64BE(at));
    return this.#bytes.readUIntBE(at, length);
  }

  i32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  /** Four characters. */
  code(): string {
    const at = this.#take(4);
    return this.#bytes.toString('latin1', at, at + 4);
  }

  /** Up to the next zero, which is read too. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new OutsideFile();
    const text = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  rest(): Buffer {
    const rest = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return rest;
  }

  /** Version and flags of a full box. */
  full(): { readonly version: number; readonly flags: number } {
    return { version: this.u(1), flags: this.u(3) };
  }

  #take(length: number): number {
    if (length > this.left) throw new OutsideFile();
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
