// Lists of summaries and collections, put together from pages: the index answers searches in between.

import { posix, win32 } from 'node:path';
import type { Contract } from '../../../runtime/contract.ts';
import { spelledOnDisk } from '../../../runtime/files/spelling.ts';
import { allAbsolute } from '../../../runtime/paths.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { sideBySide } from '../../../runtime/sync/shared-work.ts';
import { quoted } from '../../../runtime/text.ts';
import { type decoderContract, isMediaError } from '../../decoder/contract.ts';
import { isSame, markOf, nameContent } from '../../index/store/content-name.ts';
import type { storeMessages } from '../../index/store/contract.ts';
import {
  type HeldCollection,
  type HeldSummary,
  mostOfPage,
  type SummaryMember,
  type SummaryName,
  type SummaryNode,
  summaryErrors,
  type summaryMessages,
} from '../../index/summaries/contract.ts';
import {
  type ChildPreview,
  type CollectionsAnswer,
  previewCharacters,
  type SummariesAnswer,
  type SummaryEntry,
  type SummaryMemberEntry,
  type SummaryNodeEntry,
  summariesErrors,
} from './contract.ts';
import { shortened } from './reading.ts';
import type { CollectionsRequest, ListRequest } from './requests/contract.ts';
import { parseSummaryRef, summaryRef } from './summary-ref.ts';

