// The threads that write clips and proxies, each one file at a time. None else has work for them.

import { readlinkSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { rm } from '../../../runtime/files/names.ts';
import type { Log } from '../../../runtime/log.ts';
import { hasEnded, type ProcessIdentity, thisProcess } from '../../../runtime/process/identity.ts';
import type { Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import type { decoderContract } from '../../decoder/contract.ts';

export type ClipWriter = Ref<typeof decoderContract>;

export class Writers {
  readonly #idle: ClipWriter[];
  readonly #permits: Semaphore;

  /** At least one. */
  constructor(writers: readonly ClipWriter[]) {
    this.#idle = [...writers];
    this.#permits = new Semaphore(writers.length);
  }

  /** Pieces of work that wait for a thread. */
  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Throws CANCELLED when the signal aborts while it waits. */
  run<T>(work: (writer: ClipWriter) => Promise<T>, signal: AbortSignal): Promise<T> {
    const alone = async () => {
      const writer = this.#idle.shift()!;
      try {
        return await work(writer);
      } finally {
        this.#idle.push(writer);
      }
    };
    return this.#permits.run(alone, { signal });
  }
}

// The files that clips are while they are written. Their names say which process writes them, so that what a
// killed one left is removed when somebody writes clips into the folder again.

/**
 * Identity of a process and the namespace of its id: each container of a machine counts its own processes.
 */
export interface PartOwner extends ProcessIdentity {
  /** Linux' number of the space of process ids; empty elsewhere. */
  readonly space: string;
}

/** Ms after which nobody writes to a part any more of which only the id of the process is known. */
const untouched = 24 * 3600 * 1000;
/** A name of a host that is longer is known by its beginning. */
const mostHost = 80;

export function thisOwner(): PartOwner {
  return { ...thisProcess(), space: processSpace() };
}

function processSpace(): string {
  if (process.platform !== 'linux') return '';
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  } catch {
    return ''; // No /proc here.
  }
}

/** `id`: of the part, among those of the process. */
export function partName({ host, pid, started, space }: PartOwner, id: string): string {
  return `.framehound~${hostOf(host)}~${pid}~${started.replace('/', '_')}~${space}~${id}.clip.part`;
}

const hostOf = (host: string) => encodeURIComponent(host).replace(/[~*]/g, '_').slice(0, mostHost);

/**
 * Owner of a part file named by `partName`, whose host is the beginning of the encoded one. Null for any
 * other name.
 */
export function ownerOf(name: string): PartOwner | null {
  const match = /^\.framehound~([^~]*)~(\d{1,9})~([\w-]*)~(\d*)~[\w-]+\.clip\.part$/.exec(name);
  if (!match) return null;
  const [, host, pid, started, space] = match as unknown as [string, string, string, string, string];
  return { host, pid: Number(pid), started: started.replace('_', '/'), space };
}

/** True when nobody writes to the part any more. `age`: ms since it was last written to. */
export function isAbandoned(owner: PartOwner, self: PartOwner, age: number): boolean {
  if (owner.host !== hostOf(self.host) || !hasEnded({ ...owner, host: self.host })) return false;
  // After a restart, and in another container, the same id is that of another process.
  const boot = ({ started }: PartOwner) => started.split('/')[0];
  return (owner.space === self.space && boot(owner) === boot(self)) || age > untouched;
}

/** True for errors of a path that cannot have a file: nothing stays there. */
export function isNowhere(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
}

/**
 * Removes what killed processes left in a folder, which need not exist. `now`: Unix ms. Never throws: what
 * stays is logged.
 */
export async function sweepParts(folder: string, log: Log, now: () => number = Date.now): Promise<void> {
  const self = thisOwner();
  const failed = (error: unknown) => {
    // Somebody else may sweep too.
    if (!isNowhere(error)) log.warn('a partial clip may be left behind', { folder, error });
  };
  const names = await readdir(folder).catch((error) => {
    failed(error);
    return [];
  });
  for (const name of names) {
    const owner = ownerOf(name);
    if (owner) await sweep(join(folder, name), owner).catch(failed);
  }

  async function sweep(part: string, owner: PartOwner) {
    const stat = await lstat(part);
    if (!stat.isFile() || !isAbandoned(owner, self, now() - stat.mtimeMs)) return;
    await rm(part, { force: true });
    log.info('removed a partial clip left by a killed process', { part });
  }
}
