// What becomes of the items of a list that two have changed at once.
import type { BasketItem } from './basket-item.ts';

/**
 * `base`: what both began with. Whatever one of them added, changed or took out holds; where both changed one item, `mine`
 * does. The order is that of `mine`, when only `mine` moved things or nothing was moved; else that of `theirs`.
 */
export function mergedItems(
  base: readonly BasketItem[],
  mine: readonly BasketItem[],
  theirs: readonly BasketItem[],
): BasketItem[] {
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(byId) as [Items, Items, Items];
  const result = (id: string): BasketItem | null => {
    const [before, own, other] = [inBase.get(id), inMine.get(id), inTheirs.get(id)];
    if (!before) return own ?? other ?? null;
    if (!own || !other) return null;
    return isSame(own, before) ? other : own;
  };
  const hasMoved = (items: readonly BasketItem[], known: Items) => {
    const kept = items.filter(({ item_id }) => inBase.has(item_id)).map(({ item_id }) => item_id);
    const before = base.filter(({ item_id }) => known.has(item_id)).map(({ item_id }) => item_id);
    return kept.join(' ') !== before.join(' ');
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
