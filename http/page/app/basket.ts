// The basket: moments that are put aside to be cut. The store holds them; the view of the basket keeps them
// in the service.

import { api, isAbort, messageOf, ServiceError } from './api.ts';
import { type BasketItem, createSlice, get, subscribe, update } from './store.ts';
import { toast } from './toasts.ts';
import { lists as words } from './words/lists.ts';
import { shell } from './words/shell.ts';
import { t } from './words.ts';

/** How much of a still goes into a sequence: the default of `source_end_seconds` of a timeline. */
export const stillPart = { start_seconds: 0, end_seconds: 5 } as const;

type Part = Pick<BasketItem, 'hash_str' | 'start_seconds' | 'end_seconds'>;

function isSamePart(a: Part, b: Part): boolean {
  return a.hash_str === b.hash_str && a.start_seconds === b.start_seconds && a.end_seconds === b.end_seconds;
}

export function isInBasket(basket: readonly BasketItem[], part: Part): boolean {
  return basket.some((item) => isSamePart(item, part));
}

/** At the end, without those that lie there. */
export function addToBasket(items: readonly Omit<BasketItem, 'item_id'>[]): void {
  update(({ basket }) => {
    const added = items.filter((item) => !isInBasket(basket, item));
    return { basket: [...basket, ...added.map((item) => ({ item_id: crypto.randomUUID(), ...item }))] };
  });
  toast(t(shell.inBasket, { n: get().basket.length }));
}

/** Puts it in at the end, or takes it out when it lies there. */
export function toggleInBasket(item: Omit<BasketItem, 'item_id'>): void {
  if (!isInBasket(get().basket, item)) {
    addToBasket([item]);
    return;
  }
  update(({ basket }) => ({ basket: basket.filter((candidate) => !isSamePart(candidate, item)) }));
  toast(t(shell.inBasket, { n: get().basket.length }));
}

// The basket is a list that the service keeps: it is read when a person signs in, and every change is saved
// shortly after. When somebody else changed the list meanwhile, both changes hold.

const KEPT = 'framehound.list';
const SAVE_AFTER_MS = 400;
const MOST_TRIES = 5;

interface SavedList {
  readonly list_id: string;
  readonly name: string;
  readonly items: number;
}

interface ListState {
  readonly list_id: string | null;
  readonly name: string;
  readonly version: number;
  readonly state: 'unknown' | 'saved' | 'saving' | 'failed';
  readonly error: string | null;
  /** All there are, the one that was changed last first. */
  readonly all: readonly SavedList[];
}

export const basketList = createSlice<ListState>('basket', {
  list_id: null,
  name: '',
  version: 0,
  state: 'unknown',
  error: null,
  all: [],
});

/** The items as the service has them; a change is what differs from it. */
let stored: readonly BasketItem[] = [];
let timer = 0;
let saving: Promise<void> | null = null;
let before = { session: get().session, returns: get().returns, basket: get().basket };

export function watchBasket(): void {
  const look = () => {
    const { session, returns, basket } = get();
    const isNew = session !== before.session || returns !== before.returns;
    const isChanged = basket !== before.basket;
    before = { session, returns, basket };
    if (session === null) return;
    if (isNew) void openLists();
    else if (isChanged && basket !== stored) saveSoon();
  };
  subscribe(look);
  if (before.session !== null) void openLists();
}

async function openLists(): Promise<void> {
  try {
    const all = await readLists();
    const { list_id } = basketList.get();
    const lastId = list_id ?? localStorage.getItem(KEPT);
    const list = all.find((entry) => entry.list_id === lastId) ?? all[0];
    if (list) await openList(list.list_id);
    else basketList.update({ state: 'saved' });
  } catch (error) {
    tell(error);
  }
}

export async function readLists(): Promise<readonly SavedList[]> {
  const { lists } = await api.listLists();
  const all = lists.toSorted((a, b) => b.updated_at - a.updated_at);
  basketList.update({ all });
  return all;
}

/** Takes the place of what is in the basket; what was put into an unnamed one meanwhile is added. */
export async function openList(list_id: string): Promise<void> {
  await saving;
  const isFirst = basketList.get().list_id === null;
  const added = isFirst ? get().basket : [];
  const isUnsaved = list_id === basketList.get().list_id && get().basket !== stored;
  const { list } = await api.getList({ list_id });
  take(list, isUnsaved ? get().basket : undefined);
  localStorage.setItem(KEPT, list_id);
  if (added.length > 0) update(({ basket }) => ({ basket: [...basket, ...added] }));
}

export async function newList(name: string): Promise<void> {
  await saving;
  const { list } = await api.makeList({ name });
  take(list);
  localStorage.setItem(KEPT, list.list_id);
  await readLists();
}

export async function renameList(name: string): Promise<void> {
  await saving;
  const { list_id, version } = basketList.get();
  if (list_id === null) return;
  const { list } = await api.changeList({ list_id, version, name });
  take(list);
  await readLists();
}

