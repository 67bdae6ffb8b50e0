// The spans of interrupted work in an analysis folder: a log for each work, which only the same work on the
// same content takes up. They lie apart from what is stored, so a half film is never taken for a whole one,
// by no version.
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../runtime/files/make-folder.ts';
import type { SpanKey } from '../spans/contract.ts';
import { type Disk, disk, flushFolder } from './disk.ts';
import { storeFault } from './faults.ts';
import { checkedHash, spanFolder } from './names.ts';
import { type SpanBlock, SpanLog } from './span-log.ts';

const logEnd = '.spans';
export const spanPartEnd = '.part';

/** What nobody took up for so long is forgotten. */
export const keptForMs = 14 * 24 * 3600 * 1000;

export interface SpansOptions {
  readonly on?: Disk;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class Spans {
  readonly #folder: string;
  readonly #on: Disk;
  readonly #now: () => number;

  constructor(folder: string, { on = disk, now = Date.now }: SpansOptions = {}) {
    this.#folder = spanFolder(folder);
    this.#on = on;
    this.#now = now;
  }

  /**
   * The log that goes on with this work, null when there is none. What was kept for other work on the same is
   * removed.
   */
  open(key: SpanKey): SpanLog | null {
    this.removeForgotten();
    const file = this.#file(key);
    this.#removeOthers(key);
    const log = SpanLog.open(file, 'r+', this.#on);
    if (log !== null && isSame(log.header, key)) return log;
    log?.close();
    this.forget(key);
    return null;
  }

  /** A new log; one that lies there is replaced. `part`: the name of the file with its bulk. */
  create(key: SpanKey, part = ''): SpanLog {
    const { stage, hash_str, model_key, path, settings, task_id } = key;
    this.#make();
    return SpanLog.create(
      this.#file(key),
      { stage, hash_str, model_key, path, settings, task_id, part },
      this.#on,
    );
  }

  /** Where the bulk of a part of that name lies. */
  part(name: string): string {
    return join(this.#folder, name);
  }

  /** The name of a new part of this work. */
  partName(key: SpanKey, token: string): string {
    return `${this.#name(key)}.${token}${spanPartEnd}`;
  }

  /** The entries of the folder survive a power cut. */
  flush(): void {
    flushFolder(this.#folder);
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
    const name = this.#name(key);
    for (const entry of this.#entries()) if (entry.startsWith(`${name}.`)) this.#remove(entry);
  }

  /** Of all work on these contents but `kept`, that of open stages. Only for who holds the lease. */
  forgetContents(
    hashes: ReadonlySet<string>,
    kept: readonly { readonly hash: string; readonly modelKey: string }[] = [],
  ): void {
    const entries = this.#entries();
    const spared = kept.flatMap(({ hash, modelKey }) => {
      const isOf = (entry: string) =>
        entry.startsWith(`${hash}.`) && entry.endsWith(logEnd) && this.#header(entry)?.model_key === modelKey;
      return entries.filter(isOf).map((entry) => entry.slice(0, -logEnd.length));
    });
    for (const entry of entries) {
      if (!hashes.has(entry.slice(0, entry.indexOf('.')))) continue;
      if (!spared.some((name) => entry.startsWith(`${name}.`))) this.#remove(entry);
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

  /** Removes parts that no log speaks of. Only for who has just taken the lease. */
  removeParts(): void {
    const entries = this.#entries();
    const parts = new Set(entries.filter((entry) => entry.endsWith(spanPartEnd)));
    if (parts.size === 0) return;
    for (const entry of entries) {
      if (entry.endsWith(logEnd)) parts.delete(this.#header(entry)?.part ?? '');
    }
    for (const part of parts) this.#remove(part);
  }

  /** Of the same path, when something else lies there now. */
  #removeOthers({ path, hash_str }: SpanKey): void {
    for (const entry of this.#entries()) {
      if (!entry.endsWith(logEnd) || entry.startsWith(`${hash_str}.`)) continue;
      const header = this.#header(entry);
      if (header?.path !== path) continue;
      if (header.part !== '') this.#remove(header.part);
      this.#remove(entry);
    }
  }

  #header(entry: string) {
    const log = SpanLog.open(join(this.#folder, entry), 'r', this.#on);
    log?.close();
    return log?.header;
  }

  #name({ stage, model_key, hash_str }: SpanKey): string {
    const work = createHash('sha256')
      .update(JSON.stringify([stage, model_key]))
      .digest('hex');
    return `${checkedHash(hash_str)}.${work.slice(0, 16)}`;
  }

  #file(key: SpanKey): string {
    return join(this.#folder, `${this.#name(key)}${logEnd}`);
  }

  #make(): void {
    try {
      makeFolder(this.#folder);
    } catch (error) {
      throw storeFault(error, this.#folder, 'write');
    }
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

function isSame(header: SpanLog['header'], key: SpanKey): boolean {
  return (
    header.stage === key.stage &&
    header.hash_str === key.hash_str &&
    header.model_key === key.model_key &&
    header.settings === key.settings &&
    (!key.own || header.task_id === key.task_id)
  );
}
