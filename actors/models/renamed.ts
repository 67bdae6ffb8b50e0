// Keys under which models were known before, and what they are now. A model that gives other vectors gets
// another key, so that what is stored of the one before is never compared with them.
import { defaultModelKey } from './rows/list.ts';

const renamed: Readonly<Record<string, string>> = {
  'starter-visual': defaultModelKey,
  'starter-visual-2': defaultModelKey,
};

/** The keys under which vectors of older versions of the model are stored. */
export function olderKeys(key: string): string[] {
  return Object.keys(renamed).filter((older) => renamed[older] === key);
}

/** The key of today; every other key is answered as it is. */
export function currentKey(key: string): string {
  return Object.hasOwn(renamed, key) ? renamed[key]! : key;
}
