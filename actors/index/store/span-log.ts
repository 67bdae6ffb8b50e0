// One file with the spans of interrupted work: a header that says which work, then a block a span. Each
// checksum goes on from the one before, so what was cut short by a crash, or written over by another process,
// ends the log before it.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Disk, disk, flush, writeAll } from './disk.ts';
import { isMissing, storeFault } from './faults.ts';

/** Of the file. A log of another version is no log: only time is lost. */
const version = 1;
const magic = 0x4c534846; // 'FHSL'
/** Length, checksum, position. */
const headBytes = 16;
/** A longer block was never written; of the buffer of one that claims more nothing is allocated. */
const mostBytes = 1 << 30;

export interface SpanBlock {
  readonly position: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The first block: what the spans are of, and the file beside the log that holds their bulk. */
export interface SpanHeader {
  readonly stage: string;
  readonly hash_str: string;
  readonly model_key: string;
  readonly path: string;
  readonly settings: string;
  readonly task_id: string;
  /** Name in the same folder; empty where there is none. */
  readonly part: string;
}

export class SpanLog {
  readonly file: string;
  readonly header: SpanHeader;
  readonly #fd: number;
  readonly #on: Disk;
  #end = 0;
  #crc = magic + version;
  #open = true;

  private constructor(file: string, header: SpanHeader, fd: number, on: Disk) {
    this.file = file;
    this.header = header;
    this.#fd = fd;
    this.#on = on;
  }

  /** A log that lies there is replaced. *Flushed* with its first span. */
  static create(file: string, header: SpanHeader, on: Disk = disk): SpanLog {
    let fd: number;
    try {
      fd = openSync(file, 'w+');
    } catch (error) {
      throw storeFault(error, file, 'write');
    }
    const log = new SpanLog(file, header, fd, on);
    try {
      log.#write(0, Buffer.from(JSON.stringify(header)));
    } catch (error) {
      log.close();
      throw error;
    }
    return log;
  }

  /** Null when there is none, or it cannot be read as one. */
  static open(file: string, access: 'r' | 'r+', on: Disk = disk): SpanLog | null {
    let fd: number;
    try {
      fd = openSync(file, access);
    } catch (error) {
      if (isMissing(error)) return null;
      throw storeFault(error, file, access === 'r' ? 'read' : 'write');
    }
    const probe = new SpanLog(file, noHeader, fd, on);
    const header = headerOf(probe.#next());
    if (header === null) {
      probe.close();
      return null;
    }
    const log = new SpanLog(file, header, fd, on);
    log.#end = probe.#end;
    log.#crc = probe.#crc;
    return log;
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
    this.#write(position, bytes);
    flush(this.#on, this.#fd, this.file);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  #write(position: number, bytes: Uint8Array): void {
    const block = Buffer.alloc(headBytes + bytes.byteLength);
    block.writeUInt32LE(bytes.byteLength, 0);
    block.writeDoubleLE(position, 8);
    block.set(bytes, headBytes);
    const crc = crc32(block.subarray(8), this.#crc);
    block.writeUInt32LE(crc, 4);
    writeAll(this.#on, this.#fd, this.file, block, this.#end);
    this.#end += block.byteLength;
    this.#crc = crc;
    try {
      // What a crash left behind the last whole span.
      if (fstatSync(this.#fd).size > this.#end) ftruncateSync(this.#fd, this.#end);
    } catch (error) {
      throw storeFault(error, this.file, 'write');
    }
  }

  /** The next block, null at the end or where it is broken. */
  #next(): SpanBlock | null {
    const head = this.#read(this.#end, headBytes);
    const length = head?.readUInt32LE(0) ?? mostBytes;
    if (length >= mostBytes || this.#end + headBytes + length > fstatSync(this.#fd).size) return null;
    const block = this.#read(this.#end + 8, headBytes - 8 + length);
    if (block === null || crc32(block, this.#crc) !== head?.readUInt32LE(4)) return null;
    this.#crc = head.readUInt32LE(4);
    this.#end += headBytes + length;
    return { position: block.readDoubleLE(0), bytes: Uint8Array.from(block.subarray(8)) };
  }

  #read(position: number, length: number): Buffer | null {
    const bytes = Buffer.alloc(length);
    try {
      let done = 0;
      while (done < length) {
        const got = readSync(this.#fd, bytes, done, length - done, position + done);
        if (got === 0) return null;
        done += got;
      }
      return bytes;
    } catch (error) {
      throw storeFault(error, this.file, 'read');
    }
  }
}

const names = ['stage', 'hash_str', 'model_key', 'path', 'settings', 'task_id', 'part'] as const;
const noHeader = Object.fromEntries(names.map((name) => [name, ''])) as unknown as SpanHeader;

function headerOf(block: SpanBlock | null): SpanHeader | null {
  if (block === null) return null;
  try {
    const header = JSON.parse(Buffer.from(block.bytes).toString('utf8')) as Record<string, unknown>;
    if (!names.every((name) => typeof header[name] === 'string')) return null;
    const known = header as unknown as SpanHeader;
    return basename(known.part) === known.part ? known : null;
  } catch {
    return null; // Whoever wrote it, it is no header of ours.
  }
}
