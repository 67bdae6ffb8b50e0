// One analysis folder: what is known of its media, which stages are stored, and the way to their vectors and previews.
// Reading works while another process writes, and in a folder that cannot be written.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Probe } from '../../decoder/contract.ts';
import { positionOf, unpackFrames } from '../visual/frames.ts';
import { readRow16 } from '../visual/quantize.ts';
import { type Changes, changesSince } from './changes.ts';
import { type MediaRecord, storeErrors } from './contract.ts';
import { Environment } from './environment.ts';
import { damaged, isMissing, readable, storeFault } from './faults.ts';
import {
  databaseFile,
  formatKey,
  isHash,
  mediaKey,
  modelPrefix,
  modelRecordKey,
  pathKey,
  previewKey,
  stageKey,
  stagePrefix,
  vectorFolder,
} from './names.ts';
import { Packs } from './packs.ts';
import { PreviewTables, readPreviews } from './preview-reader.ts';
import { Format, formatVersion, Media, Model, Previews, Visual } from './records.ts';
import type { Stage } from './stage.ts';
import { type Fields, type Row, seal, type Table, unseal } from './table.ts';
import { Transcripts } from './transcripts.ts';
import { Writer, type WriterOptions } from './writer.ts';

/** What a caller may compare with a file on disk without reading the file. */
export interface FileMark {
  readonly size_bytes: number;
  readonly mtime_ms: number;
  readonly inode: string;
}

export class Store {
  readonly folder: string;
  readonly #options: WriterOptions;
  #environment: Environment | null = null;
  #writing: Writer | null = null;
  readonly #tables = new PreviewTables();
  /** What is said in the media. */
  readonly transcripts = new Transcripts(
    () => this.#reading(),
    () => this.#writer().environment,
  );

  constructor(folder: string, options: WriterOptions = {}) {
    this.folder = folder;
    this.#options = options;
  }