export async function removeList(): Promise<void> {
  await saving;
  const { list_id } = basketList.get();
  if (list_id === null) return;
  await api.deleteList({ list_id });
  localStorage.removeItem(KEPT);
  stored = [];
  basketList.update({ list_id: null, name: '', version: 0, state: 'saved' });
  update({ basket: stored });
  await openLists();
}

interface StoredList {
  readonly list_id: string;
  readonly name: string;
  readonly version: number;
  readonly items: readonly (Omit<BasketItem, 'hash_str'> & { readonly hash_str?: string })[];
}

function take({ list_id, name, version, items }: StoredList, mine?: readonly BasketItem[]): void {
  const base = stored;
  stored = items.map((item) => ({ ...item, hash_str: item.hash_str ?? '' }));
  basketList.update({ list_id, name, version, state: 'saved', error: null });
  const basket = mine ? mergedItems(base, mine, stored) : stored;
  update({ basket: JSON.stringify(basket) === JSON.stringify(stored) ? stored : basket });
}

function saveSoon(): void {
  basketList.update({ state: 'saving' });
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    saving = (saving ?? Promise.resolve()).then(save);
  }, SAVE_AFTER_MS);
}

async function save(): Promise<void> {
  try {
    for (let tries = 0; get().basket !== stored && tries < MOST_TRIES; tries++) await saveOnce();
    await readLists();
  } catch (error) {
    tell(error);
  }
}

async function saveOnce(): Promise<void> {
  const sent = get().basket;
  const items = sent.map(({ hash_str, ...item }) => ({ ...item, ...(hash_str !== '' && { hash_str }) }));
  const { list_id, version } = basketList.get();
  try {
    const { list } =
      list_id === null
        ? await api.makeList({ name: t(words.defaultName), items })
        : await api.changeList({ list_id, version, items });
    const now = get().basket;
    localStorage.setItem(KEPT, list.list_id);
    // Changes made during the save are changes to the saved list.
    stored = sent;
    take(list, now === sent ? undefined : now);
  } catch (error) {
    if (!(error instanceof ServiceError) || list_id === null) throw error;
    if (error.status === 404) {
      // Somebody removed the list: what is in the basket becomes another one.
      stored = [];
      basketList.update({ list_id: null, version: 0 });
      return;
    }
    if (error.status !== 409) throw error;
    const { list } = await api.getList({ list_id });
    take(list, get().basket);
  }
}

function tell(error: unknown): void {
  // Without an answer it is read, and saved, when the service is back.
  if (isAbort(error) || (error instanceof ServiceError && error.status === 0)) return;
  basketList.update({ state: 'failed', error: messageOf(error) });
}

// Merge of a list that two clients have changed at once.

/**
 * `base`: what both began with. Whatever one of them added, changed or took out holds; where both changed one
 * item, `mine` does. The order is that of `mine`, when only `mine` moved things or nothing was moved; else
 * that of `theirs`.
 */
export function mergedItems(
  base: readonly BasketItem[],
  mine: readonly BasketItem[],
  theirs: readonly BasketItem[],
): BasketItem[] {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(byId) as [Items, Items, Items];
  const result = (id: string): BasketItem | null => {
    const [before, myItem, theirItem] = [inBase.get(id), inMine.get(id), inTheirs.get(id)];
    if (!before) return myItem ?? theirItem ?? null;
    if (!myItem || !theirItem) return null;
    return isSame(myItem, before) ? theirItem : myItem;
  };
  const hasMoved = (items: readonly BasketItem[], current: Items) => {
    const order = items.filter(({ item_id }) => inBase.has(item_id)).map(({ item_id }) => item_id);
    const before = base.filter(({ item_id }) => current.has(item_id)).map(({ item_id }) => item_id);
    return order.join(' ') !== before.join(' ');
  };
  // New items stand where they were put by whoever put some.
  const isByMine = hasMoved(mine, inMine) || (!hasMoved(theirs, inTheirs) && ids(mine) !== ids(base));
  const [first, second] = isByMine ? [mine, theirs] : [theirs, mine];
  const all = new Set([...first, ...second].map(({ item_id }) => item_id));
  return [...all].map(result).filter((item) => item !== null);
}

function ids(items: readonly BasketItem[]): string {
  return items.map(({ item_id }) => item_id).join(' ');
}

type Items = ReadonlyMap<string, BasketItem>;

function byId(items: readonly BasketItem[]): Items {
  return new Map(items.map((item) => [item.item_id, item]));
}

export function isSame(a: BasketItem, b: BasketItem): boolean {
  return JSON.stringify(fieldsOf(a)) === JSON.stringify(fieldsOf(b));
}

function fieldsOf({ item_id, media_path, hash_str, start_seconds, end_seconds, name, note }: BasketItem) {
  return [item_id, media_path, hash_str, start_seconds, end_seconds, name ?? '', note ?? ''];
}
