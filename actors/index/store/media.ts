// Facts about the media of an analysis folder: a record for each path and for each content.
import type { Probe } from '../../decoder/contract.ts';
import { type Changes, changesSince, noteChange } from './changes.ts';
import { type MediaRecord, storeErrors } from './contract.ts';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { isWithin, movedPath } from './footage-path.ts';
import { isHash, mediaKey, numbered, pathKey } from './names.ts';
import type { PathMap, PlacedRoot } from './path-map.ts';
import { MediaRow, putFormat } from './records.ts';
import { noteRoot } from './roots-file.ts';
import { readRecord, seal, unseal } from './table.ts';

/** Attributes that can be compared with a file on disk without reading it. */
export interface FileMark {
  readonly size_bytes: number;
  readonly mtime_ms: number;
  readonly inode: string;
  /** Undefined where a file may have been renamed or have other rights and is the same still. */
  readonly ctime_ms?: number | undefined;
}

/** Numbers without a content between two that have one, at most: a content may have been forgotten. */
const mostMissing = 8;

export class MediaRecords {
  readonly #reading: () => Environment | null;
  readonly #writing: () => Environment;

  /** `reading`: the folder as it is now, or null when it holds no analysis yet. */
  constructor(reading: () => Environment | null, writing: () => Environment) {
    this.#reading = reading;
    this.#writing = writing;
  }

  /** A damaged record is none: then the file is identified anew, and the record replaced. */
  #atPath(path: string): MediaRow | null {
    return this.#storedAt(path)?.row ?? null;
  }

  /** With the key of its record. */
  #storedAt(path: string): { readonly key: string; readonly row: MediaRow } | null {
    const environment = this.#reading();
    for (const form of environment?.paths.forms(path) ?? []) {
      const key = pathKey(form);
      const row = readable(() => readRecord(environment, MediaRow, key));
      if (row !== null) return { key, row: shownRow(row, environment!.paths) };
    }
    return null;
  }

  /**
   * A damaged record is read from that of a path with the same content. Throws STORE_DAMAGED when there is
   * none.
   */
  #ofHash(hash: string): MediaRow | null {
    try {
      const environment = this.#reading();
      const row = readRecord(environment, MediaRow, mediaKey(hash));
      return row && shownRow(row, environment!.paths);
    } catch (error) {
      if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
      for (const { row } of this.remembered('path/')) if (row?.hash_str === hash) return row;
      throw error;
    }
  }

  known(path: string, mark: FileMark): MediaRecord | null {
    const row = this.#atPath(path);
    if (row === null || row.size_bytes !== mark.size_bytes || row.mtime_ms !== mark.mtime_ms) return null;
    const isElsewhere = this.#isElsewhere(row);
    const isSame = isElsewhere || (row.inode === mark.inode && isUnchanged(row, mark));
    if (!isSame || this.#isDoubtful(row)) return null;
    const ctime_ms = isElsewhere ? (mark.ctime_ms ?? 0) : row.ctime_ms;
    return mediaRecord({ ...row, inode: mark.inode, ctime_ms });
  }

  /** Its root was in another place when its inode was read. */
  #isElsewhere(row: MediaRow): boolean {
    const root = this.#reading()?.paths.rootOf(row.path) ?? null;
    return root !== null && folderOf(root, row) !== root.folder;
  }

  /** Another file was given the same hash, and nobody compared the two: as earlier versions left it. */
  #isDoubtful({ path, hash_str, inode, content_digest }: MediaRow): boolean {
    if (content_digest !== '') return false;
    const last = readable(() => this.#ofHash(hash_str));
    return last !== null && last.path !== path && last.inode !== inode;
  }

  /**
   * The contents whose hash is `base`, or begins with it because they differ (`contentNumber`); without
   * damaged ones.
   */
  alike(base: string): MediaRecord[] {
    const records: MediaRecord[] = [];
    for (let [number, missing] = [1, 0]; missing < mostMissing; number++) {
      const row = readable(() => readRecord(this.#reading(), MediaRow, mediaKey(numbered(base, number))));
      if (row === null) missing++;
      else {
        missing = 0;
        records.push(mediaRecord(row));
      }
    }
    return records;
  }

  /** Record of a path, whatever lies there now. */
  byPath(path: string): MediaRecord | null {
    const row = this.#atPath(path);
    return row && mediaRecord(row);
  }

  /** Latest record of a hash. */
  byHash(hash: string): MediaRecord | null {
    const row = this.#ofHash(hash);
    return row && mediaRecord(row);
  }

  /** *Flushed* on return. */
  remember(media: MediaRecord): void {
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      putMedia(writes, media, environment);
    });
  }

  /** Every path that was remembered, without those whose record is damaged. */
  all(): MediaRecord[] {
    const rows = Array.from(this.remembered('path/'), ({ row }) => row);
    return rows.filter((row) => row !== null).map(mediaRecord);
  }

  /** Changes of media since `position`; null asks for a starting point. */
  changes(position: number | null): Changes {
    const environment = this.#reading();
    return environment === null
      ? { position: 0, changed: null }
      : changesSince(environment, position, environment);
  }

  /**
   * The records by hash (`media/`) or by path (`path/`), null for a damaged one. *Streamed*: no write in
   * between.
   */
  *remembered(by: 'media/' | 'path/'): Iterable<{ readonly name: string; readonly row: MediaRow | null }> {
    const environment = this.#reading();
    if (environment === null) return;
    const { paths, file } = environment;
    for (const { key, value } of environment.entries(by)) {
      const stored = readable(() => unseal(MediaRow, key, value, file));
      const row = stored && shownRow(stored, paths);
      // A record stored under the path before its root existed gives way to the one stored under the root.
      const isUsual = row === null || paths.stored(row.path) === stored!.path;
      if (by === 'path/' && !isUsual && this.#storedAt(row.path)?.key !== key) continue;
      yield { name: key.slice(by.length), row };
    }
  }

  /** Every content of which there is a record, ascending. */
  hashes(): string[] {
    return (
      this.#reading()
        ?.keys('media/')
        .map((key) => key.slice('media/'.length)) ?? []
    );
  }

  /** Record of a content; null if it is damaged. An unknown hash throws NOT_ANALYZED. */
  content(hash: string): MediaRecord | null {
    return readable(() => {
      const record = this.byHash(hash);
      if (record === null) throw storeErrors.NOT_ANALYZED(`${hash} is not known`, { hash });
      return record;
    });
  }

  /** The content known by a name, which is a path or the hash itself; null when it is not known. */
  hashOf(name: string): string | null {
    const row = this.#atPath(name);
    if (row !== null) return row.hash_str;
    return isHash(name) && this.#ofHash(name) !== null ? name : null;
  }

  /** The path remembered last for a hash; null when it is not known. */
  pathOf(hash: string): string | null {
    return this.#ofHash(hash)?.path ?? null;
  }
}

