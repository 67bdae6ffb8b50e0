// The coordinator of proxies: has a writer make them, gives those that are whole their names, and keeps their
// number small.
import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { codeOf, EngineError, engineErrors } from '../../../runtime/errors.ts';
import { makeFolder } from '../../../runtime/files/folder.ts';
import { rename, rm } from '../../../runtime/files/names.ts';
import type { Log } from '../../../runtime/log.ts';
import { clipErrors, type ProxyMade } from '../../decoder/clips/contract.ts';
import { mediaErrors, modifiedMs } from '../../decoder/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { MediaFile, Search } from '../../search/contract.ts';
import { isNowhere, partName, sweepParts, thisOwner, type Writers } from '../clips/writers.ts';
import type { Proxies, ProxySpec, ProxyWritten } from './contract.ts';

interface ProxyParts {
  readonly writers: Writers;
  readonly mediaFile: Search['mediaFile'];
  /** Bytes that all proxies of a folder may take. */
  readonly mostBytes: number;
  readonly log: Log;
  /** Unix ms. */
  readonly now: () => number;
}

/** FFmpeg's number of a disk that is full. */
const full = -28;

export function createProxies(parts: ProxyParts): Proxies {
  const maker = new ProxyMaker(parts);
  return {
    find: async ({ cache_dir, hash_str, max_side = 0 }) => {
      const all = await proxiesIn(cache_dir, hash_str);
      const [best] = all
        .filter((proxy) => proxy.max_side >= max_side)
        .toSorted((a, b) => b.max_side - a.max_side);
      if (!best) return null;
      await markUsed(best, parts.now());
      return { path: best.path, size_bytes: best.size_bytes };
    },
    make: (spec, signal, progress) => maker.make(spec, signal, progress),
    remove: async (cacheDir, hashes) => {
      const removed = new Set(hashes);
      await removeProxies((await proxiesIn(cacheDir)).filter(({ hash_str }) => removed.has(hash_str)));
    },
  };
}

class ProxyMaker {
  readonly #parts: ProxyParts;
  readonly #owner = thisOwner();

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  async make(
    spec: ProxySpec,
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<ProxyWritten> {
    const { cache_dir, hash_str } = spec;
    const { log, mediaFile } = this.#parts;
    const folder = proxyFolder(cache_dir);
    const request = { cache_dir, hash_str };
    const file = await mediaFile(request, signal);
    makeProxyFolder(folder);
    await sweepParts(folder, log);
    const part = join(folder, partName(this.#owner, randomUUID().slice(0, 8)));
    try {
      const result = await this.#write(file, part, spec.max_side, signal, progress);
      // Forgotten meanwhile, or another file now: then it is the proxy of nothing.
      await expectSame(file, await mediaFile(request, signal));
      return await this.#keep(spec, part, result);
    } catch (error) {
      if (signal.aborted) throw engineErrors.CANCELLED(`${file.path}: its proxy`, {}, error);
      throw restatedFor(folder, error);
    } finally {
      await rm(part, { force: true }).catch((error) => {
        if (!isNowhere(error)) log.warn('a partial proxy could not be removed', { part, error });
      });
    }
  }

  #write(
    { path, seconds }: MediaFile,
    output: string,
    max_side: number,
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<ProxyMade> {
    return this.#parts.writers.run(async (writer) => {
      const steps = writer.feed('proxy', { path, output, max_side }, { signal });
      for await (const { seconds: done, made } of steps) {
        if (made) return made;
        if (seconds > 0) progress(Math.min(1, done / seconds));
      }
      throw engineErrors.INTERNAL(`${path}: the proxy is incomplete`);
    }, signal);
  }

  async #keep({ cache_dir, hash_str, max_side }: ProxySpec, part: string, result: ProxyMade) {
    const file = await open(part, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    const path = join(proxyFolder(cache_dir), proxyName(hash_str, max_side, result.extension));
    const others = await proxiesIn(cache_dir, hash_str);
    const now = this.#parts.now();
    await markUsed({ path: part, made_s: Math.floor(now / 1000) }, now);
    await rename(part, path);
    await removeProxies(others.filter((proxy) => proxy.path !== path));
    const all = await proxiesIn(cache_dir);
    const removed = surplus(all, this.#parts.mostBytes, path, now);
    await removeProxies(removed);
    if (removed.length > 0) this.#parts.log.info('removed the oldest proxies', { count: removed.length });
    const { frames, width, height, seconds: duration_seconds } = result;
    const size_bytes = all.find((proxy) => proxy.path === path)?.size_bytes ?? 0;
    return { path, size_bytes, frames, width, height, duration_seconds };
  }
}

/** A copy of the content elsewhere is as good, where nothing else lies at the path that was read. */
async function expectSame(before: MediaFile, now: MediaFile): Promise<void> {
  const there = before.path === now.path ? now.mark : await markOf(before.path);
  if (there === null || isDeepStrictEqual(there, before.mark)) return;
  throw mediaErrors.FILE_CHANGED(`${before.path}: changed while its proxy was being made`, {
    path: before.path,
  });
}

/** Null for what is gone. */
async function markOf(path: string): Promise<MediaFile['mark'] | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  return stats && { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) };
}

