// The door to what gives, moves and takes away the names of files: everything else imports these functions
// from here and not from Node. They are those of Node, but on Windows they try again when the system refuses.
// There a virus scanner, an indexer or a reader that has a file open makes the system refuse to move or
// remove it, and a name whose deletion is pending cannot be given again; both end after a moment.
import * as disk from 'node:fs';
import * as diskLater from 'node:fs/promises';
import { codeOf } from '../errors.ts';

/** Ms before each next try: a call that blocks its thread gives up after 1.3 s, another one after 15 s. */
const blockingWaits = [10, 20, 40, 80, 160, 320, 640];
const waits = [...blockingWaits, ...Array.from({ length: 14 }, () => 1_000)];

/** System under these functions. Tests replace it (`onSystem`). */
interface NameSystem {
  readonly platform: NodeJS.Platform;
  block(ms: number): void;
  wait(ms: number): Promise<void>;
}

const real: NameSystem = {
  platform: process.platform,
  block: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

let system = real;

/** For tests: everything of this thread takes it for the system until the function it answers is called. */
export function onSystem(replacement: Partial<NameSystem>): () => void {
  system = { ...real, ...replacement };
  return () => {
    system = real;
  };
}

const refusals = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * True if the system may refuse because another program has the file open, which passes. Always false outside
 * Windows.
 */
export function isInUse(error: unknown): boolean {
  return system.platform === 'win32' && refusals.includes(codeOf(error));
}

/** A folder also counts as filled while the deletion of what was in it is pending. */
function mayPass(error: unknown): boolean {
  return isInUse(error) || (system.platform === 'win32' && codeOf(error) === 'ENOTEMPTY');
}

function insist<T>(attempt: () => T): T {
  for (const ms of blockingWaits) {
    try {
      return attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    system.block(ms);
  }
  return attempt();
}

async function insistLater<T>(attempt: () => Promise<T>): Promise<T> {
  for (const ms of waits) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await system.wait(ms);
  }
  return attempt();
}

export function renameSync(from: string, to: string): void {
  insist(() => disk.renameSync(from, to));
}

export function linkSync(existing: string, path: string): void {
  insist(() => disk.linkSync(existing, path));
}

/** Takes a name that is free by an empty file. Throws EEXIST where it is not. */
export function reserveSync(path: string): void {
  disk.closeSync(insist(() => disk.openSync(path, 'wx')));
}

export function rmSync(path: string, options: disk.RmOptions = {}): void {
  insist(() => disk.rmSync(path, options));
}

export function rename(from: string, to: string): Promise<void> {
  return insistLater(() => diskLater.rename(from, to));
}

export function rm(path: string, options: disk.RmOptions = {}): Promise<void> {
  return insistLater(() => diskLater.rm(path, options));
}

/** Removes an empty folder. */
export function rmdir(path: string): Promise<void> {
  return insistLater(() => diskLater.rmdir(path));
}

/**
 * Removes what nobody needs any more, for a `catch` or a `finally`: it throws nothing, so that an error
 * before it stays the one that is thrown. What cannot be removed is left over.
 */
export function discardSync(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left over.
  }
}

/** The same for whoever may wait. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}
