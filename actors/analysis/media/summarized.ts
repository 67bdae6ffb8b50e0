// Which summaries and collections an analysis folder has, for who is about to make one.
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { type HeldSummary, mostOfPage, type SummaryName } from '../../index/summaries/contract.ts';

type Index = Ref<typeof indexContract>;

/** Paths of one message. */
const together = mostOfPage;

export async function summaryNames(
  index: Index,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  for (let at = 0; at < paths.length; at += together) {
    const some = paths.slice(at, at + together);
    const { by_path } = await index.ask('find', { cache_dir, paths: some, hashes: [] }, call);
    const hashes = by_path.map((media) => media?.identity.hash_str ?? null);
    const hashSet = [...new Set(hashes.filter((hash) => hash !== null))];
    const byHash = Map.groupBy(
      await summariesOf(index, cache_dir, hashSet, call),
      ({ hash_str }) => hash_str,
    );
    for (const [i, path] of some.entries()) {
      const summaries = byHash.get(hashes[i] ?? '') ?? [];
      names.set(
        path,
        summaries.map(({ analysis_name }) => analysis_name),
      );
    }
  }
  return names;
}

/** All summaries of some contents, at most a page of them. */
export async function summariesOf(
  index: Index,
  cache_dir: string,
  hashes: string[],
  call: AskOptions,
): Promise<HeldSummary[]> {
  const all: HeldSummary[] = [];
  if (hashes.length === 0) return all;
  let after: SummaryName | null = null;
  do {
    const request = { cache_dir, hashes, after, limit: mostOfPage };
    const page: { summaries: HeldSummary[]; next: SummaryName | null } = await index.ask(
      'list_summaries',
      request,
      call,
    );
    all.push(...page.summaries);
    after = page.next;
  } while (after !== null);
  return all;
}

export async function collectionIds(index: Index, cache_dir: string, call: AskOptions): Promise<Set<string>> {
  const ids = new Set<string>();
  let after: string | null = null;
  do {
    const page: { collections: { collection_id: string }[]; next: string | null } = await index.ask(
      'list_collections',
      { cache_dir, after, limit: mostOfPage },
      call,
    );
    for (const { collection_id } of page.collections) ids.add(collection_id);
    after = page.next;
  } while (after !== null);
  return ids;
}
