// Removes summaries, some at a time; what they take on the disk is freed in steps behind it.
import type { CallOptions } from '../../runtime/ref.ts';
import { sweepInSteps } from '../index/store/compact-in-steps.ts';
import { mostOfPage, type SummaryName } from '../index/summaries/contract.ts';
import type { SummariesParts } from './contents.ts';
import { type Summaries, type SummariesRemoved, summariesErrors } from './contract.ts';
import { membersOf } from './lists.ts';
import { parseSummaryRef, summaryRef } from './summary-ref.ts';

/** Of one transaction: searches are answered between two. */
const together = Math.min(256, mostOfPage);

export async function removeSummaries(
  parts: SummariesParts,
  request: Parameters<Summaries['remove']>[0],
  call: CallOptions,
): Promise<SummariesRemoved> {
  const { cache_dir, collection_id } = request;
  if (request.summary_refs.length === 0 && collection_id === null) {
    const what = 'summary_refs: is empty; give summary_refs or a collection_id';
    throw summariesErrors.WHICH_SUMMARY(what, { field: 'summary_refs' });
  }
  const refs = [...new Set(request.summary_refs)];
  const named = refs.map((ref, i) => parseSummaryRef(ref, `summary_refs[${i}]`));
  const within = collection_id === null ? null : await membersOf(parts, cache_dir, collection_id, null, call);
  const members = [...(within?.members ?? []), ...(within?.unreadable ?? [])];
  const all = new Map<string, SummaryName>();
  for (const { hash_str, analysis_id } of [...named, ...members]) {
    const one = { hash_str, analysis_id };
    all.set(summaryRef(one), one);
  }
  const removed: string[] = [];
  const wanted = [...all];
  const gone: string[] = [];
  for (let at = 0; at < wanted.length || at === 0; at += together) {
    const some = wanted.slice(at, at + together);
    // The collection goes with its last members.
    const collections = collection_id !== null && at + together >= wanted.length ? [collection_id] : [];
    const summaries = some.map(([, name]) => name);
    const answer = await parts.index.ask('remove_summaries', { cache_dir, summaries, collections }, call);
    removed.push(...some.flatMap(([ref], i) => (answer.removed[i] ? [ref] : [])));
    gone.push(...answer.collections);
  }
  if (removed.length === 0 && gone.length === 0) {
    const what = `summary_refs: ${cache_dir} has none of these ${refs.length} summaries`;
    throw summariesErrors.UNKNOWN_SUMMARY(what, { field: 'summary_refs' });
  }
  await sweepInSteps(parts.index, cache_dir, call.signal ?? new AbortController().signal);
  const there = new Set(removed);
  const unknown = refs.filter((ref) => !there.has(ref));
  return {
    message: told(removed.length, unknown.length, gone.length),
    removed,
    unknown,
    collections_removed: gone,
  };
}

function told(removed: number, unknown: number, collections: number): string {
  const said = [
    `${removed} ${removed === 1 ? 'summary is' : 'summaries are'} removed`,
    ...(collections > 0 ? ['with their collection'] : []),
    ...(unknown > 0 ? [`${unknown} not found`] : []),
  ];
  return said.join(', ');
}
