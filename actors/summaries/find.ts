// Finds nodes by the words of their texts. What is stored is brought into memory by the first search, a step at a time, and
// other questions are answered in between.
import type { CallOptions } from '../../runtime/ref.ts';
import { Mutex } from '../../runtime/sync/mutex.ts';
import type { SummaryMatch } from '../index/summaries/contract.ts';
import { contentsOf, type SummariesParts } from './contents.ts';
import type { FindRequest, SummaryMatchEntry, SummaryMatchesAnswer } from './contract.ts';
import { memberEntry } from './entries.ts';
import { membersOf } from './lists.ts';
import { warned } from './warned.ts';

export class SummaryFinder {
  readonly #parts: SummariesParts;
  /** One search at a time: two of different folders would take turns in throwing out what the other one reads. */
  readonly #searching = new Mutex();

  constructor(parts: SummariesParts) {
    this.#parts = parts;
  }

  async find(request: FindRequest, call: CallOptions): Promise<SummaryMatchesAnswer> {
    const { cache_dir, query, collection_id, max_results } = request;
    const { askedAs, broken } = await this.#within(request, call);
    if (collection_id !== null) await membersOf(this.#parts, cache_dir, collection_id, 0, call);
    const hashes = askedAs === null ? null : [...askedAs.keys()];
    const found = await this.#searching.run(async () => {
      for (;;) {
        const asked = { cache_dir, query, hashes, collection_id, max_results };
        const answer = await this.#parts.index.ask('search_summaries', asked, call);
        if (answer.done) return answer;
      }
    }, call);
    const { matches, total, total_is_exact, unreadable } = found;
    const inScope = unreadable.filter(({ hash_str }) => askedAs?.has(hash_str) ?? true);
    const damaged = inScope.map(
      ({ hash_str }) => `a summary of ${askedAs?.get(hash_str) ?? hash_str} is damaged`,
    );
    return {
      matches: matches.map((one) => matchEntry(one, askedAs?.get(one.hash_str))),
      total,
      truncated: total > matches.length || !total_is_exact,
      total_is_exact,
      ...warned([...broken, ...damaged]),
    };
  }

  async #within({ cache_dir, media_paths, hash_strs }: FindRequest, call: CallOptions) {
    if (media_paths === null && hash_strs === null) return { askedAs: null, broken: [] };
    return contentsOf(this.#parts, cache_dir, media_paths ?? [], hash_strs ?? [], call);
  }
}

function matchEntry(match: SummaryMatch, as: string | undefined): SummaryMatchEntry {
  const { node_id, level, is_leaf, range, text_preview, match_ranges, preview_truncated } = match;
  return {
    ...memberEntry(match, as),
    node_id,
    level,
    is_leaf,
    search_range: range,
    text_preview,
    match_ranges,
    preview_truncated,
  };
}
