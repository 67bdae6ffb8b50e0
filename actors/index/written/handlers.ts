// What the index answers about printed words.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { checkSearchFilters, type FilterParts, passingHashes } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { TextCache } from '../text/text-cache.ts';
import type { WrittenLine, WrittenMatch, writtenMessages } from './contract.ts';
import { findWritten, type WrittenHit, type WrittenScope } from './search.ts';
import type { WrittenTexts } from './written-texts.ts';

type WrittenContract = Contract<typeof writtenMessages>;
type SearchRequest = Request<WrittenContract, 'search_written'>;
type SearchReply = Reply<WrittenContract, 'search_written'>;

export interface WrittenParts extends FilterParts {
  readonly written: TextCache<WrittenTexts>;
  readonly people: Pick<PeopleIndex, 'seen'>;
}

export function writtenHandlers(parts: WrittenParts): Handlers<WrittenContract> {
  const { folders } = parts;
  return {
    written_stored: ({ cache_dir, hashes }) =>
      folders.with(cache_dir, (store) => ({ stored: hashes.map((hash) => storedOf(store, hash)) })),
    store_written: ({ cache_dir, media, model_key, lines, from_previews }) =>
      folders.with(cache_dir, (store) => {
        store.written.store(media, { model_key, lines, from_previews });
        return {};
      }),
    written_in: ({ cache_dir, hash_str }) =>
      folders.with(cache_dir, (store) => {
        const found = store.written.of(hash_str);
        return { lines: found && [...found.lines], from_previews: found?.from_previews ?? false };
      }),
    search_written: (request, turn) => search(parts, request, () => turn.throwIfCancelled()),
  };
}

function storedOf(store: Store, hash: string) {
  const found = readable(() => store.written.of(hash));
  if (found === null) return null;
  const { model_key, lines, from_previews } = found;
  return { model_key, lines: lines.length, from_previews };
}

async function search(parts: WrittenParts, request: SearchRequest, pause: () => void): Promise<SearchReply> {
  const { cache_dir, scope, people } = request;
  const { texts, filters, seen } = await parts.folders.with(cache_dir, (store) => ({
    texts: parts.written.step(store),
    filters: checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters)),
    seen: people === undefined ? null : parts.people.seen(store, people).ranges,
  }));
  if (texts === null) return { done: false, matches: [], media: 0, unreadable: [] };
  const unfiltered = { cache_dir, hashes: scope.hashes, filters };
  const hashes = await passingHashes(parts, unfiltered, () => texts.hashes(), pause);
  const options = { hashes: hashes && new Set(hashes), isWithin: withinOf(scope.ranges, seen) };
  return parts.folders.with(cache_dir, (store) => ({
    done: true,
    matches: firstOf(store, findWritten(texts, request.query, options, pause), request.max_results, pause),
    media: texts.media,
    unreadable: texts.damaged(),
  }));
}

function withinOf(
  ranges: SearchRequest['scope']['ranges'],
  seen: FrameRanges | null,
): WrittenScope['isWithin'] {
  if (Object.keys(ranges).length === 0 && seen === null) return null;
  return (hash, start, end) => {
    const own = Object.hasOwn(ranges, hash) ? ranges[hash]! : null;
    if (own?.some(([from, to]) => from < end && start < to) === false) return false;
    if (seen === null) return true;
    const shown = seen.get(hash) ?? new Uint32Array(0);
    for (let at = 0; at < shown.length; at += 2) {
      if (shown[at]! < end && start < shown[at + 1]!) return true;
    }
    return false;
  };
}

/** `places`: of equal worth each, the best ones first. Within one by path and time. */
function firstOf(
  store: Store,
  places: readonly (readonly WrittenHit[])[],
  most: number,
  pause: () => void,
): WrittenMatch[] {
  const paths = new Map<string, string | null>();
  const lines = new Map<string, readonly WrittenLine[] | null>();
  const matches: WrittenMatch[] = [];
  const pathOf = (hash: string) => {
    const known = paths.get(hash);
    if (known !== undefined) return known;
    const path = readable(() => store.media.pathOf(hash)) ?? null;
    paths.set(hash, path);
    return path;
  };
  for (const hits of places) {
    const located = hits.flatMap((hit) => {
      const path = pathOf(hit.document.hash);
      return path === null ? [] : [{ ...hit, path }];
    });
    located.sort(inOrder);
    for (const { document, row, path } of located) {
      if (matches.length === most) return matches;
      pause();
      const { hash } = document;
      if (!lines.has(hash)) lines.set(hash, linesOf(store, document));
      const line = lines.get(hash)?.[row];
      if (line) matches.push({ hash_str: hash, path, ...line });
    }
  }
  return matches;
}

/** Null where it was read again since it was loaded: the next search finds that. */
function linesOf(store: Store, { hash, version }: WrittenHit['document']): readonly WrittenLine[] | null {
  const found = store.written.lookUp(hash);
  return found?.version === version ? readable(() => found.lines()) : null;
}

type Located = WrittenHit & { readonly path: string };

function inOrder(a: Located, b: Located): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  if (a.document !== b.document) return a.document.hash < b.document.hash ? -1 : 1;
  return a.row - b.row;
}
