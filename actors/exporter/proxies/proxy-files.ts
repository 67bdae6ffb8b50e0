// The proxies of an analysis folder, as files: HASH.SIDE.mp4, or HASH.0.m4a of sound. What is being written
// has another name.
import { lstat, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../runtime/files/error-code.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { isNowhere } from '../clips/part-files.ts';

export const proxyFolder = (cacheDir: string): string => join(cacheDir, 'proxies');

export interface StoredProxy {
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
export function proxyName(hash: string, maxSide: number, extension: string): string {
  return `${hash}.${extension === 'm4a' ? 0 : maxSide}.${extension}`;
}

const pattern = /^([0-9a-f][0-9a-f-]{0,99})\.(\d{1,6})\.(mp4|m4a)$/;

/** Whole ones only. Of one content when `hash` is given. Throws STORE_UNAVAILABLE. */
export async function proxiesIn(cacheDir: string, hash?: string): Promise<StoredProxy[]> {
  const folder = proxyFolder(cacheDir);
  const names = await readdir(folder).catch((error) => {
    if (isNowhere(error)) return [];
    const what = `${folder} cannot be read (${codeOf(error)})`;
    throw storeErrors.STORE_UNAVAILABLE(what, { folder }, error);
  });
  const found: StoredProxy[] = [];
  for (const name of names) {
    const [, hash_str = '', side, extension] = pattern.exec(name) ?? [];
    if (hash_str === '' || (hash !== undefined && hash_str !== hash)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => null); // Removed meanwhile.
    if (!stats?.isFile()) continue;
    const made_s = Math.floor(stats.mtimeMs / 1000);
    const max_side = extension === 'm4a' ? Number.POSITIVE_INFINITY : Number(side);
    found.push({ path, hash_str, max_side, size_bytes: stats.size, used_ms: stats.atimeMs, made_s });
  }
  return found;
}

/**
 * By the time of the last access: that of the last change stays, for players tell by it that the file is the
 * same. It is of whole seconds, which every system writes back as they were read. In a folder that cannot be
 * written any more nothing is removed either. `now`: Unix ms.
 */
export async function markUsed(
  { path, made_s }: Pick<StoredProxy, 'path' | 'made_s'>,
  now: number,
): Promise<void> {
  await utimes(path, now / 1000, made_s).catch(() => {});
}

export async function removeProxies(proxies: readonly StoredProxy[]): Promise<void> {
  for (const { path } of proxies) await rm(path, { force: true });
}

/** A use that lies farther ahead was marked by a clock that was wrong. */
const AHEAD_MS = 24 * 3600_000;

/**
 * Those that have to go for all to fit into `most` bytes, the longest unused first; `kept` stays. One whose
 * time is not known goes first: else it would stay until the clock is there again. `now`: Unix ms.
 */
export function surplus(
  proxies: readonly StoredProxy[],
  most: number,
  kept: string,
  now: number,
): StoredProxy[] {
  const usedOf = ({ used_ms }: StoredProxy) => (used_ms > now + AHEAD_MS ? 0 : used_ms);
  let left = proxies.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const gone: StoredProxy[] = [];
  for (const proxy of proxies.toSorted((a, b) => usedOf(a) - usedOf(b))) {
    if (left <= most) break;
    if (proxy.path === kept) continue;
    gone.push(proxy);
    left -= proxy.size_bytes;
  }
  return gone;
}
