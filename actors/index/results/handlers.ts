// Handlers about results that are one list for each content.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import { readable } from '../store/faults.ts';
import type { StoreParts } from '../store/handlers.ts';
import type { FoundItems, resultMessages } from './contract.ts';

export function resultHandlers({ folders }: StoreParts): Handlers<Contract<typeof resultMessages>> {
  return {
    results_stored: ({ cache_dir, type, hashes }) =>
      folders.with(cache_dir, (store) => ({
        stored: hashes.map((hash) => readable(() => store.results(type).shown(hash))),
      })),
    store_result: ({ cache_dir, media, found, ...source }) =>
      folders.with(cache_dir, (store) => {
        store.results(found.type).store(media, { ...source, items: found.items });
        return {};
      }),
    stored_result: ({ cache_dir, type, hash_str }) =>
      folders.with(cache_dir, (store) => {
        const result = store.results(type).of(hash_str);
        if (result === null) return null;
        const { items, ...source } = result;
        return { ...source, found: { type, items: [...items] } as FoundItems };
      }),
  };
}
