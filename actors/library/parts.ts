// Parts of the library, and iteration over everything that a folder holds.
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Ref } from '../../runtime/ref.ts';
import type { Tasks } from '../analysis/contract.ts';
import type { decoderContract } from '../decoder/contract.ts';
import type { Proxies } from '../exporter/proxies/contract.ts';
import type { indexContract } from '../index/contract.ts';
import type { HeldMedia } from '../index/library/contract.ts';
import type { Roots } from '../index/roots/contract.ts';
import { libraryErrors } from './contract.ts';

export interface LibraryParts {
  readonly index: Ref<typeof indexContract>;
  readonly prober: Ref<typeof decoderContract>;
  readonly tasks: Pick<Tasks, 'unfinished' | 'list' | 'failures'>;
  readonly proxies: Pick<Proxies, 'remove'>;
  readonly roots: Pick<Roots, 'list' | 'awayOf'>;
  readonly modelsFolder: string;
}

/** Media of one message. */
const PAGE = 500;
/** Files looked at together: a drive that does not answer must not take every thread that waits for disks. */
export const TOGETHER = 2;

/** Everything in a folder of footage, or all there is for null. */
export async function allHeld(
  { index }: LibraryParts,
  cache_dir: string,
  under: string | null,
  signal: AbortSignal,
): Promise<HeldMedia[]> {
  const all: HeldMedia[] = [];
  for (;;) {
    const page = { cache_dir, under, offset: all.length, limit: PAGE };
    const { media, total } = await index.ask('held_media', page, { signal });
    all.push(...media);
    if (all.length >= total || media.length === 0) return all;
  }
}

/** Paths that the running task still works on in this folder; empty when it works elsewhere. */
export async function pathsInWork({ tasks }: LibraryParts, cacheDir: string): Promise<ReadonlySet<string>> {
  const work = await tasks.unfinished();
  if (work === null) return new Set();
  const [folder, otherFolder] = await Promise.all([cacheDir, work.cache_dir].map(realName));
  return folder === otherFolder ? work.paths : new Set();
}

async function realName(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

export function inWork(path: string) {
  return libraryErrors.IN_WORK(
    `${path} is part of a running task; cancel the task or wait for it to end. Nothing was changed`,
    { path },
  );
}
