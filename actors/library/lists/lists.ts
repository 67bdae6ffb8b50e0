// The lists of a home folder, one file each. Changes are made under one lock, atomically and flushed, so that
// engines that share the folder do not write over each other.
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf, engineErrors, reasonOf } from '../../../runtime/errors.ts';
import type { FileEdits, HomeFiles } from '../../../runtime/files/home-files.ts';
import { type JsonFields, markOf, readJsonNow } from '../../../runtime/files/json-file.ts';
import { rangeFault } from '../../../runtime/ranges.ts';
import { folders, type SettingValues } from '../../../settings.ts';
import type { PathMap } from '../../index/store/path-map.ts';
import { RootsFile } from '../../index/store/roots-file.ts';
import {
  type GivenItem,
  type ListItem,
  ListName,
  type ListOverview,
  ListVersion,
  listErrors,
  MomentList,
  type MomentLists,
  mostListBytes,
  mostListItems,
  mostLists,
} from './contract.ts';

// The file of one list: what is read from it is checked, and what a newer program added to it survives a
// change.

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

/** Null when there is none. Throws LIST_DAMAGED, LIST_TOO_NEW naming the file. */
function readList(path: string): Document | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // A pipe would never end, and a file of another program not fit.
    if (stats && !stats.isFile()) throw new Error('is not a file');
    if (stats && stats.size > mostListBytes)
      throw new Error(`has ${stats.size} bytes, more than a list can have`);
    const list = readJsonNow(Document, path, (value) => expectKnown(path, value));
    if (list && new Set(list.items.map(({ item_id }) => item_id)).size < list.items.length)
      throw new Error('contains an item twice');
    return list ?? null;
  } catch (error) {
    if (listErrors.LIST_TOO_NEW.is(error)) throw error;
    throw damaged(path, reasonOf(error), error);
  }
}

function expectKnown(path: string, list: JsonFields): JsonFields {
  const { format } = list;
  if (typeof format !== 'number' || format <= FORMAT) return list;
  throw listErrors.LIST_TOO_NEW(`${path} was written by a newer version (format ${format})`, { path });
}

