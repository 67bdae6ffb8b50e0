// Answers of a fake index about results that are one list for each content.
import type { FoundItems, ResultType } from '../../../actors/index/results/contract.ts';
import type { MediaRecord } from '../../../actors/index/store/contract.ts';
import type { Result } from '../../../actors/index/store/results.ts';

/** `stored`: by type and content. */
export function resultHandlers(stored: Readonly<Record<ResultType, Map<string, Result<unknown>>>>) {
  return {
    results_stored: ({ type, hashes }: { type: ResultType; hashes: string[] }) => ({
      stored: hashes.map((hash) => {
        const found = stored[type].get(hash);
        if (!found) return null;
        const { items, ...source } = found;
        return { ...source, count: items.length };
      }),
    }),
    store_result: ({
      media,
      found,
      model_key,
      from_previews,
    }: Omit<Result<never>, 'items'> & { media: MediaRecord; found: FoundItems }) => {
      const items = found.items as never[];
      stored[found.type].set(media.identity.hash_str, { model_key, from_previews, items });
      return {};
    },
    stored_result: ({ type, hash_str }: { type: ResultType; hash_str: string }) => {
      const result = stored[type].get(hash_str);
      if (!result) return null;
      const { items, ...source } = result;
      return { ...source, found: { type, items: [...items] } as FoundItems };
    },
  };
}
