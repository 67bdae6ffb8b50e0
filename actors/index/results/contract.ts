// Results that are one list for each content, whatever their kind: they are stored and read by the same
// messages.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { nullable, oneOf } from '../../../runtime/schema.ts';
import { soundResults } from '../sounds/kind.ts';
import { Folder, MediaRecord } from '../store/contract.ts';
import { thingResults } from '../things/kind.ts';
import { textResults } from '../written/kind.ts';

export const resultKinds = [textResults, thingResults, soundResults] as const;
type ListKind = (typeof resultKinds)[number];
export type ResultType = ListKind['type'];
export type ItemOf<T extends ResultType> = Static<Extract<ListKind, { readonly type: T }>['items']>[number];

export type FoundItems = {
  [K in ListKind as K['type']]: { readonly type: K['type']; readonly items: Static<K['items']> };
}[ListKind['type']];
const FoundItems = Type.Unsafe<FoundItems>(
  Type.Union(resultKinds.map(({ type, items }) => Type.Object({ type: Type.Literal(type), items }))),
);
const Types = oneOf(...resultKinds.map(({ type }) => type));

/** Items of a result; none if the content was not analysed. */
export function itemsOf<T extends ResultType>(
  result: { readonly found: FoundItems } | null,
  type: T,
): ItemOf<T>[] {
  return result?.found.type === type ? (result.found.items as ItemOf<T>[]) : [];
}

const Source = { model_key: Type.String(), from_previews: Type.Boolean() };

export const resultMessages = {
  /**
   * Model that analysed each content, and number of the items shown as found; null if none did, or the record
   * is damaged.
   */
  results_stored: ask(
    Type.Object({ ...Folder, type: Types, hashes: Type.Array(Type.String()) }),
    Type.Object({
      stored: Type.Array(nullable(Type.Object({ ...Source, count: Type.Integer({ minimum: 0 }) }))),
    }),
  ),
  /** Takes the place of what was stored of the media. *Flushed* when answered. */
  store_result: ask(
    Type.Object({ ...Folder, ...Source, media: MediaRecord, found: FoundItems }),
    Type.Object({}),
  ),
  /** Null where nobody looked. STORE_DAMAGED. */
  stored_result: ask(
    Type.Object({ ...Folder, type: Types, hash_str: Type.String() }),
    nullable(Type.Object({ ...Source, found: FoundItems })),
  ),
};
