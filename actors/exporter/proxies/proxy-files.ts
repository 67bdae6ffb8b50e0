// The proxies of an analysis folder, as files: HASH.SIDE.mp4, or HASH.0.m4a of sound. What is being written has another name.
import { lstat, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../runtime/files/error-code.ts';

export const proxyFolder = (cacheDir: string): string => join(cacheDir, 'proxies');

export interface KeptProxy {
  readonly path: string;
  readonly hash_str: string;
  /** Longest side that was asked for; Infinity for sound. */
  readonly max_side: number;
  readonly size_bytes: number;
  /** When it was asked for last, Unix ms. */
  readonly used_ms: number;
}

/** `hash`: of a content, hex digits and dashes. */
export function proxyName(hash: string, maxSide: number, extension: string): string {
  return `${hash}.${extension === 'm4a' ? 0 : maxSide}.${extension}`;
}

const pattern = /^([0-9a-f][0-9a-f-]{0,99})\.(\d{1,6})\.(mp4|m4a)$/;

/** Whole ones only. Of one content when `hash` is given. */
export async function proxiesIn(cacheDir: string, hash?: string): Promise<KeptProxy[]> {
  const folder = proxyFolder(cacheDir);
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });
  const found: KeptProxy[] = [];
  for (const name of names) {
    const [, hash_str = '', side, extension] = pattern.exec(name) ?? [];
    if (hash_str === '' || (hash !== undefined && hash_str !== hash)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => null); // Removed meanwhile.
    if (!stats?.isFile()) continue;
    const max_side = extension === 'm4a' ? Number.POSITIVE_INFINITY : Number(side);
    found.push({ path, hash_str, max_side, size_bytes: stats.size, used_ms: stats.mtimeMs });
  }
  return found;
}

/** In a folder that cannot be written any more nothing is removed either. */
export async function markUsed({ path }: KeptProxy, now: number): Promise<void> {
  await utimes(path, now / 1000, now / 1000).catch(() => {});
}

export async function removeProxies(proxies: readonly KeptProxy[]): Promise<void> {
  for (const { path } of proxies) await rm(path, { force: true });
}

/** Those that have to go for all to fit into `most` bytes, the longest unused first; `kept` stays. Pure. */
export function surplus(proxies: readonly KeptProxy[], most: number, kept: string): KeptProxy[] {
  let left = proxies.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const gone: KeptProxy[] = [];
  for (const proxy of proxies.toSorted((a, b) => a.used_ms - b.used_ms)) {
    if (left <= most) break;
    if (proxy.path === kept) continue;
    gone.push(proxy);
    left -= proxy.size_bytes;
  }
  return gone;
}
