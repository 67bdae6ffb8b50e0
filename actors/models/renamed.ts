// Keys under which models were known before, and what they are now. A model that gives other vectors gets another key, so
// that what is stored of the one before is never compared with them. Pure.
import { defaultModelKey } from './rows/list.ts';

const renamed: Readonly<Record<string, string>> = {
  'starter-visual': defaultModelKey,
};

/** The key under which vectors of an older version of the model are stored; null when there was none. */
export function olderKey(key: string): string | null {
  return Object.keys(renamed).find((older) => renamed[older] === key) ?? null;
}

/** The key of today; every other key is answered as it is. */
export function currentKey(key: string): string {
  return Object.hasOwn(renamed, key) ? renamed[key]! : key;
}
