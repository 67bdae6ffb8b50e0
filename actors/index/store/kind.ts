// A kind of result is one value: all that lists, removals, imports, exports and clusters have to know of it.
// The list of them is in kinds.ts.
import type { HeldResult } from '../library/contract.ts';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { checkedHash, decodeModelKey } from './names.ts';
import { type Table, type TableFields, type TableRow, unseal } from './table.ts';

/** Stored result of one content, by one model. */
export type ShownResult = Omit<HeldResult, 'type' | 'model_key'> & { readonly model_key?: string };

export interface StoredKind {
  /** The work that finds it, as tasks name it; `previews` and `voices` come along with other work. */
  readonly type: string;
  /** False for what comes along: it does not make its content an analysed one. */
  readonly isAnalysis: boolean;
  /**
   * Prefixes of the keys of its records: the hash follows, or, for a kind with `models`, the model and the
   * hash. The first prefix marks that there is a result.
   */
  readonly records: readonly string[];
  /** Records of each model for all contents together. */
  readonly models?: {
    /** A record each, which says how long the vectors are. */
    readonly prefix: string;
    readonly table: Table<{ readonly model_key: 'string'; readonly dimensions: 'uint' }>;
    /** Prefixes of the keys of records that belong to no single content, before the model. */
    readonly shared?: readonly string[];
  };
  /** A content may have several: an id lies behind the hash, and the store removes what belongs to each. */
  readonly isSeveral?: boolean;
  /** Counts the changes, for those who hold a copy in memory. */
  readonly changesKey?: string;
  /** Bundles that records name. */
  readonly bundles?: NamingRecords;
  /** Throws STORE_DAMAGED. */
  show(record: KindRecord): ShownResult;
  /** Within the transaction that forgets a content, while its records are still there. */
  forget?(writes: Transaction, environment: Environment, hash: string): void;
}

export interface KindRecord {
  readonly environment: Environment;
  readonly hash: string;
  readonly key: string;
}

export interface NamingRecords {
  readonly prefix: string;
  /** The place and least size of what a record names; an empty place for none. */
  placeOf(record: { key: string; value: Uint8Array; file: string }): { place: string; bytes: number };
}

/** A record of a table that names its bundle. `name`: behind the prefix. */
export function naming<F extends TableFields>(
  table: Table<F>,
  prefix: string,
  placeOf: (row: TableRow<F>, name: string) => { place: string; bytes: number },
): NamingRecords {
  return {
    prefix,
    placeOf: ({ key, value, file }) => placeOf(unseal(table, key, value, file), key.slice(prefix.length)),
  };
}

/** The models of a kind, encoded as in keys, and their keys where these can be told. */
export function modelsOf(
  environment: Environment,
  { models }: StoredKind,
): { encoded: string; key: string }[] {
  if (models === undefined) return [];
  return environment.keys(models.prefix).flatMap((record) => {
    const encoded = record.slice(models.prefix.length);
    const read = () => unseal(models.table, record, environment.get(record)!, environment.file).model_key;
    const key = decodeModelKey(encoded) ?? readable(read);
    return key === null ? [] : [{ encoded, key }];
  });
}

interface KindOfContent {
  readonly kind: StoredKind;
  /** Null for a kind without models. */
  readonly model: string | null;
  keysOf(hash: string): readonly string[];
}

/** Every kind by every model, to be asked for many contents. */
export function everyKind(environment: Environment, kinds: readonly StoredKind[]): KindOfContent[] {
  return kinds.flatMap((kind): KindOfContent[] => {
    if (kind.isSeveral)
      return [
        { kind, model: null, keysOf: (hash) => environment.keys(`${kind.records[0]}${checkedHash(hash)}/`) },
      ];
    const keysOf = (before: string) => (hash: string) =>
      kind.records.map((record) => `${record}${before}${checkedHash(hash)}`);
    if (kind.models === undefined) return [{ kind, model: null, keysOf: keysOf('') }];
    return modelsOf(environment, kind).map(({ encoded, key }) => {
      return { kind, model: key, keysOf: keysOf(`${encoded}/`) };
    });
  });
}