/** The last path of each hash, looked up once; null where there is none, or its record is damaged. */
export function pathFinder(media: Pick<MediaRecords, 'pathOf'>): (hash: string) => string | null {
  const paths = new Map<string, string | null>();
  return (hash) => {
    const cachedPath = paths.get(hash);
    if (cachedPath !== undefined) return cachedPath;
    const path = readable(() => media.pathOf(hash));
    paths.set(hash, path);
    return path;
  };
}

/** Records of older analyses have no ctime. */
function isUnchanged(row: MediaRow, { ctime_ms }: FileMark): boolean {
  return row.ctime_ms === 0 || ctime_ms === undefined || row.ctime_ms === ctime_ms;
}

export function mediaRecord(row: MediaRow): MediaRecord {
  const { path, hash_str, size_bytes, mtime_ms, inode, ctime_ms, content_digest } = row;
  // Written by this program under a checksum, so the text is a probe.
  const probe = JSON.parse(row.probe_json) as Probe;
  const compared = content_digest === '' ? {} : { content_digest };
  const changed = ctime_ms === 0 ? {} : { ctime_ms };
  const record = {
    path,
    identity: { hash_str, size_bytes, mtime_ms, inode, ...changed, ...compared },
    probe,
  };
  return row.volume === '' ? record : { ...record, volume: row.volume };
}

/** Where the root of a record was when size, time and inode were read. */
export function folderOf({ prefix }: PlacedRoot, { root_folder }: MediaRow): string {
  return root_folder || prefix;
}

/** A record as it is on this machine now. */
export function shownRow(row: MediaRow, paths: PathMap): MediaRow {
  const path = paths.shown(row.path);
  const root = paths.rootOf(path);
  if (root === null || folderOf(root, row) === root.folder) return path === row.path ? row : { ...row, path };
  const before = folderOf(root, row);
  const isInside = isWithin(row.volume, before);
  const volume = isInside ? movedPath(row.volume, before, root.folder) : (root.volume ?? '');
  return { ...row, path, volume };
}

/** A record of a path as it is stored: by its root, if it has one. */
export function storedRow(row: MediaRow, paths: PathMap): MediaRow {
  const root = paths.rootOf(row.path);
  const root_folder = root === null || root.folder === root.prefix ? '' : root.folder;
  return { ...row, path: paths.stored(row.path), root_folder };
}

function mediaRow(media: MediaRecord): MediaRow {
  const { content_digest = '', ctime_ms = 0, ...identity } = media.identity;
  const { path, probe, volume = '' } = media;
  const probe_json = JSON.stringify(probe);
  return { path, ...identity, probe_json, content_digest, volume, root_folder: '', ctime_ms };
}

/** `isNews`: something else of the content has changed that facets show. */
export function putMedia(
  writes: Transaction,
  media: MediaRecord,
  { file, paths }: Environment,
  isNews = false,
): void {
  const row = storedRow(mediaRow(media), paths);
  const root = paths.rootOf(media.path);
  // The folder knows it from now on, wherever it is used.
  if (root !== null) noteRoot(writes, root);
  // Records stored under the path before its root existed.
  const [, ...others] = paths.forms(media.path);
  for (const form of others) if (writes.get(pathKey(form))) writes.remove(pathKey(form));
  const keys = [pathKey(row.path), mediaKey(row.hash_str)];
  const sealed = keys.map((key) => {
    // A writer with a stale record must not overwrite the result of the comparison.
    const content_digest = row.content_digest || digestAt(writes, key, row.hash_str, file);
    return [key, seal(MediaRow, key, { ...row, content_digest })] as const;
  });
  // An unchanged record is no change; a commit repeats what was stored before it.
  const news = sealed.filter(([key, bytes]) => !isSame(writes.get(key), bytes));
  for (const [key, bytes] of news) writes.put(key, bytes);
  if (isNews || news.length > 0) noteChange(writes, { path: row.path, hash: row.hash_str }, file);
}

function digestAt(writes: Transaction, key: string, hash: string, file: string): string {
  const stored = writes.get(key);
  const row = stored === undefined ? null : readable(() => unseal(MediaRow, key, stored, file));
  return row?.hash_str === hash ? row.content_digest : '';
}

function isSame(stored: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return stored !== undefined && Buffer.compare(stored, bytes) === 0;
}
