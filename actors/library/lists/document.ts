// The file of one list: what is read from it is checked, and what a newer program added to it survives a
// change.

import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { rangeFault } from '../../../runtime/range-fault.ts';
import {
  type GivenItem,
  type ListItem,
  ListName,
  ListVersion,
  listErrors,
  MomentList,
  mostListBytes,
  mostListItems,
} from './contract.ts';

const FORMAT = 1;

const { items } = MomentList.properties;
const Document = Type.Object({
  format: Type.Literal(FORMAT),
  version: ListVersion,
  name: ListName,
  updated_at: Type.Number(),
  items,
});
/** With fields that only a newer program knows. */
export type Document = Static<typeof Document>;

/** Throws LIST_DAMAGED, LIST_TOO_NEW naming the file. */
export function parsed(path: string, text: string): Document {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(path, 'is not JSON', error);
  }
  const format = (value as Partial<Record<'format', unknown>> | null)?.format;
  if (typeof format === 'number' && format > FORMAT) {
    throw listErrors.LIST_TOO_NEW(`${path} was written by a newer version (format ${format})`, { path });
  }
  if (!Check(Document, value)) {
    const [first] = Errors(Document, value);
    throw damaged(path, `is not a list: ${first?.instancePath || 'it'} ${first?.message ?? 'is wrong'}`);
  }
  if (new Set(value.items.map(({ item_id }) => item_id)).size < value.items.length)
    throw damaged(path, 'contains an item twice');
  return value;
}

export function damaged(path: string, what: string, cause?: unknown) {
  return listErrors.LIST_DAMAGED(`${path} ${what}`, { path }, cause);
}

/** Throws LIST_INVALID. */
export function textOf(document: Document): string {
  const text = `${JSON.stringify(document)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostListBytes) return text;
  const what = `items take ${bytes} bytes, but a list can have at most ${mostListBytes}`;
  throw listErrors.LIST_INVALID(what, { field: 'items' });
}

export function newDocument(name: string, items: readonly ListItem[], now: number): Document {
  return { format: FORMAT, version: 1, name, updated_at: now, items: [...items] };
}

/** `items`: null to leave them. What is not known of an item that stays is kept. */
export function changedDocument(
  before: Document,
  { name, items }: { readonly name: string; readonly items: readonly ListItem[] | null },
  now: number,
): Document {
  const known = new Map(before.items.map((item) => [item.item_id, unknownOf(item)]));
  const after = items?.map((item) => ({ ...known.get(item.item_id), ...item })) ?? before.items;
  return { ...before, name, version: before.version + 1, updated_at: now, items: after };
}

/** The fields of an item that this program does not know. */
function unknownOf(item: ListItem): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).filter(([field]) => !itemFields.includes(field)));
}

const itemFields = Object.keys(items.items.properties);

/** Throws LIST_INVALID naming the field. */
export function itemsOf(given: readonly GivenItem[], newId: () => string): ListItem[] {
  if (given.length > mostListItems) throw invalid('items', `has more than ${mostListItems} items`);
  const seen = new Set<string>();
  return given.map((item, i) => {
    const { item_id = newId(), media_path, hash_str, start_seconds, end_seconds, name, note } = item;
    if (seen.has(item_id)) throw invalid(`items[${i}].item_id`, `${item_id} occurs twice`);
    seen.add(item_id);
    if (end_seconds <= start_seconds) {
      throw invalid(`items[${i}].end_seconds`, rangeFault(start_seconds, end_seconds));
    }
    return {
      item_id,
      media_path,
      ...(hash_str !== undefined && { hash_str }),
      start_seconds,
      end_seconds,
      ...(name !== undefined && { name }),
      ...(note !== undefined && { note }),
    };
  });
}

function invalid(field: string, what: string) {
  return listErrors.LIST_INVALID(`${field} ${what}`, { field });
}

/** As it is answered: without what only the file holds. */
export function shownList(list_id: string, { name, version, updated_at, items }: Document): MomentList {
  const shown = items.map((item) => itemsOf([item], () => item.item_id)[0]!);
  return { list_id, name, version, updated_at, items: shown };
}
