// The text that is read in the media of an analysis folder: one record for each, with its lines.
import type { WrittenLine } from '../written/contract.ts';
import { changeCount, countChange } from './change-count.ts';
import type { MediaRecord } from './contract.ts';
import type { Environment } from './environment.ts';
import { putFormat } from './format.ts';
import { putMedia } from './media.ts';
import { writtenChangesKey, writtenKey, writtenPrefix } from './names.ts';
import { readRecord } from './read-record.ts';
import { Written as WrittenRow } from './records.ts';
import { seal, sealOf, unseal } from './table.ts';

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
      putMedia(writes, media, environment.file);
      countChange(writes, writtenChangesKey, environment.file);
    });
  }
}

function stored({ model_key, lines_json, from_previews }: WrittenRow): StoredWritten {
  // Written by this program under a checksum.
  return { model_key, lines: JSON.parse(lines_json) as WrittenLine[], from_previews: from_previews === 1 };
}
