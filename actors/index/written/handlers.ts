// Handlers about printed words.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import type { FrameRanges } from '../people/moments.ts';
import { readable } from '../store/faults.ts';
import { pathFinder } from '../store/media.ts';
import type { Store } from '../store/store.ts';
import { hasWholeWordBetweenSpaces, isMeant, placeOf, queryWords } from '../text/query.ts';
import type { TextCache } from '../text/text-cache.ts';
import type { WrittenLine, WrittenMatch, writtenMessages } from './contract.ts';
import { foldWritten, type LoadedWritten, type WrittenTexts, writtenForms } from './written-texts.ts';

type WrittenContract = Contract<typeof writtenMessages>;
type SearchRequest = Request<WrittenContract, 'search_written'>;
type SearchReply = Reply<WrittenContract, 'search_written'>;

export interface WrittenParts extends ScopeParts {
  readonly written: TextCache<WrittenTexts>;
}

export function writtenHandlers(parts: WrittenParts): Handlers<WrittenContract> {
  return {
    search_written: (request, turn) => search(parts, request, () => turn.throwIfCancelled()),
  };
}

async function search(parts: WrittenParts, request: SearchRequest, pause: () => void): Promise<SearchReply> {
  const { cache_dir, scope } = request;
  const open = (store: Store) => parts.written.step(store);
  const hashesOf = (all: WrittenTexts | null) => all?.hashes() ?? [];
  const { data: texts, hashes, sightings } = await inScope(parts, request, open, hashesOf, pause);
  if (texts === null) return { done: false, matches: [], media: 0, unreadable: [] };
  const isWithin = withinOf(scope.ranges, sightings?.ranges ?? null);
  const options = { hashes: hashes && new Set(hashes), isWithin };
  return parts.folders.with(cache_dir, (store) => ({
    done: true,
    matches: firstOf(store, findWritten(texts, request.query, options, pause), request.max_results, pause),
    media: texts.media,
    unreadable: texts.damaged(),
  }));
}

/** Test whether a range of grid frames of a media counts; null if all count. */
export function withinOf(
  ranges: SearchRequest['scope']['ranges'],
  peopleRanges: FrameRanges | null,
): WrittenScope['isWithin'] {
  if (Object.keys(ranges).length === 0 && peopleRanges === null) return null;
  return (hash, start, end) => {
    const hashRanges = Object.hasOwn(ranges, hash) ? ranges[hash]! : null;
    if (hashRanges?.some(([from, to]) => from < end && start < to) === false) return false;
    if (peopleRanges === null) return true;
    const shown = peopleRanges.get(hash) ?? new Uint32Array(0);
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
  const pathOf = pathFinder(store.media);
  const lines = new Map<string, readonly WrittenLine[] | null>();
  const matches: WrittenMatch[] = [];
  for (const hits of places) {
    const located = hits.flatMap((hit) => {
      const path = pathOf(hit.document.hash);
      return path === null ? [] : [{ ...hit, path }];
    });
    located.sort(inOrder);
    for (const { document, row, meant, path } of located) {
      if (matches.length === most) return matches;
      pause();
      const { hash } = document;
      if (!lines.has(hash)) lines.set(hash, linesOf(store, document));
      const line = lines.get(hash)?.[row];
      if (line) matches.push({ hash_str: hash, path, ...line, meant });
    }
  }
  return matches;
}

/** Null where it was read again since it was loaded: the next search finds that. */
function linesOf(store: Store, { hash, version }: WrittenHit['document']): readonly WrittenLine[] | null {
  const record = store.results('text').lookUp(hash);
  return record?.version === version ? readable(() => record.read().items) : null;
}

type Located = WrittenHit & { readonly path: string };

function inOrder(a: Located, b: Located): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  if (a.document !== b.document) return a.document.hash < b.document.hash ? -1 : 1;
  return a.row - b.row;
}

// Finds lines of text that answer a question: the whole of it, or its words in lines that are seen together.

/** Lines that are looked at for one question or word; of what is in more of them the first ones count. */
const mostLooked = 1 << 16;
/** The same of one media, for words that are looked for in lines that are seen together. */
const mostTogether = 2048;
/** Letters of a question that may stand within a longer word; a shorter one is in anything. */
const mayBePart = 3;

interface WrittenHit {
  readonly document: LoadedWritten;
  readonly row: number;
  readonly meant: boolean;
}

