// Looks at folders that may lie on a share that does not answer: none is waited for long, and none is asked
// twice while it hangs, because each such question takes one of the few threads that wait for disks.
import { access, constants, realpath, stat, statfs } from 'node:fs/promises';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/files/error-code.ts';
import { isPseudoFolder } from '../../../runtime/files/pseudo-folder.ts';
import { databaseFile } from '../../index/store/names.ts';

const LIMIT_MS = 5_000;

/** `real`: its name without links. */
export type Look =
  | { readonly kind: 'folder'; readonly real: string; readonly writable: boolean }
  | { readonly kind: 'missing' | 'other' | 'pseudo' | 'silent'; readonly why: string };

/** What is asked of the disk. */
export interface DiskCalls {
  lookAt(path: string): Promise<Look>;
  storeAt(path: string): Promise<{ readonly id: string | null }>;
}

interface Pending {
  readonly answer: Promise<unknown>;
  readonly since: number;
}

export class Looks {
  readonly #clock: Clock;
  readonly #disk: DiskCalls;
  readonly #pending = new Map<string, Pending>();

  constructor(clock: Clock, disk: DiskCalls = { lookAt, storeAt }) {
    this.#clock = clock;
    this.#disk = disk;
  }

  /** What lies at an absolute path. */
  async folder(path: string): Promise<Look> {
    const look = await this.#within(`folder ${path}`, () => this.#disk.lookAt(path));
    return look ?? { kind: 'silent', why: 'does not answer' };
  }

  /** Names the store of an analysis folder, whatever the name of the folder: null while it holds none. */
  async store(path: string): Promise<{ readonly id: string | null } | null> {
    return this.#within(`store ${path}`, () => this.#disk.storeAt(path));
  }

  /** Null when it does not answer. */
  async #within<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const { pending, isNew } = this.#ask(key, work);
    const left = LIMIT_MS - (this.#clock.now() - pending.since);
    if (!isNew && left <= 0) return null;
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const disarm = this.#clock.after(left, () => resolve(null));
    try {
      return await Promise.race([pending.answer as Promise<T>, late]);
    } finally {
      disarm();
    }
  }

  #ask<T>(key: string, work: () => Promise<T>): { pending: Pending; isNew: boolean } {
    const before = this.#pending.get(key);
    if (before) return { pending: before, isNew: false };
    const answer = work().finally(() => this.#pending.delete(key));
    const pending = { answer, since: this.#clock.now() };
    this.#pending.set(key, pending);
    return { pending, isNew: true };
  }
}

async function lookAt(path: string): Promise<Look> {
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) return { kind: 'other', why: 'is not a folder' };
    if (isPseudoFolder((await statfs(path)).type, stats.dev))
      return { kind: 'pseudo', why: 'is made up by the system and holds no media' };
    const writable = await access(path, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    return { kind: 'folder', real: await realpath(path), writable };
  } catch (error) {
    const code = codeOf(error);
    const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
    return { kind: 'missing', why };
  }
}

async function storeAt(path: string): Promise<{ id: string | null }> {
  try {
    const { ino, birthtimeNs, ctimeNs } = await stat(databaseFile(path), { bigint: true });
    // Where the system does not know when a file was made, it says nothing, or when it changed.
    return { id: birthtimeNs > 0n && birthtimeNs < ctimeNs ? `${ino}-${birthtimeNs}` : `${ino}` };
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { id: null };
    throw error;
  }
}
