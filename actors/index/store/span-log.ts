// A bundle of the spans of interrupted work: a block a span. Each checksum goes on from the one before, so
// what was cut short by a crash, or written over by another process, ends the log before it.
import { crc32 } from 'node:zlib';
import type { BundleFile } from './bundle-file.ts';

/** Length, checksum, position. */
const headBytes = 16;
/** A longer block was never written; of the buffer of one that claims more nothing is allocated. */
const mostBytes = 1 << 30;

export interface SpanBlock {
  readonly position: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class SpanLog {
  readonly #file: BundleFile;
  #end = 0;
  #crc = 0;

  /** `file` is the log's to close. */
  constructor(file: BundleFile) {
    this.#file = file;
  }

  /** The spans that are whole; the next one is written behind the last that was taken. */
  *blocks(takes: (block: SpanBlock) => boolean = () => true): Generator<SpanBlock> {
    for (;;) {
      const [end, crc] = [this.#end, this.#crc];
      const block = this.#next();
      if (block === null) return;
      if (!takes(block)) {
        [this.#end, this.#crc] = [end, crc];
        return;
      }
      yield block;
    }
  }

  /** *Flushed* on return. For a log of which all blocks were read. */
  append(position: number, bytes: Uint8Array): void {
    const block = Buffer.alloc(headBytes + bytes.byteLength);
    block.writeUInt32LE(bytes.byteLength, 0);
    block.writeDoubleLE(position, 8);
    block.set(bytes, headBytes);
    const crc = crc32(block.subarray(8), this.#crc);
    block.writeUInt32LE(crc, 4);
    this.#file.write(this.#end, block);
    this.#end += block.byteLength;
    this.#crc = crc;
    // What a crash left behind the last whole span.
    this.#file.cut(this.#end);
    this.#file.flush();
  }

  close(): void {
    this.#file.close();
  }

  /** The next block, null at the end or where it is broken. */
  #next(): SpanBlock | null {
    const size = this.#file.end;
    if (this.#end + headBytes > size) return null;
    const head = Buffer.alloc(headBytes);
    this.#file.read(this.#end, head);
    const length = head.readUInt32LE(0);
    if (length >= mostBytes || this.#end + headBytes + length > size) return null;
    const bytes = new Uint8Array(length);
    this.#file.read(this.#end + headBytes, bytes);
    const crc = crc32(bytes, crc32(head.subarray(8), this.#crc));
    if (crc !== head.readUInt32LE(4)) return null;
    this.#crc = crc;
    this.#end += headBytes + length;
    return { position: head.readDoubleLE(8), bytes };
  }
}
