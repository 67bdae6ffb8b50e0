// Spans of interrupted work in an analysis folder, in `open/`: bundles that only the same work on the same
// content resumes. They are separate from results, so a half film is never taken for a whole one.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { rmSync } from '../../../runtime/files/names.ts';
import { type About, aboutOf, type BundleFile, Bundles } from './bundles.ts';
import type { SpanKey } from './contract.ts';
import { disk, type StoreDisk } from './disk.ts';
import { storeFault } from './faults.ts';
import { checkedHash, openFolder } from './names.ts';

// A bundle of the spans of interrupted work: a block a span. Each checksum goes on from the one before, so
// what was cut short by a crash, or written over by another process, ends the log before it.

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
    // Removes data behind the last whole span, which remains from a crash.
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

const logEnd = '.spans';

/** Spans that were not resumed for this time are removed. */
export const keptForMs = 14 * 24 * 3600 * 1000;

export interface SpansOptions {
  readonly on?: StoreDisk;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class Spans {
  readonly #folder: string;
  readonly #bundles: Bundles;
  readonly #now: () => number;

  constructor(folder: string, { on = disk, now = Date.now }: SpansOptions = {}) {
    this.#folder = openFolder(folder);
    this.#bundles = new Bundles(folder, on);
    this.#now = now;
  }

  /**
   * The log that goes on with this work, null when there is none. What was kept for other work on the same is
   * removed.
   */
  open(key: SpanKey): SpanLog | null {
    const name = this.#find(key, logEnd);
    const file = name === null ? null : this.#bundles.takeUp(name);
    return file && new SpanLog(file);
  }

  /** A new log; one that is there is replaced. */
  create(key: SpanKey): SpanLog {
    return new SpanLog(this.#bundles.create(`${nameOf(key)}${logEnd}`, aboutSpan(key)));
  }

  /** The entries of the folder survive a power cut. */
  flush(): void {
    this.#bundles.flushNames();
  }

  /** Name, without `end`, of the bundle that continues this work and becomes its result. */
  find(key: SpanKey, end: string): string | null {
    return this.#find(key, end)?.slice(0, -end.length) ?? null;
  }

  /** Prefix of the names of new ones. */
  prefix(key: SpanKey): string {
    return `${nameOf(key)}-`;
  }

  #find(key: SpanKey, end: string): string | null {
    this.removeForgotten();
    this.#removeOthers(key);
    const entries = this.#entries().filter((entry) => isOf(entry, key));
    const candidates = entries.filter((entry) => entry.endsWith(end));
    for (const entry of candidates) if (isSame(this.#about(entry), key)) return entry;
    for (const entry of entries) this.#remove(entry);
    return null;
  }

  all(key: SpanKey): SpanBlock[] {
    const log = this.open(key);
    if (log === null) return [];
    try {
      return [...log.blocks()];
    } finally {
      log.close();
    }
  }

  /** *Flushed* on return. */
  add(key: SpanKey, position: number, bytes: Uint8Array): void {
    const before = this.open(key);
    const log = before ?? this.create(key);
    try {
      for (const _ of log.blocks());
      log.append(position, bytes);
      if (before === null) this.flush();
    } finally {
      log.close();
    }
  }

  forget(key: SpanKey): void {
    for (const entry of this.#entries()) if (isOf(entry, key)) this.#remove(entry);
  }

  /** Removes spans of all work on these contents but `keptStages`, that of open stages. Needs the lease. */
  forgetContents(
    hashes: ReadonlySet<string>,
    keptStages: readonly { readonly hash: string; readonly modelKey: string }[] = [],
  ): void {
    for (const entry of this.#entries()) {
      const hash = entry.slice(0, entry.indexOf('.'));
      if (!hashes.has(hash)) continue;
      const stagesOfHash = keptStages.filter((stage) => stage.hash === hash);
      const isKept =
        stagesOfHash.length > 0 &&
        stagesOfHash.some(({ modelKey }) => modelKey === this.#about(entry)?.model_key);
      if (!isKept) this.#remove(entry);
    }
  }

  /** Removes what nobody took up for long. */
  removeForgotten(): void {
    const before = this.#now() - keptForMs;
    for (const entry of this.#entries()) {
      const stats = statSync(join(this.#folder, entry), { throwIfNoEntry: false });
      if (stats !== undefined && stats.mtimeMs < before) this.#remove(entry);
    }
  }

  /** Removes spans of the same path if its content has changed. */
  #removeOthers({ path, hash_str }: SpanKey): void {
    for (const entry of this.#entries()) {
      if (entry.startsWith(`${hash_str}.`)) continue;
      if (this.#about(entry)?.span?.path === path) this.#remove(entry);
    }
  }

  #about(entry: string): About | null {
    return aboutOf(join(this.#folder, entry));
  }

  #entries(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw storeFault(error, this.#folder, 'read');
    }
  }

  #remove(entry: string): void {
    const file = join(this.#folder, entry);
    try {
      rmSync(file, { force: true });
    } catch {
      // Open in another process on a system that keeps such names, or a folder that cannot be written now:
      // later.
    }
  }
}

/** Subject of the bundles of this work. */
export function aboutSpan({ task_only: _, ...span }: SpanKey, dimensions = 0): About {
  return { hash_str: span.hash_str, model_key: span.model_key, dimensions, span };
}

function nameOf({ stage, model_key, hash_str }: SpanKey): string {
  const work = createHash('sha256')
    .update(JSON.stringify([stage, model_key]))
    .digest('hex');
  return `${checkedHash(hash_str)}.${work.slice(0, 16)}`;
}

function isOf(entry: string, key: SpanKey): boolean {
  const name = nameOf(key);
  return entry.startsWith(name) && '.-'.includes(entry[name.length] ?? ' ');
}

function isSame(about: About | null, key: SpanKey): boolean {
  const span = about?.span;
  return (
    span?.stage === key.stage &&
    span.hash_str === key.hash_str &&
    span.model_key === key.model_key &&
    span.settings === key.settings &&
    (!key.task_only || span.task_id === key.task_id)
  );
}
