// The hash by which an analysis folder knows the content of a file. Two files can have the same hash and
// differ, for example stems of one session that are silent at their start, middle and end. The later one then
// has a number behind its hash.
//
// Only a file whose hash is known from another path is compared, by the digest of
// actors/decoder/probe/hash.ts: with the digest that the other one has from an earlier comparison, or else
// with the other file, where that still lies unchanged. Where it does not, the file counts as the other one,
// renamed.
import { stat } from 'node:fs/promises';
import type { Contract } from '../../../runtime/contract.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import {
  changedMs,
  type decoderContract,
  type FileIdentity,
  isMediaError,
  mediaErrors,
  modifiedMs,
} from '../../decoder/contract.ts';
import type { MediaRecord, storeMessages } from './contract.ts';
import { baseHash, contentNumber, numbered } from './names.ts';

export interface NamingParts {
  readonly decoder: Ref<typeof decoderContract>;
  readonly index: Ref<Contract<typeof storeMessages>>;
  readonly cache_dir: string;
  readonly call: AskOptions;
  /** Stores that a known content was compared; without it nothing is stored. */
  readonly keep?: (media: MediaRecord) => Promise<unknown>;
}

export interface NamedContent {
  /** With the hash by which the folder knows the content, or will. */
  readonly identity: FileIdentity;
  /** The folder knows it. */
  readonly isKnown: boolean;
}

/**
 * `fileIdentity`: what `identify` says of the file, with its digest where that is known already. Errors:
 * those of media and of the store.
 */
export async function nameContent(
  parts: NamingParts,
  path: string,
  fileIdentity: FileIdentity,
): Promise<NamedContent> {
  const base = baseHash(fileIdentity.hash_str);
  const { media } = await parts.index.ask(
    'alike',
    { cache_dir: parts.cache_dir, hash_str: base },
    parts.call,
  );
  if (media.length === 0) return { identity: fileIdentity, isKnown: false };
  const compared = new Comparison(parts, path, fileIdentity);
  let renamed: string | null = null;
  for (const otherMedia of media) {
    const { hash_str } = otherMedia.identity;
    const verdict = await compared.with(otherMedia);
    if (verdict === 'same') return { identity: compared.identity(hash_str), isKnown: true };
    if (verdict === 'unknown') renamed ??= hash_str;
  }
  if (renamed !== null) return { identity: compared.identity(renamed), isKnown: true };
  const next = Math.max(...media.map(({ identity }) => contentNumber(identity.hash_str))) + 1;
  return { identity: compared.identity(numbered(base, next)), isKnown: false };
}

class Comparison {
  readonly #parts: NamingParts;
  readonly #path: string;
  readonly #identity: FileIdentity;
  #digest: string | null = null;

  constructor(parts: NamingParts, path: string, identity: FileIdentity) {
    this.#parts = parts;
    this.#path = path;
    this.#identity = identity;
    this.#digest = identity.content_digest ?? null;
  }

  identity(hash_str: string): FileIdentity {
    return {
      ...this.#identity,
      hash_str,
      ...(this.#digest === null ? {} : { content_digest: this.#digest }),
    };
  }

  /** `unknown`: there is nothing to compare with. */
  async with(otherMedia: MediaRecord): Promise<'same' | 'other' | 'unknown'> {
    const digest = otherMedia.identity.content_digest ?? (await this.#digestOf(otherMedia));
    if (digest === 'same' || digest === 'unknown') return digest;
    this.#digest ??= await this.#read(this.#path, this.#identity);
    return this.#digest === digest ? 'same' : 'other';
  }

  /** Its digest, or `same` and `unknown` where the other file need not or cannot be read. */
  async #digestOf(otherMedia: MediaRecord): Promise<string> {
    const here = await fileAt(this.#path);
    for await (const record of this.#placesOf(otherMedia)) {
      const there = record.path === this.#path ? null : await fileAt(record.path);
      if (here === null || there === null) continue;
      // A link, or another spelling of the name where case makes no difference.
      if (here.device === there.device && here.inode === there.inode) return 'same';
      const digest = await this.#digestAt(record, there);
      if (digest !== null) return digest;
    }
    return 'unknown';
  }

  /** Where it was seen last, then the further paths at which it was seen. */
  async *#placesOf(otherMedia: MediaRecord): AsyncGenerator<MediaRecord> {
    yield otherMedia;
    const { index, cache_dir, call } = this.#parts;
    const { hash_str } = otherMedia.identity;
    const { records } = await index.ask('places', { cache_dir, hashes: [hash_str], paths: [] }, call);
    for (const [path, record] of records)
      if (path !== otherMedia.path && record?.identity.hash_str === hash_str) yield record;
  }

  /** Null when it is not that content any more, or cannot be read, which is no fault of this file. */
  async #digestAt(record: MediaRecord, there: FileAt): Promise<string | null> {
    const { path, identity } = record;
    const { decoder, call, keep } = this.#parts;
    if (there.size !== identity.size_bytes) return null;
    try {
      if (there.mtime !== identity.mtime_ms) {
        const now = await decoder.ask('identify', { path }, call);
        if (now.hash_str !== baseHash(identity.hash_str)) return null;
      }
      const content_digest = await this.#read(path, identity);
      await keep?.({ ...record, identity: { ...identity, content_digest } });
      return content_digest;
    } catch (error) {
      if (isMediaError(error)) return null;
      throw error;
    }
  }

  async #read(path: string, expected: FileIdentity): Promise<string> {
    const { decoder, call } = this.#parts;
    let digest = '';
    for (let [part, parts] = [0, 1]; part < parts; part++) {
      const answer = await decoder.ask('digest', { path, part, before: digest }, call);
      if (answer.size_bytes !== expected.size_bytes)
        throw mediaErrors.FILE_CHANGED(`${path}: changed while it was read`, { path });
      ({ digest, parts } = answer);
    }
    return digest;
  }
}

interface FileAt {
  readonly size: number;
  readonly mtime: number;
  readonly device: bigint;
  readonly inode: bigint;
}

async function fileAt(path: string): Promise<FileAt | null> {
  return stat(path, { bigint: true }).then(
    (stats) =>
      stats.isFile()
        ? { size: Number(stats.size), mtime: modifiedMs(stats), device: stats.dev, inode: stats.ino }
        : null,
    // Whatever the reason: there is nothing to compare with.
    () => null,
  );
}

// Checks whether a file is still the one that was seen, as far as possible without reading it.

/** File attributes that are available without reading it. */
export type Mark = Pick<FileIdentity, 'size_bytes' | 'mtime_ms' | 'inode' | 'ctime_ms'>;

/** Attributes of a file at this path; null if it cannot be reached, whatever the reason. */
export async function markOf(path: string): Promise<Mark | null> {
  return stat(path, { bigint: true }).then(
    (stats) =>
      stats.isFile()
        ? {
            size_bytes: Number(stats.size),
            mtime_ms: modifiedMs(stats),
            inode: String(stats.ino),
            ctime_ms: changedMs(stats),
          }
        : null,
    () => null,
  );
}

export function isSame(a: Mark, b: Mark): boolean {
  const isUnchanged = a.ctime_ms === undefined || b.ctime_ms === undefined || a.ctime_ms === b.ctime_ms;
  return isUnchanged && a.size_bytes === b.size_bytes && a.mtime_ms === b.mtime_ms && a.inode === b.inode;
}
