// What detectors have seen in the media of an analysis folder: text that is read, and things.
import type { Track } from '../../things/tracks.ts';
import type { WrittenLine } from '../written/contract.ts';
import { changeCount, countChange } from './changes.ts';
import type { MediaRecord } from './contract.ts';
import type { Environment } from './environment.ts';
import { readable } from './faults.ts';
import { putMedia } from './media.ts';
import { thingsKey, thingsPrefix, writtenChangesKey, writtenKey, writtenPrefix } from './names.ts';
import { putFormat, Things as ThingsRow, Written as WrittenRow } from './records.ts';
import { readRecord, seal, sealOf, unseal } from './table.ts';

// Text: one record for each medium, with its lines.

export interface StoredWritten {
  readonly model_key: string;
  /** In the order of their beginning. */
  readonly lines: readonly WrittenLine[];
  /** The file was gone: read in its stored previews. */
  readonly from_previews: boolean;
}

export class Written {
  readonly #reading: () => Environment | null;
  readonly #writing: () => Environment;
  /** Milliseconds since 1970. */
  readonly #now: () => number;

  /** `reading`: null when nothing is stored yet. */
  constructor(reading: () => Environment | null, writing: () => Environment, now: () => number) {
    this.#reading = reading;
    this.#writing = writing;
    this.#now = now;
  }

  /** Null where nobody has read. Throws STORE_DAMAGED. */
  of(hash: string): StoredWritten | null {
    const row = readRecord(this.#reading(), WrittenRow, writtenKey(hash));
    return row && stored(row);
  }

  /** Null where nobody has read. `version` changes with what is stored; `lines` throws STORE_DAMAGED. */
  lookUp(hash: string): { readonly version: number; lines(): readonly WrittenLine[] } | null {
    const environment = this.#reading();
    const key = writtenKey(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return null;
    const lines = () => stored(unseal(WrittenRow, key, bytes, environment.file)).lines;
    return { version: sealOf(bytes), lines };
  }

  /** Ascending. */
  hashes(): string[] {
    const keys = this.#reading()?.keys(writtenPrefix) ?? [];
    return keys.map((key) => key.slice(writtenPrefix.length));
  }

  /** How many times what is stored changed; null when that cannot be read. */
  changes(): number | null {
    const environment = this.#reading();
    return environment === null ? 0 : changeCount(environment, writtenChangesKey, environment.file);
  }

  /**
   * Takes the place of what was stored; what the folder knows of the media is stored with it. *Flushed* on
   * return.
   */
  store(media: MediaRecord, { model_key, lines, from_previews }: StoredWritten): void {
    const { hash_str } = media.identity;
    const key = writtenKey(hash_str);
    const row: WrittenRow = {
      hash_str,
      model_key,
      lines_json: JSON.stringify(lines),
      stored_ms: this.#now(),
      from_previews: from_previews ? 1 : 0,
    };
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      writes.put(key, seal(WrittenRow, key, row));
      putMedia(writes, media, environment);
      countChange(writes, writtenChangesKey, environment.file);
    });
  }
}

function stored({ model_key, lines_json, from_previews }: WrittenRow): StoredWritten {
  // Written by this program under a checksum.
  return { model_key, lines: JSON.parse(lines_json) as WrittenLine[], from_previews: from_previews === 1 };
}

// Things: one record for each medium, with its tracks.

export interface StoredThings {
  readonly model_key: string;
  /** In the order of their beginning. */
  readonly tracks: readonly Track[];
  /** They were looked for in stored previews, since the file was gone. */
  readonly from_previews: boolean;
}

/** One step, ms: other questions come in between. */
const stepMs = 10;

export class Things {
  readonly #reading: () => Environment | null;
  readonly #writing: () => Environment;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  /**
   * What was read, by hash, with the checksum of its record: searches read all of a folder again and again.
   */
  readonly #read = new Map<string, { readonly version: number; readonly tracks: readonly Track[] }>();

  /** `reading`: null when nothing is stored yet. */
  constructor(reading: () => Environment | null, writing: () => Environment, now: () => number) {
    this.#reading = reading;
    this.#writing = writing;
    this.#now = now;
  }

  /** Null where no detector looked. Throws STORE_DAMAGED. */
  of(hash: string): StoredThings | null {
    const row = readRecord(this.#reading(), ThingsRow, thingsKey(hash));
    return row && { model_key: row.model_key, tracks: tracksIn(row), from_previews: row.from_previews === 1 };
  }

  /** Changes with what is stored; null where no detector looked. */
  version(hash: string): number | null {
    const bytes = this.#reading()?.get(thingsKey(hash));
    return bytes === undefined ? null : sealOf(bytes);
  }

  /** Ascending. */
  hashes(): string[] {
    const keys = this.#reading()?.keys(thingsPrefix) ?? [];
    const hashes = keys.map((key) => key.slice(thingsPrefix.length));
    // What was forgotten is not kept in memory.
    if (this.#read.size > hashes.length) this.#read.clear();
    return hashes;
  }

  /** Empty where no detector looked. Kept in memory until the record changes. Throws STORE_DAMAGED. */
  tracks(hash: string): readonly Track[] {
    const environment = this.#reading();
    const key = thingsKey(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) {
      this.#read.delete(hash);
      return [];
    }
    const version = sealOf(bytes);
    const known = this.#read.get(hash);
    if (known?.version === version) return known.tracks;
    const tracks = tracksIn(unseal(ThingsRow, key, bytes, environment.file));
    this.#read.set(hash, { version, tracks });
    return tracks;
  }

  /**
   * Goes on for some 10 ms with reading the tracks of these into memory; true when all that can be read are
   * there.
   */
  readOn(hashes: readonly string[]): boolean {
    const end = performance.now() + stepMs;
    const before = this.#read.size;
    for (const hash of hashes) {
      if (this.#read.has(hash)) continue;
      // What is damaged is no progress, or there would be no end to it.
      if (performance.now() >= end && this.#read.size > before) return false;
      readable(() => this.tracks(hash));
    }
    return true;
  }

  /**
   * Takes the place of what was stored; what the folder knows of the media is stored with it. *Flushed* on
   * return.
   */
  store(media: MediaRecord, { model_key, tracks, from_previews }: StoredThings): void {
    const { hash_str } = media.identity;
    const key = thingsKey(hash_str);
    const row = {
      hash_str,
      model_key,
      tracks_json: JSON.stringify(tracks),
      stored_ms: this.#now(),
      from_previews: Number(from_previews),
    };
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      writes.put(key, seal(ThingsRow, key, row));
      putMedia(writes, media, environment, true);
    });
  }
}

function tracksIn({ tracks_json }: ThingsRow): Track[] {
  // Written by this program under a checksum.
  return JSON.parse(tracks_json) as Track[];
}