  /** Null when the folder holds no analysis yet. Throws STORE_UNAVAILABLE, STORE_TOO_NEW, STORE_DAMAGED. */
  #reading(): Environment | null {
    if (this.#environment === null) {
      if (!Environment.exists(databaseFile(this.folder))) {
        this.#requireUsable();
        return null;
      }
      this.#environment = this.#checkFormat(Environment.open(databaseFile(this.folder), 'read'));
    }
    this.#environment.refresh();
    return this.#environment;
  }

  /** A folder that does not exist yet is an empty one. Throws STORE_UNAVAILABLE for what is none or cannot be looked into. */
  #requireUsable(): void {
    try {
      if (!statSync(this.folder).isDirectory()) throw new Error('it is not a folder');
      accessSync(this.folder, constants.R_OK | constants.X_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      const reason = error instanceof Error ? error.message : String(error);
      const details = { folder: this.folder, reason };
      throw storeErrors.STORE_UNAVAILABLE(`${this.folder} cannot be read: ${reason}`, details, error);
    }
  }

  #writer(): Writer {
    if (this.#writing === null) {
      this.#environment ??= this.#checkFormat(Environment.open(databaseFile(this.folder), 'write'));
      this.#writing = new Writer(this.folder, this.#environment, this.#options);
    }
    return this.#writing;
  }

  #checkFormat(environment: Environment): Environment {
    const bytes = environment.get(formatKey);
    if (bytes === undefined) return environment;
    try {
      const { version } = unseal(Format, formatKey, bytes, environment.file);
      if (version > formatVersion) {
        throw storeErrors.STORE_TOO_NEW(
          `${this.folder} has format ${version}, this program knows ${formatVersion}`,
          { folder: this.folder, version },
        );
      }
      return environment;
    } catch (error) {
      void environment.close();
      throw error;
    }
  }

  /** Throws STORE_UNAVAILABLE when the folder itself is not there. */
  requireFolder(): void {
    if (!existsSync(this.folder)) {
      throw storeErrors.STORE_UNAVAILABLE(`There is no folder ${this.folder}`, { folder: this.folder });
    }
  }

  /** Opens what there is. Throws STORE_UNAVAILABLE, STORE_TOO_NEW, STORE_DAMAGED. */
  check(): void {
    this.#reading();
  }

  #record<F extends Fields>(shape: Table<F>, key: string): Row<F> | null {
    const environment = this.#reading();
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return null;
    return unseal(shape, key, bytes, environment.file);
  }

  known(path: string, mark: FileMark): MediaRecord | null {
    const row = this.#record(Media, pathKey(path));
    const same =
      row !== null &&
      row.size_bytes === mark.size_bytes &&
      row.mtime_ms === mark.mtime_ms &&
      row.inode === mark.inode;
    return same ? mediaRecord(row) : null;
  }

  /** What was remembered for a path, whatever lies there now. */
  byPath(path: string): MediaRecord | null {
    const row = this.#record(Media, pathKey(path));
    return row && mediaRecord(row);
  }

  /** What was remembered last for a hash. */
  byHash(hash: string): MediaRecord | null {
    const row = this.#record(Media, mediaKey(hash));
    return row && mediaRecord(row);
  }

  remember(media: MediaRecord): void {
    this.#writer().remember(media);
  }

  /** Every path that was remembered. */
  media(): MediaRecord[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(environment.entries('path/'), ({ key, value }) =>
      mediaRecord(unseal(Media, key, value, environment.file)),
    );
  }

  /** What changed of the media since `seen`; null asks for a beginning. */
  changes(seen: number | null): Changes {
    const environment = this.#reading();
    return environment === null
      ? { seen: 0, changed: null }
      : changesSince(environment, seen, environment.file);
  }

  /** The records by hash (`media/`) or by path (`path/`), null for a damaged one. *Streamed*: no write in between. */
  *remembered(by: 'media/' | 'path/'): Iterable<{ readonly name: string; readonly row: Media | null }> {
    const environment = this.#reading();
    if (environment === null) return;
    for (const { key, value } of environment.entries(by)) {
      yield { name: key.slice(by.length), row: readable(() => unseal(Media, key, value, environment.file)) };
    }
  }

  /** What is known of a content; null when its record is damaged. A hash that is not known throws NOT_ANALYZED. */
  content(hash: string): MediaRecord | null {
    return readable(() => {
      const found = this.byHash(hash);
      if (found === null) throw storeErrors.NOT_ANALYZED(`${hash} is not known`, { hash });
      return found;
    });
  }

  /** The content known by a name, which is a path or the hash itself; null when it is not known. */
  hashOf(name: string): string | null {
    const row = this.#record(Media, pathKey(name));
    if (row !== null) return row.hash_str;
    return isHash(name) && this.#record(Media, mediaKey(name)) !== null ? name : null;
  }

  /** The path remembered last for a hash; null when it is not known. */
  pathOf(hash: string): string | null {
    return this.#record(Media, mediaKey(hash))?.path ?? null;
  }

  model(modelKey: string): Model | null {
    return this.#record(Model, modelRecordKey(modelKey));
  }

  visual(modelKey: string, hash: string): Visual | null {
    return this.#record(Visual, stageKey(modelKey, hash));
  }

  /** Hashes whose record itself is broken go to `unreadable`. */
  visuals(modelKey: string, unreadable: (hash: string) => void): Visual[] {
    const environment = this.#reading();
    if (environment === null) return [];
    const prefix = stagePrefix(modelKey);
    const found: Visual[] = [];
    for (const { key, value } of environment.entries(prefix)) {
      try {
        found.push(unseal(Visual, key, value, environment.file));
      } catch (error) {
        if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
        unreadable(key.slice(prefix.length));
      }
    }
    return found;
  }

  /** For each hash: true when its stage, by any model for null, is there and its packs hold all of its rows. */
  stored(modelKey: string | null, hashes: readonly string[]): boolean[] {
    if (modelKey !== null) return this.#storedBy(modelKey, hashes);
    const byModel = this.#models().map((key) => this.#storedBy(key, hashes));
    return hashes.map((_, i) => byModel.some((stored) => stored[i]));
  }

  /** Where the data of a media file lies; null for what is not stored. Transcripts lie among the records. */
  held(hash: string): { visual: string | null; audio: string | null } {
    return {
      visual: this.stored(null, [hash])[0] ? vectorFolder(this.folder) : null,
      audio: this.transcripts.stored([hash])[0] ? this.folder : null,
    };
  }

  #models(): string[] {
    const environment = this.#reading();
    if (environment === null) return [];
    return Array.from(
      environment.entries(modelPrefix),
      ({ key, value }) => unseal(Model, key, value, environment.file).model_key,
    );
  }

  #storedBy(modelKey: string, hashes: readonly string[]): boolean[] {
    const model = this.model(modelKey);
    const rows = new Map<number, number>();
    return hashes.map((hash) => {
      let visual: Visual | null;
      try {
        visual = this.visual(modelKey, hash);
      } catch (error) {
        if (storeErrors.STORE_DAMAGED.is(error)) return false;
        throw error;
      }
      if (visual === null || model === null || visual.dimensions !== model.dimensions) return false;
      if (!rows.has(visual.generation)) rows.set(visual.generation, this.#rowsOf(modelKey, visual));
      const end = Math.max(0, ...visual.extents.map((extent) => extent.row + extent.count));
      return end <= (rows.get(visual.generation) as number);
    });
  }

  #rowsOf(modelKey: string, visual: Visual): number {
    try {
      const packs = this.packs(modelKey, visual);
      const rows = packs.rows();
      packs.close();
      return rows;
    } catch (error) {
      if (storeErrors.STORE_DAMAGED.is(error)) return -1;
      throw error;
    }
  }

  /** The packs of a stage, opened for reading; the caller closes them. Throws STORE_DAMAGED naming the file. */
  packs(modelKey: string, of: Pick<Visual, 'dimensions' | 'generation'>): Packs {
    return Packs.open(this.folder, { modelKey, dimensions: of.dimensions, generation: of.generation });
  }

  /** The stored vector of one frame, from its 16-bit row; null when it is not stored. */
  vector(modelKey: string, hash: string, frame: number): Float32Array<ArrayBuffer> | null {
    return this.#again(() => {
      const visual = this.visual(modelKey, hash);
      if (visual === null) return null;
      let position = positionOf(unpackFrames(visual.frame_runs), frame);
      if (position < 0) return null;
      const packs = this.packs(modelKey, visual);
      try {
        for (const extent of visual.extents) {
          if (position >= extent.count) {
            position -= extent.count;
            continue;
          }
          const bytes = new Uint8Array(packs.fine.stride);
          packs.fine.read(extent.row + position, bytes);
          const vector = readRow16(bytes, visual.dimensions, frame);
          if (vector === null) throw damaged(packs.fine.file, `the row of ${hash} frame ${frame} is broken`);
          return vector;
        }
        throw damaged(packs.fine.file, `${hash} frame ${frame} has no row`);
      } finally {
        packs.close();
      }
    });
  }

  /** The JPEG of each frame of one file, null where there is none. *Copied*. */
  previews(hash: string, frames: readonly number[]): (Uint8Array<ArrayBuffer> | null)[] {
    return this.#again(() => {
      const record = this.#record(Previews, previewKey(hash));
      return record === null
        ? frames.map(() => null)
        : readPreviews(this.folder, record, frames, this.#tables);
    });
  }

  /** A file named by a record can be replaced between the two reads by the writing process: then both are read again. */
  #again<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!isMissing(error)) throw error;
      return read();
    }
  }

  begin(hash: string, modelKey: string, dimensions: number): Stage {
    return this.#writer().begin(hash, modelKey, dimensions);
  }

  append(
    stage: Stage,
    frames: readonly number[],
    vectors: Float32Array,
    previews: readonly Uint8Array[],
  ): void {
    this.#writer().append(stage, frames, vectors, previews);
  }

  /** `cancelled` ends the rewriting of a pack that may follow, not the commit. */
  commit(stage: Stage, media: MediaRecord, cancelled?: () => boolean): number {
    return this.#writer().commit(stage, media, cancelled);
  }

  abort(stage: Stage): void {
    this.#writer().abort(stage);
  }

  get isBusy(): boolean {
    return this.#writing?.isBusy ?? false;
  }

  /** Aborts open stages and frees everything. */
  async close(): Promise<void> {
    try {
      this.#writing?.close();
    } finally {
      const environment = this.#environment;
      this.#writing = null;
      this.#environment = null;
      await environment?.close().catch((error: unknown) => {
        throw storeFault(error, this.folder, 'write');
      });
    }
  }
}

export function mediaRecord(row: Media): MediaRecord {
  const { path, hash_str, size_bytes, mtime_ms, inode } = row;
  // Written by this program under a checksum, so the text is a probe.
  const probe = JSON.parse(row.probe_json) as Probe;
  return { path, identity: { hash_str, size_bytes, mtime_ms, inode }, probe };
}

/** For tests of newer formats: the sealed format record of another version. */
export function formatRecord(version: number): Uint8Array {
  return seal(Format, formatKey, { version, written_by: 'framehound' });
}
