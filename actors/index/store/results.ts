// Results that are one list for each content, as things and printed words are. A record holds the list with
// the model that found it; what is found next takes its place.
import type { Static, TArray, TSchema } from 'typebox';
import type { Probe } from '../../decoder/contract.ts';
import { changeCount, countChange } from './changes.ts';
import type { MediaRecord } from './contract.ts';
import type { Environment } from './environment.ts';
import type { KindRecord, ShownResult, StoredKind } from './kind.ts';
import { putMedia } from './media.ts';
import { checkedHash, mediaKey } from './names.ts';
import { MediaRow, putFormat } from './records.ts';
import { type RowOf, readRecord, seal, sealOf, table, unseal } from './table.ts';

export interface ResultKind<T extends string = string, I extends TSchema = TSchema> extends StoredKind {
  readonly type: T;
  readonly items: TArray<I>;
  readonly record: ResultTable;
  readonly changesKey: string;
  show(record: KindRecord): ShownResult & Omit<Result<never>, 'items'>;
  /** How many items are shown as found. `frames`: of the grid of the content. */
  count(items: readonly Static<I>[], frames: number): number;
}

export interface Result<I> {
  readonly model_key: string;
  readonly items: readonly I[];
  /** The file was gone: found in its stored previews. */
  readonly from_previews: boolean;
}

// key: prefix of the kind, hash_str. from_previews: 1 where the file was gone; counted: how many items are
// shown as found, plus 1; 0 in the records of earlier versions
const resultTable = (identifier: string) =>
  table(identifier, {
    hash_str: 'string',
    model_key: 'string',
    items_json: 'string',
    stored_ms: 'double',
    from_previews: 'uint',
    counted: 'uint',
  });
type ResultTable = ReturnType<typeof resultTable>;
type ResultRow = RowOf<ResultTable>;

interface ResultKindOptions<T, I extends TSchema> {
  readonly type: T;
  /** Four characters that no other table has. */
  readonly identifier: string;
  /** Ends with a slash. */
  readonly prefix: string;
  readonly items: TArray<I>;
  /** Left out: all are. */
  readonly count?: (items: readonly Static<I>[], frames: number) => number;
}

export function resultKind<const T extends string, I extends TSchema>({
  type,
  identifier,
  prefix,
  items,
  count = (all) => all.length,
}: ResultKindOptions<T, I>): ResultKind<T, I> {
  const record = resultTable(identifier);
  return {
    type,
    items,
    record,
    count,
    isAnalysis: true,
    records: [prefix],
    changesKey: `${prefix.slice(0, -1)}-changes`,
    show: ({ environment, key, hash }) => {
      const row = readRecord(environment, record, key)!;
      const { model_key, stored_ms } = row;
      const counted = row.counted - 1;
      const shown = counted >= 0 ? counted : count(itemsIn(row), framesOf(environment, hash));
      return {
        model_key,
        count: shown,
        stored_ms: stored_ms || null,
        from_previews: row.from_previews === 1,
      };
    },
  };
}

function itemsIn<I>({ items_json }: ResultRow): I[] {
  // Written by this program under a checksum.
  return JSON.parse(items_json) as I[];
}

function framesOf(environment: Environment, hash: string): number {
  const media = readRecord(environment, MediaRow, mediaKey(hash));
  return media === null ? 0 : (JSON.parse(media.probe_json) as Probe).grid_frames;
}

export class Results<I = unknown> {
  readonly #kind: ResultKind;
  readonly #reading: () => Environment | null;
  readonly #writing: () => Environment;
  /** Milliseconds since 1970. */
  readonly #now: () => number;

  /** `reading`: null when nothing is stored yet. */
  constructor(
    kind: ResultKind,
    reading: () => Environment | null,
    writing: () => Environment,
    now: () => number,
  ) {
    this.#kind = kind;
    this.#reading = reading;
    this.#writing = writing;
    this.#now = now;
  }

  get #prefix(): string {
    return this.#kind.records[0]!;
  }

  /** Null where nobody looked. `version` changes with what is stored; `read` throws STORE_DAMAGED. */
  lookUp(hash: string): { readonly version: number; read(): Result<I> } | null {
    const environment = this.#reading();
    const key = this.#prefix + checkedHash(hash);
    const bytes = environment?.get(key);
    if (environment === null || bytes === undefined) return null;
    const read = () => {
      const row = unseal(this.#kind.record, key, bytes, environment.file);
      const { model_key, from_previews } = row;
      return { model_key, items: itemsIn<I>(row), from_previews: from_previews === 1 };
    };
    return { version: sealOf(bytes), read };
  }

  /** Null where nobody looked. Throws STORE_DAMAGED. */
  of(hash: string): Result<I> | null {
    return this.lookUp(hash)?.read() ?? null;
  }

  /** Entry in lists; null if the content was not analysed. Throws STORE_DAMAGED. */
  shown(hash: string) {
    const environment = this.#reading();
    const key = this.#prefix + checkedHash(hash);
    if (environment?.has(key) !== true) return null;
    const { model_key, count, from_previews } = this.#kind.show({ environment, hash, key });
    return { model_key, count, from_previews };
  }

  /** Ascending. */
  hashes(): string[] {
    const keys = this.#reading()?.keys(this.#prefix) ?? [];
    return keys.map((key) => key.slice(this.#prefix.length));
  }

  /** How many times what is stored changed; null when that cannot be read. */
  changes(): number | null {
    const environment = this.#reading();
    return environment === null ? 0 : changeCount(environment, this.#kind.changesKey, environment.file);
  }

  /**
   * Takes the place of what was stored; what the folder knows of the media is stored with it. *Flushed* on
   * return.
   */
  store(media: MediaRecord, { model_key, items, from_previews }: Result<I>): void {
    const { hash_str } = media.identity;
    const key = this.#prefix + checkedHash(hash_str);
    const row: ResultRow = {
      hash_str,
      model_key,
      items_json: JSON.stringify(items),
      stored_ms: this.#now(),
      from_previews: Number(from_previews),
      counted: this.#kind.count(items, media.probe.grid_frames) + 1,
    };
    const environment = this.#writing();
    environment.transact((writes) => {
      putFormat(writes);
      writes.put(key, seal(this.#kind.record, key, row));
      putMedia(writes, media, environment, true);
      countChange(writes, this.#kind.changesKey, environment.file);
    });
  }
}