function damaged(path: string, what: string, cause: unknown) {
  return listErrors.LIST_DAMAGED(`${path}: ${what}`, { path }, cause);
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
  const unknownFields = new Map(before.items.map((item) => [item.item_id, unknownOf(item)]));
  const after = items?.map((item) => ({ ...unknownFields.get(item.item_id), ...item })) ?? before.items;
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
  const itemIds = new Set<string>();
  return given.map((item, i) => {
    const { item_id = newId(), media_path, hash_str, start_seconds, end_seconds, name, note } = item;
    if (itemIds.has(item_id)) throw invalid(`items[${i}].item_id`, `${item_id} occurs twice`);
    itemIds.add(item_id);
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

/** The list without fields that only the file has. */
export function shownList(list_id: string, { name, version, updated_at, items }: Document): MomentList {
  const shown = items.map((item) => itemsOf([item], () => item.item_id)[0]!);
  return { list_id, name, version, updated_at, items: shown };
}

export interface ListParts {
  readonly folder: string;
  readonly homeFiles: HomeFiles;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly now: () => number;
  readonly newId: () => string;
  /** How paths are stored. */
  readonly paths: () => PathMap;
}

export function openLists(values: SettingValues, clock: Clock, homeFiles: HomeFiles): MomentLists {
  const now = () => Date.now() / 1000;
  const { lists: folder, roots } = folders(values);
  const file = new RootsFile(roots);
  const paths = () => file.read().paths;
  return new ListFolder({ folder, homeFiles, clock, now, newId: randomUUID, paths });
}

const fileName = /^([0-9a-f-]{36})\.json$/;

type Overview = Omit<ListOverview['lists'][number], 'list_id'> | { readonly reason: string };

export class ListFolder implements MomentLists {
  readonly #parts: ListParts;
  /** Overview of each list by id; `mark` is of its file when it was read. */
  readonly #overviews = new Map<string, { readonly mark: string; readonly overview: Overview }>();

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  async list(signal: AbortSignal): Promise<ListOverview> {
    const { folder } = this.#parts;
    const names = await readdir(folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw damaged(folder, reasonOf(error), error);
    });
    const ids = idsIn(names);
    for (const id of this.#overviews.keys()) if (!ids.includes(id)) this.#overviews.delete(id);
    const lists: ListOverview['lists'] = [];
    const unread: ListOverview['unreadable'] = [];
    for (const list_id of ids) {
      if (signal.aborted) throw engineErrors.CANCELLED();
      // Others have their turns between two lists.
      await eventLoopTurn();
      const overview = this.#tell(list_id);
      if (overview === null) continue;
      if ('reason' in overview) unread.push({ list_id, ...overview });
      else lists.push({ list_id, ...overview });
    }
    lists.sort((a, b) => b.updated_at - a.updated_at || (a.list_id < b.list_id ? -1 : 1));
    return { lists, unreadable: unread };
  }

  async get(listId: string, signal: AbortSignal): Promise<ReturnType<typeof shownList>> {
    if (signal.aborted) throw engineErrors.CANCELLED();
    return this.#shown(listId, this.#read(listId));
  }

  async make({ name, items }: Parameters<MomentLists['make']>[0], signal: AbortSignal) {
    const { now, folder, newId } = this.#parts;
    const given = this.#stored(items);
    return this.#locked(signal, (files) => {
      if (existsSync(folder) && idsIn(readdirSync(folder)).length >= mostLists) {
        throw listErrors.LISTS_FULL(`There are already ${mostLists} lists; remove one first`);
      }
      return this.#write(files, newId(), newDocument(name, given, now()));
    });
  }

  async change(
    listId: string,
    { version, name, items }: Parameters<MomentLists['change']>[1],
    signal: AbortSignal,
  ) {
    const given = items === undefined ? null : this.#stored(items);
    return this.#locked(signal, (files) => {
      const before = this.#read(listId);
      if (before.version !== version) {
        const stored = { version: before.version };
        const what = `version ${version} is outdated: the list now has version ${before.version}`;
        throw listErrors.LIST_CHANGED(what, stored);
      }
      const request = { name: name ?? before.name, items: given };
      return this.#write(files, listId, changedDocument(before, request, this.#parts.now()));
    });
  }

  async remove(listId: string, signal: AbortSignal): Promise<void> {
    const path = this.#path(listId);
    await this.#locked(signal, (files) => {
      // A damaged list is not removed, because it may be worth repairing.
      this.#read(listId);
      try {
        files.remove(path);
      } catch (error) {
        throw unwritable(path, error);
      }
    });
  }

  #write(files: FileEdits, listId: string, document: Document) {
    const path = this.#path(listId);
    const text = textOf(document);
    try {
      files.replace(path, text, { flush: true });
    } catch (error) {
      throw unwritable(path, error);
    }
    return this.#shown(listId, document);
  }

  #shown(listId: string, document: Document): ReturnType<typeof shownList> {
    const paths = this.#parts.paths();
    const list = shownList(listId, document);
    const items = list.items.map((item) => ({ ...item, media_path: paths.shown(item.media_path) }));
    return { ...list, items };
  }

  /** Throws LIST_INVALID naming the field. */
  #stored(given: readonly GivenItem[]): ListItem[] {
    const paths = this.#parts.paths();
    const items = itemsOf(given, this.#parts.newId);
    return items.map((item) => ({ ...item, media_path: paths.stored(item.media_path) }));
  }

  #locked<T>(signal: AbortSignal, change: (files: FileEdits) => T): Promise<T> {
    const { folder, homeFiles, clock } = this.#parts;
    const refused = (what: string, path: string, cause?: unknown) =>
      listErrors.LISTS_UNWRITABLE(what, { path }, cause);
    return homeFiles.change(join(folder, 'lists.lock'), { clock, refused, signal }, change);
  }

  /** Throws LIST_UNKNOWN for what is no id: it could be a path. */
  #path(listId: string): string {
    if (!fileName.test(`${listId}.json`)) throw unknown(listId);
    return join(this.#parts.folder, `${listId}.json`);
  }

  /** Throws LIST_UNKNOWN, LIST_DAMAGED, LIST_TOO_NEW. */
  #read(listId: string): Document {
    const list = readList(this.#path(listId));
    if (list === null) throw unknown(listId);
    return list;
  }

  /** Null when it is gone by now. */
  #tell(listId: string): Overview | null {
    try {
      const mark = markOf(this.#path(listId));
      const last = this.#overviews.get(listId);
      if (last?.mark === mark) return last.overview;
      const { name, version, updated_at, items } = this.#read(listId);
      const overview = { name, version, items: items.length, updated_at };
      this.#overviews.set(listId, { mark, overview });
      return overview;
    } catch (error) {
      return listErrors.LIST_UNKNOWN.is(error) ? null : { reason: (error as Error).message };
    }
  }
}

function idsIn(names: readonly string[]): string[] {
  return names.flatMap((name) => fileName.exec(name)?.[1] ?? []);
}

function unwritable(path: string, error: unknown) {
  const what = `${path} cannot be written (${codeOf(error) || String(error)})`;
  return listErrors.LISTS_UNWRITABLE(what, { path }, error);
}

function unknown(listId: string) {
  return listErrors.LIST_UNKNOWN(`There is no list ${listId}`, { list_id: listId });
}