function makeProxyFolder(folder: string) {
  try {
    makeFolder(folder);
  } catch (error) {
    throw restatedFor(folder, error);
  }
}

/** Restates an error of a clip as one of the analysis folder: a full folder takes no other proxy either. */
function restatedFor(folder: string, error: unknown): unknown {
  const isFull = clipErrors.CLIP_UNWRITABLE.is(error)
    ? error.details['ffmpeg'] === full
    : ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
  if (isFull)
    return storeErrors.STORE_FULL(`${folder}: ${storeErrors.STORE_FULL.meaning}`, { folder }, error);
  if (error instanceof EngineError || codeOf(error) === '') return error;
  return storeErrors.STORE_READ_ONLY(`${folder}: cannot be written (${codeOf(error)})`, { folder }, error);
}

// The proxies of an analysis folder, as files: HASH.SIDE.mp4, or HASH.0.m4a of sound. What is being written
// has another name.

const proxyFolder = (cacheDir: string): string => join(cacheDir, 'proxies');

interface StoredProxy {
  readonly path: string;
  readonly hash_str: string;
  /** Longest side that was asked for; Infinity for sound. */
  readonly max_side: number;
  readonly size_bytes: number;
  /** When it was asked for last, or read, Unix ms. */
  readonly used_ms: number;
  /** When it was made, whole Unix seconds. */
  readonly made_s: number;
}

/** `hash`: of a content, hex digits and dashes. */
function proxyName(hash: string, maxSide: number, extension: string): string {
  return `${hash}.${extension === 'm4a' ? 0 : maxSide}.${extension}`;
}

const pattern = /^([0-9a-f][0-9a-f-]{0,99})\.(\d{1,6})\.(mp4|m4a)$/;

/** Whole ones only. Of one content when `hash` is given. Throws STORE_UNAVAILABLE. */
async function proxiesIn(cacheDir: string, hash?: string): Promise<StoredProxy[]> {
  const folder = proxyFolder(cacheDir);
  const names = await readdir(folder).catch((error) => {
    if (isNowhere(error)) return [];
    const what = `${folder} cannot be read (${codeOf(error)})`;
    throw storeErrors.STORE_UNAVAILABLE(what, { folder }, error);
  });
  const proxies: StoredProxy[] = [];
  for (const name of names) {
    const [, hash_str = '', side, extension] = pattern.exec(name) ?? [];
    if (hash_str === '' || (hash !== undefined && hash_str !== hash)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => null); // Removed meanwhile.
    if (!stats?.isFile()) continue;
    const made_s = Math.floor(stats.mtimeMs / 1000);
    const max_side = extension === 'm4a' ? Number.POSITIVE_INFINITY : Number(side);
    proxies.push({ path, hash_str, max_side, size_bytes: stats.size, used_ms: stats.atimeMs, made_s });
  }
  return proxies;
}

/**
 * Marks a proxy as used by its access time. The modification time stays, because players detect a changed
 * file by it; it has whole seconds, which every system returns as written. Nothing is removed in a folder
 * that has become read-only. `now`: Unix ms.
 */
async function markUsed({ path, made_s }: Pick<StoredProxy, 'path' | 'made_s'>, now: number): Promise<void> {
  await utimes(path, now / 1000, made_s).catch(() => {});
}

async function removeProxies(proxies: readonly StoredProxy[]): Promise<void> {
  for (const { path } of proxies) await rm(path, { force: true });
}

/** A use that lies farther ahead was marked by a clock that was wrong. */
const AHEAD_MS = 24 * 3600_000;

/**
 * Proxies to remove so that the others fit into `most` bytes, longest unused first; `keptPath` stays. One
 * with an access time in the future goes first, or it would stay until that time. `now`: Unix ms.
 */
function surplus(
  proxies: readonly StoredProxy[],
  most: number,
  keptPath: string,
  now: number,
): StoredProxy[] {
  const usedOf = ({ used_ms }: StoredProxy) => (used_ms > now + AHEAD_MS ? 0 : used_ms);
  let remainingBytes = proxies.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const excess: StoredProxy[] = [];
  for (const proxy of proxies.toSorted((a, b) => usedOf(a) - usedOf(b))) {
    if (remainingBytes <= most) break;
    if (proxy.path === keptPath) continue;
    excess.push(proxy);
    remainingBytes -= proxy.size_bytes;
  }
  return excess;
}