interface WrittenScope {
  /** Null for all. */
  readonly hashes: ReadonlySet<string> | null;
  /** True if a line seen in grid frames [start, end) of a media counts; null if all count. */
  readonly isWithin: ((hash: string, start: number, end: number) => boolean) | null;
}

type Texts = Pick<WrittenTexts, 'first'>;

/** Best first; those of equal worth in no order. `pause` may throw to stop. */
function findWritten(
  texts: Texts,
  query: string,
  scope: WrittenScope,
  pause: () => void,
): readonly (readonly WrittenHit[])[] {
  const phrase = findPhrase(texts, query, scope, pause);
  if (phrase.some((hits) => hits.length > 0)) return phrase;
  return findWords(texts, queryWords(query), scope, pause);
}

function findPhrase(texts: Texts, query: string, scope: WrittenScope, pause: () => void): WrittenHit[][] {
  const places: WrittenHit[][] = [[], [], [], []];
  for (const form of writtenForms(query)) {
    const compact = form.replaceAll(' ', '');
    const needle = Buffer.from(compact);
    for (const { document, row } of look(texts, needle, scope, pause)) {
      // Spaced letters, as on signs and in titles, are one word; spaces that were not read are no letters.
      const whole = hasWholeWordBetweenSpaces(document.spaced, row, needle);
      if (!whole && [...compact].length < mayBePart) continue;
      const meant = isMeant(document.spaced, row, needle, compact);
      places[(whole ? 0 : 2) + (document.shown[row] ? 0 : 1)]!.push({ document, row, meant });
    }
  }
  return places;
}

function look(texts: Texts, needle: Uint8Array, scope: WrittenScope, pause: () => void) {
  const pick = (document: LoadedWritten) => pickOf(document, scope);
  return texts.first({ needles: [needle], pickOf: pick, most: mostLooked, pause });
}

function pickOf(document: LoadedWritten, { hashes, isWithin }: WrittenScope) {
  if (hashes?.has(document.hash) === false) return false;
  if (isWithin === null) return true;
  return (row: number) => isWithin(document.hash, document.starts[row]!, document.ends[row]!);
}

/** One word alone was looked for already. */
function findWords(
  texts: Texts,
  words: readonly string[],
  scope: WrittenScope,
  pause: () => void,
): WrittenHit[][] {
  if (words.length < 2) return [];
  const wordsByDocument = new Map<LoadedWritten, HeldWords>();
  for (const [i, word] of words.entries()) {
    const needle = Buffer.from(foldWritten(word));
    if (needle.length === 0) return [];
    const mustBeWhole = placeOf(word) === 'whole';
    for (const { document, row } of look(texts, needle, scope, pause)) {
      const isWordMeant = isMeant(document.spaced, row, needle, word);
      if (mustBeWhole && !isWordMeant) continue;
      const documentWords = wordsByDocument.get(document) ?? { any: new Map(), meant: new Map() };
      wordsByDocument.set(document, documentWords);
      if (documentWords.any.size >= mostTogether && !documentWords.any.has(row)) continue;
      documentWords.any.set(row, (documentWords.any.get(row) ?? 0) | (1 << i));
      if (isWordMeant) documentWords.meant.set(row, (documentWords.meant.get(row) ?? 0) | (1 << i));
    }
  }
  const all = (1 << words.length) - 1;
  const places: WrittenHit[][] = [[], []];
  for (const [document, { any, meant: meantRows }] of wordsByDocument) {
    pause();
    const completeRows = new Set(complete(document, meantRows, all));
    for (const row of complete(document, any, all)) {
      places[document.shown[row] ? 0 : 1]!.push({ document, row, meant: completeRows.has(row) });
    }
  }
  return places;
}

/** Rows of one media by which of the words they hold, a bit each: anywhere, and where they are meant. */
interface HeldWords {
  readonly any: Map<number, number>;
  readonly meant: Map<number, number>;
}

/** The lines that hold a word while lines that are seen at the same time hold the others. */
function complete(document: LoadedWritten, rows: ReadonlyMap<number, number>, all: number): number[] {
  if ([...rows.values()].reduce((sum, mask) => sum | mask, 0) !== all) return [];
  const { starts, ends } = document;
  const isComplete = ([row, rowMask]: readonly [number, number]) => {
    if (rowMask === all) return true;
    let mask = rowMask;
    for (const [otherRow, words] of rows) {
      if (starts[otherRow]! < ends[row]! && starts[row]! < ends[otherRow]!) mask |= words;
    }
    return mask === all;
  };
  return [...rows].filter(isComplete).map(([row]) => row);
}
