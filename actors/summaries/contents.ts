// Which content a path means: what lies there now, known by the folder or told by its bytes, so that a file that was renamed
// has its summaries; of a file that is gone what was remembered of its path.
import { stat } from 'node:fs/promises';
import type { Contract } from '../../runtime/contract.ts';
import type { CallOptions, Ref } from '../../runtime/ref.ts';
import { sideBySide } from '../../runtime/sync/side-by-side.ts';
import { type decoderContract, type FileIdentity, isMediaError, modifiedMs } from '../decoder/contract.ts';
import { nameContent } from '../index/store/content-name.ts';
import type { storeMessages } from '../index/store/contract.ts';
import type { summaryMessages } from '../index/summaries/contract.ts';

export interface SummariesParts {
  readonly index: Ref<Contract<typeof storeMessages & typeof summaryMessages>>;
  readonly prober: Ref<typeof decoderContract>;
}

/** Paths of one message. */
const together = 500;

/** For each path its hash; null where nothing is known of it, and where `unreadable` says so of a file. */
export async function hashesOf(
  parts: SummariesParts,
  cache_dir: string,
  paths: readonly string[],
  call: CallOptions,
  unreadable: (error: Error) => null,
): Promise<(string | null)[]> {
  const hashes: (string | null)[] = [];
  for (let at = 0; at < paths.length; at += together) {
    const some = paths.slice(at, at + together);
    const { by_path } = await parts.index.ask('find', { cache_dir, paths: some, hashes: [] }, call);
    const found: (string | null)[] = by_path.map((one) => one?.identity.hash_str ?? null);
    await sideBySide(some.entries(), 4, call.signal, async ([i, path], signal) => {
      const mark = await markOf(path);
      const known = by_path[i]?.identity;
      if (mark === null || (known && isSame(known, mark))) return;
      found[i] = await contentAt(parts, cache_dir, path, { ...call, signal }).catch((error: unknown) => {
        if (isMediaError(error)) return unreadable(error);
        throw error;
      });
    });
    hashes.push(...found);
  }
  return hashes;
}

/** The contents that paths and hashes mean, each once, by the path as it was sent; and what is broken about files. */
export async function contentsOf(
  parts: SummariesParts,
  cache_dir: string,
  media_paths: readonly { readonly path: string; readonly sent: string }[],
  hash_strs: readonly string[],
  call: CallOptions,
): Promise<{ askedAs: Map<string, string | undefined>; broken: string[] }> {
  const broken: string[] = [];
  const paths = media_paths.map(({ path }) => path);
  const found = await hashesOf(parts, cache_dir, paths, call, (error) => {
    broken.push(error.message);
    return null;
  });
  const askedAs = new Map<string, string | undefined>();
  for (const [i, hash] of found.entries())
    if (hash !== null && !askedAs.has(hash)) askedAs.set(hash, media_paths[i]!.sent);
  for (const hash of hash_strs) if (!askedAs.has(hash)) askedAs.set(hash, undefined);
  return { askedAs, broken };
}

async function contentAt(
  { index, prober }: SummariesParts,
  cache_dir: string,
  path: string,
  call: CallOptions,
): Promise<string> {
  const identity = await prober.ask('identify', { path }, call);
  const named = await nameContent({ decoder: prober, index, cache_dir, call }, path, identity);
  return named.identity.hash_str;
}

type Mark = Pick<FileIdentity, 'size_bytes' | 'mtime_ms' | 'inode'>;

/** Null for a file that is gone or out of reach. */
async function markOf(path: string): Promise<Mark | null> {
  return stat(path, { bigint: true }).then(
    (stats) =>
      stats.isFile()
        ? { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) }
        : null,
    () => null,
  );
}

function isSame(a: Mark, b: Mark): boolean {
  return a.size_bytes === b.size_bytes && a.mtime_ms === b.mtime_ms && a.inode === b.inode;
}