export async function listSummaries(
  parts: SummariesParts,
  request: ListRequest,
  call: AskOptions,
): Promise<SummariesAnswer> {
  const { cache_dir, media_paths, hash_strs, limit = null, after_summary_ref: begins } = request;
  const after = begins === undefined ? null : parseSummaryRef(begins, 'after_summary_ref');
  const { askedAs, broken } = await contentsOf(parts, cache_dir, media_paths, hash_strs, call);
  if (after !== null && !askedAs.has(after.hash_str)) {
    const what = 'after_summary_ref: belongs to none of the requested media';
    throw summariesErrors.BAD_SUMMARY_REF(what, { field: 'after_summary_ref' });
  }
  const listed = await pages(parts, cache_dir, [...askedAs.keys()], { after, limit }, call);
  const damaged = listed.unreadable.map((hash) => `a summary of ${askedAs.get(hash) ?? hash} is damaged`);
  return {
    summaries: listed.summaries.map((summary) => summaryEntry(summary, askedAs.get(summary.hash_str))),
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
  call: AskOptions,
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
  request: CollectionsRequest,
  call: AskOptions,
): Promise<CollectionsAnswer> {
  const { cache_dir, collection_id, include_members } = request;
  if (collection_id === undefined) {
    if (include_members) {
      const what = 'collection_id: is required with include_members';
      throw summariesErrors.WHICH_COLLECTION(what, { field: 'collection_id' });
    }
    const pages = await allPages((after: string | null) =>
      parts.index.ask('list_collections', { cache_dir, after, limit: mostOfPage }, call),
    );
    const damaged = pages.flatMap((page) => page.unreadable.map((id) => `the collection ${id} is damaged`));
    const collections = pages.flatMap((page) => page.collections.map(collectionEntry));
    return { collections: collections.sort(byName), ...warned(damaged) };
  }
  const most = include_members ? null : 0;
  const { collection, members, unreadable } = await membersOf(parts, cache_dir, collection_id, most, call);
  const damaged = unreadable.map(({ hash_str }) => `a member of the content ${hash_str} cannot be read`);
  const entry = collectionEntry(collection);
  const shown = include_members ? { ...entry, members: members.map((member) => memberEntry(member)) } : entry;
  return { collections: [shown], ...warned(damaged) };
}

function collectionEntry({ members: member_count, ...collection }: HeldCollection) {
  return { ...collection, member_count };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name.localeCompare(b.name, 'en') || (a.name < b.name ? -1 : 1);
}

/** Each asked for with the end of the one before it. */
async function allPages<P extends { readonly next: unknown }>(
  page: (after: P['next'] | null) => Promise<P>,
): Promise<P[]> {
  const pages = [await page(null)];
  for (let { next } = pages[0]!; next !== null; { next } = pages.at(-1)!) pages.push(await page(next));
  return pages;
}

/** `most` 0: none of them; null: all. UNKNOWN_COLLECTION. */
export async function membersOf(
  { index }: SummariesParts,
  cache_dir: string,
  collection_id: string,
  most: 0 | null,
  call: AskOptions,
): Promise<{ collection: HeldCollection; members: SummaryMember[]; unreadable: SummaryName[] }> {
  const limit = most === 0 ? 1 : mostOfPage;
  const pages = await allPages(async (after: SummaryName | null) => {
    const page = await index.ask('list_members', { cache_dir, collection_id, after, limit }, call);
    return most === 0 ? { ...page, members: [], unreadable: [], next: null } : page;
  });
  const { collection } = pages[0]!;
  if (collection === null) throw unknownCollection(cache_dir, collection_id);
  return {
    collection,
    members: pages.flatMap((page) => page.members),
    unreadable: pages.flatMap((page) => page.unreadable),
  };
}

function unknownCollection(cache_dir: string, id: string) {
  const what = `collection_id: ${cache_dir} has no collection ${quoted(id.slice(0, 200))}`;
  return summaryErrors.UNKNOWN_COLLECTION(what, { field: 'collection_id' });
}

// Sentences about summaries that could not be read and are missing from an answer.

const mostTold = 8;

export function warned(said: readonly string[]): { warning?: string } {
  if (said.length === 0) return {};
  const more = said.length > mostTold ? `, and ${said.length - mostTold} more` : '';
  return { warning: `Skipped: ${said.slice(0, mostTold).join('; ')}${more}` };
}

// Stored summaries and nodes with the fields of the API.

/** A folder may have been written on another system. */
function basenameOf(path: string): string {
  return path.startsWith('/') ? posix.basename(path) : win32.basename(path);
}

/** `as`: the path by which the file was asked for. */
export function memberEntry(summary: SummaryMember, as: string = summary.media_path): SummaryMemberEntry {
  const { hash_str, analysis_id, analysis_name } = summary;
  return {
    summary_ref: summaryRef(summary),
    analysis_id,
    analysis_name,
    hash_str,
    media_path: as,
    media_basename: basenameOf(as),
  };
}

export function summaryEntry(summary: HeldSummary, as?: string): SummaryEntry {
  const { one_line_summary, collection_id, model_key, stored_ms } = summary;
  const written = { summary_model_key: model_key, created: stored_ms / 1000 };
  return { ...memberEntry(summary, as), one_line_summary, collection_id, ...written };
}

export function childPreview({ node_id, text, child_ids, range }: SummaryNode): ChildPreview {
  const preview = shortened(text, previewCharacters);
  return {
    node_id,
    text_preview: preview.text,
    preview_truncated: preview.isCut,
    is_leaf: child_ids.length === 0,
    search_range: range,
  };
}

export function nodeEntry(node: SummaryNode, children: readonly SummaryNode[]): SummaryNodeEntry {
  const { node_id, parent_id, level, text, child_ids, range, failed, verification_hints } = node;
  return {
    node_id,
    parent_id,
    level,
    text,
    is_leaf: child_ids.length === 0,
    search_range: range,
    failed,
    verification_hints,
    children: children.map(childPreview),
  };
}

// Which content a path means: what lies there now, known by the folder or told by its bytes, so that a file
// that was renamed has its summaries; of a file that is gone what was remembered of its path.

export interface SummariesParts {
  readonly index: Ref<Contract<typeof storeMessages & typeof summaryMessages>>;
  readonly prober: Ref<typeof decoderContract>;
}

/** Paths of one message. */
const together = 500;

/** For each path its hash; null where nothing is known of it, and where `unreadable` says so of a file. */
export async function hashesOf(
  parts: SummariesParts,
  cache_dir: string,
  paths: readonly string[],
  call: AskOptions,
  unreadable: (error: Error) => null,
): Promise<(string | null)[]> {
  const hashes: (string | null)[] = [];
  for (let at = 0; at < paths.length; at += together) {
    const some = paths.slice(at, at + together);
    const { by_path } = await parts.index.ask('find', { cache_dir, paths: some, hashes: [] }, call);
    const contentHashes: (string | null)[] = by_path.map((media) => media?.identity.hash_str ?? null);
    await sideBySide(some.entries(), 4, call.signal, async ([i, path], signal) => {
      const mark = await markOf(path);
      const identity = by_path[i]?.identity;
      if (mark === null || (identity && isSame(identity, mark))) return;
      contentHashes[i] = await contentAt(parts, cache_dir, path, { ...call, signal }).catch(
        (error: unknown) => {
          if (isMediaError(error)) return unreadable(error);
          throw error;
        },
      );
    });
    hashes.push(...contentHashes);
  }
  return hashes;
}

/**
 * The contents that paths and hashes mean, each once, by the path as it was sent; and what is broken about
 * files.
 */
export async function contentsOf(
  parts: SummariesParts,
  cache_dir: string,
  /** Paths in the spelling of the request. */
  media_paths: readonly string[],
  hash_strs: readonly string[],
  call: AskOptions,
): Promise<{ askedAs: Map<string, string | undefined>; broken: string[] }> {
  const broken: string[] = [];
  const paths = await spelledOnDisk(allAbsolute('media_paths', media_paths));
  const hashes = await hashesOf(parts, cache_dir, paths, call, (error) => {
    broken.push(error.message);
    return null;
  });
  const askedAs = new Map<string, string | undefined>();
  for (const [i, hash] of hashes.entries())
    if (hash !== null && !askedAs.has(hash)) askedAs.set(hash, media_paths[i]!);
  for (const hash of hash_strs) if (!askedAs.has(hash)) askedAs.set(hash, undefined);
  return { askedAs, broken };
}

async function contentAt(
  { index, prober }: SummariesParts,
  cache_dir: string,
  path: string,
  call: AskOptions,
): Promise<string> {
  const identity = await prober.ask('identify', { path }, call);
  const named = await nameContent({ decoder: prober, index, cache_dir, call }, path, identity);
  return named.identity.hash_str;
}
