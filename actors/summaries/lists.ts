// Lists of summaries and collections, put together from pages: the index answers searches in between.
import { quoted } from '../../runtime/quoted.ts';
import type { CallOptions } from '../../runtime/ref.ts';
import {
  type HeldCollection,
  type HeldSummary,
  mostOfPage,
  type SummaryMember,
  type SummaryName,
  summaryErrors,
} from '../index/summaries/contract.ts';
import { contentsOf, type SummariesParts } from './contents.ts';
import {
  type CollectionsAnswer,
  type ListRequest,
  type SummariesAnswer,
  type Summaries as SummariesOfApi,
  summariesErrors,
} from './contract.ts';
import { memberEntry, summaryEntry } from './entries.ts';
import { parseSummaryRef, summaryRef } from './summary-ref.ts';
import { warned } from './warned.ts';

export async function listSummaries(
  parts: SummariesParts,
  request: ListRequest,
  call: CallOptions,
): Promise<SummariesAnswer> {
  const { cache_dir, media_paths, hash_strs, limit } = request;
  const begins = request.after_summary_ref;
  const after = begins === null ? null : parseSummaryRef(begins, 'after_summary_ref');
  const { askedAs, broken } = await contentsOf(parts, cache_dir, media_paths, hash_strs, call);
  if (after !== null && !askedAs.has(after.hash_str)) {
    const what = 'after_summary_ref: belongs to none of the requested media';
    throw summariesErrors.BAD_SUMMARY_REF(what, { field: 'after_summary_ref' });
  }
  const listed = await pages(parts, cache_dir, [...askedAs.keys()], { after, limit }, call);
  const damaged = listed.unreadable.map((hash) => `a summary of ${askedAs.get(hash) ?? hash} is damaged`);
  return {
    summaries: listed.summaries.map((one) => summaryEntry(one, askedAs.get(one.hash_str))),
    next_after_summary_ref: listed.next && summaryRef(listed.next),
    ...warned([...broken, ...damaged]),
  };
}

interface Listed {
  readonly summaries: HeldSummary[];
  readonly unreadable: string[];
  readonly next: SummaryName | null;
}

/** Also asked without any hash: a folder that cannot be read is told. */
async function pages(
  { index }: SummariesParts,
  cache_dir: string,
  all: readonly string[],
  { after, limit }: { readonly after: SummaryName | null; readonly limit: number | null },
  call: CallOptions,
): Promise<Listed> {
  const summaries: HeldSummary[] = [];
  const unreadable: string[] = [];
  let at = after === null ? 0 : Math.max(0, all.indexOf(after.hash_str));
  let last = after;
  do {
    const hashes = all.slice(at, at + mostOfPage);
    const most = limit === null ? mostOfPage : Math.min(mostOfPage, limit - summaries.length);
    const page = await index.ask('list_summaries', { cache_dir, hashes, after: last, limit: most }, call);
    summaries.push(...page.summaries);
    unreadable.push(...page.unreadable);
    last = page.next;
    if (last === null) at += mostOfPage;
    if (limit !== null && summaries.length >= limit) return { summaries, unreadable, next: last };
  } while (at < all.length);
  return { summaries, unreadable, next: null };
}

export async function listCollections(
  parts: SummariesParts,
  request: Parameters<SummariesOfApi['collections']>[0],
  call: CallOptions,
): Promise<CollectionsAnswer> {
  const { cache_dir, collection_id, include_members } = request;
  if (collection_id === null) {
    if (include_members) {
      const what = 'collection_id: is required with include_members';
      throw summariesErrors.WHICH_COLLECTION(what, { field: 'collection_id' });
    }
    const { collections, unreadable } = await allCollections(parts, cache_dir, call);
    const damaged = unreadable.map((id) => `the collection ${id} is damaged`);
    return { collections: collections.map(collectionEntry).sort(byName), ...warned(damaged) };
  }
  const most = include_members ? null : 0;
  const { collection, members, unreadable } = await membersOf(parts, cache_dir, collection_id, most, call);
  const damaged = unreadable.map(({ hash_str }) => `a member of the content ${hash_str} cannot be read`);
  const entry = collectionEntry(collection);
  const shown = include_members ? { ...entry, members: members.map((one) => memberEntry(one)) } : entry;
  return { collections: [shown], ...warned(damaged) };
}

function collectionEntry({ members: member_count, ...collection }: HeldCollection) {
  return { ...collection, member_count };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name.localeCompare(b.name, 'en') || (a.name < b.name ? -1 : 1);
}

async function allCollections({ index }: SummariesParts, cache_dir: string, call: CallOptions) {
  const collections: HeldCollection[] = [];
  const unreadable: string[] = [];
  let after: string | null = null;
  do {
    const asked: { cache_dir: string; after: string | null; limit: number } = {
      cache_dir,
      after,
      limit: mostOfPage,
    };
    const page = await index.ask('list_collections', asked, call);
    collections.push(...page.collections);
    unreadable.push(...page.unreadable);
    after = page.next;
  } while (after !== null);
  return { collections, unreadable };
}

/** `most` 0: none of them; null: all. UNKNOWN_COLLECTION. */
export async function membersOf(
  { index }: SummariesParts,
  cache_dir: string,
  collection_id: string,
  most: 0 | null,
  call: CallOptions,
): Promise<{ collection: HeldCollection; members: SummaryMember[]; unreadable: SummaryName[] }> {
  const limit = most === 0 ? 1 : mostOfPage;
  const first = await index.ask('list_members', { cache_dir, collection_id, after: null, limit }, call);
  const { collection } = first;
  if (collection === null) throw unknownCollection(cache_dir, collection_id);
  if (most === 0) return { collection, members: [], unreadable: [] };
  const { members, unreadable } = first;
  for (let after = first.next; after !== null; ) {
    const page = await index.ask('list_members', { cache_dir, collection_id, after, limit }, call);
    members.push(...page.members);
    unreadable.push(...page.unreadable);
    after = page.next;
  }
  return { collection, members, unreadable };
}

function unknownCollection(cache_dir: string, id: string) {
  const what = `collection_id: ${cache_dir} has no collection ${quoted(id.slice(0, 200))}`;
  return summaryErrors.UNKNOWN_COLLECTION(what, { field: 'collection_id' });
}
