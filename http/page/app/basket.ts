// The basket: moments that are put aside to be cut. The store holds them; the view of the basket keeps them
// in the service.
import type { BasketItem } from './basket-item.ts';
import { get, update } from './store.ts';
import { toast } from './toasts.ts';
import { shell } from './words/shell.ts';
import { t } from './words.ts';

type Part = Pick<BasketItem, 'hash_str' | 'start_seconds' | 'end_seconds'>;

export function isSamePart(a: Part, b: Part): boolean {
  return a.hash_str === b.hash_str && a.start_seconds === b.start_seconds && a.end_seconds === b.end_seconds;
}

export function isInBasket(basket: readonly BasketItem[], part: Part): boolean {
  return basket.some((one) => isSamePart(one, part));
}

/** Puts it in at the end, or takes it out when it lies there. */
export function toggleInBasket(item: Omit<BasketItem, 'item_id'>): void {
  const { basket } = get();
  const isIn = isInBasket(basket, item);
  const item_id = crypto.randomUUID();
  update({
    basket: isIn ? basket.filter((one) => !isSamePart(one, item)) : [...basket, { item_id, ...item }],
  });
  toast(t(shell.inBasket, { n: get().basket.length }));
}
