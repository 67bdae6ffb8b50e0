// Which content a client means by a path or a hash, what the folder knows of it, and where it can be read
// now.
import { isAbsolute } from 'node:path';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { type decoderContract, type FileIdentity, isMediaError } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { isSame, type Mark, markOf, type NamedContent, nameContent } from '../../index/store/content-name.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { searchErrors } from '../contract.ts';

// Hashes of files, computed once for as long as size, time and inode stay the same.

/** Files remembered. */
const MOST = 4096;

export class Identities {
  readonly #decoder: Ref<typeof decoderContract>;
  readonly #index: Ref<typeof indexContract>;
  readonly #identities = new Map<string, FileIdentity>();

  constructor(decoder: Ref<typeof decoderContract>, index: Ref<typeof indexContract>) {
    this.#decoder = decoder;
    this.#index = index;
  }

  /**
   * With the hash by which the folder knows the content. Reads at most 3 MiB, and more only where the hash
   * alone does not tell which of its contents it is. Errors: those of media and of the store.
   */
  async of(cache_dir: string, path: string, mark: Mark, call: AskOptions): Promise<NamedContent> {
    const cachedIdentity = this.#identities.get(path);
    const identity =
      cachedIdentity && isSame(cachedIdentity, mark)
        ? cachedIdentity
        : await this.#decoder.ask('identify', { path }, call);
    const parts = { decoder: this.#decoder, index: this.#index, cache_dir, call };
    const named = await nameContent(parts, path, identity);
    this.#identities.delete(path);
    this.#identities.set(path, { ...named.identity, hash_str: identity.hash_str });
    for (const oldest of this.#identities.keys()) {
      if (this.#identities.size <= MOST) break;
      this.#identities.delete(oldest);
    }
    return named;
  }

  /** Null where the file cannot be read as a media: then nothing is known of what it is now. */
  async find(cache_dir: string, path: string, mark: Mark, call: AskOptions): Promise<NamedContent | null> {
    try {
      return await this.of(cache_dir, path, mark, call);
    } catch (error) {
      if (isMediaError(error)) return null;
      throw error;
    }
  }
}

export interface MediaLocation {
  /** Record of this very content. */
  readonly record: MediaRecord | null;
  /** Path at which it lies now; null when it is gone. */
  readonly source: string | null;
  /** Attributes of the file at `source`. */
  readonly mark: Mark | null;
}

export interface LocationParts {
  readonly identities: Identities;
  readonly index: Ref<typeof indexContract>;
}

/** Content at each path. A missing file has the record of its path. */
export async function locatePaths(
  { index }: Pick<LocationParts, 'index'>,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
): Promise<MediaLocation[]> {
  const { by_path } = await index.ask('find', { cache_dir, paths: [...paths], hashes: [] }, call);
  return Promise.all(paths.map((path, i) => atPath(path, by_path[i] ?? null)));
}

/** The paths at which a content was seen, and what lies there of it. */
export async function placesOf(
  { index }: Pick<LocationParts, 'index'>,
  cache_dir: string,
  hash: string,
  call: AskOptions,
): Promise<{ readonly paths: readonly string[]; readonly located: readonly MediaLocation[] }> {
  const { contents, records } = await index.ask('places', { cache_dir, hashes: [hash], paths: [] }, call);
  const located = await Promise.all(records.map(([path, record]) => atPath(path, record)));
  const locations = located.filter(({ record }) => record?.identity.hash_str === hash);
  return { paths: contents[0]!.paths, located: locations };
}

async function atPath(path: string, storedRecord: MediaRecord | null): Promise<MediaLocation> {
  const mark = await markOf(path);
  if (!mark) return { record: storedRecord, source: null, mark };
  return {
    record: storedRecord && isSame(storedRecord.identity, mark) ? storedRecord : null,
    source: path,
    mark,
  };
}

/**
 * The content of a hash, at `path` or wherever it was seen last. Throws HASH_MISMATCH when the folder does
 * not know the hash and the file at `path` is another one, and what keeps that file from being read.
 */
export async function locateHash(
  { identities, index }: LocationParts,
  cache_dir: string,
  path: string,
  hash: string,
  call: AskOptions,
): Promise<MediaLocation> {
  const records = await index.ask('find', { cache_dir, paths: [path], hashes: [hash] }, call);
  const here = await atPath(path, records.by_path[0] ?? null);
  if (here.record?.identity.hash_str === hash) return here;
  const recordOfHash = records.by_hash[0] ?? null;
  // A file that is unknown at this path may be the content, moved here.
  const mark = here.source !== null && here.record === null ? await markOf(path) : null;
  // An unreadable file counts as another one if the content is known without it.
  const now =
    mark &&
    (await (recordOfHash
      ? identities.find(cache_dir, path, mark, call)
      : identities.of(cache_dir, path, mark, call)));
  if (now?.identity.hash_str === hash) return { record: recordOfHash, source: path, mark };
  if (recordOfHash) {
    const there = await atPath(recordOfHash.path, recordOfHash);
    return there.record ? there : { record: recordOfHash, source: null, mark: null };
  }
  if (here.source === null) return here;
  throw searchErrors.HASH_MISMATCH(`hash_str: ${hash} is not the hash of ${path}`, { field: 'hash_str' });
}

/**
 * The hash of what lies at each path, read where the folder does not know it; of a file that is gone the one
 * that was remembered. Null where nothing is and never was. `unreadable` is told what keeps a file from being
 * read, or throws.
 */
export async function hashesAt(
  parts: LocationParts,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
  unreadable: (error: unknown) => null,
): Promise<(string | null)[]> {
  const located = await locatePaths(parts, cache_dir, paths, call);
  const hashes = located.map(({ record }) => record?.identity.hash_str ?? null);
  await sideBySide(located.entries(), 4, call.signal, async ([i, { record, source }], signal) => {
    if (record !== null || source === null) return;
    // The same content may be known from another path.
    const mark = await markOf(source);
    if (mark === null) return;
    const named = await parts.identities.of(cache_dir, source, mark, { ...call, signal }).catch(unreadable);
    hashes[i] = named?.identity.hash_str ?? null;
  });
  return hashes;
}

// Files that were renamed since they were analysed: found by their content, at a path the folder does not
// know.

/** Files that are read for one request; 3 MiB of each. */
const MOST_READ = 16;
const TOGETHER = 4;

/** Hash of each path's file, if the folder knows it. Among many paths only the first are read. */
export async function renamedFiles(
  { identities }: Pick<LocationParts, 'identities'>,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const looked = paths.filter((path) => isAbsolute(path)).slice(0, MOST_READ);
  await sideBySide(looked.values(), TOGETHER, call.signal, async (path, signal) => {
    const mark = await markOf(path);
    const content = mark && (await identities.find(cache_dir, path, mark, { ...call, signal }));
    if (content?.isKnown) hashes.set(path, content.identity.hash_str);
  });
  return hashes;
}
