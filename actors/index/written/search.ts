// Finds lines of text that answer a question: the whole of it, or its words in lines that are seen together.
import { placeOf, queryWords } from '../text/query-words.ts';
import { hasWholeWord } from '../text/whole-word.ts';
import { foldWritten, writtenForms } from './fold-written.ts';
import type { LoadedWritten } from './loaded-written.ts';
import type { WrittenTexts } from './written-texts.ts';

/** Lines that are looked at for one question or word; of what is in more of them the first ones count. */
const mostLooked = 1 << 16;
/** The same of one media, for words that are looked for in lines that are seen together. */
const mostTogether = 2048;
/** Letters of a question that may stand within a longer word; a shorter one is in anything. */
const mayBePart = 3;

export interface WrittenHit {
  readonly document: LoadedWritten;
  readonly row: number;
}

export interface WrittenScope {
  /** Null for all. */
  readonly hashes: ReadonlySet<string> | null;
  /** Whether a line that is seen in grid frames [start, end) of a media counts; null for every one. */
  readonly isWithin: ((hash: string, start: number, end: number) => boolean) | null;
}

type Texts = Pick<WrittenTexts, 'first'>;

/** Best first; those of equal worth in no order. `pause` may throw to stop. */
export function findWritten(
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
    const whole = Buffer.from(form);
    const compact = form.replaceAll(' ', '');
    for (const { document, row } of look(texts, Buffer.from(compact), scope, pause)) {
      const isWhole = hasWholeWord(document.spaced, row, whole);
      if (!isWhole && [...compact].length < mayBePart) continue;
      places[(isWhole ? 0 : 2) + (document.shown[row] ? 0 : 1)]!.push({ document, row });
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
  const held = new Map<LoadedWritten, Map<number, number>>();
  for (const [i, word] of words.entries()) {
    const needle = Buffer.from(foldWritten(word));
    if (needle.length === 0) return [];
    const isWhole = placeOf(word) === 'whole';
    for (const { document, row } of look(texts, needle, scope, pause)) {
      if (isWhole && !hasWholeWord(document.spaced, row, needle)) continue;
      const own = held.get(document) ?? new Map<number, number>();
      held.set(document, own);
      if (own.size < mostTogether || own.has(row)) own.set(row, (own.get(row) ?? 0) | (1 << i));
    }
  }
  const all = (1 << words.length) - 1;
  const places: WrittenHit[][] = [[], []];
  for (const [document, rows] of held) {
    pause();
    if ([...rows.values()].reduce((sum, mask) => sum | mask, 0) !== all) continue;
    for (const row of complete(document, rows, all)) {
      places[document.shown[row] ? 0 : 1]!.push({ document, row });
    }
  }
  return places;
}

/** The lines that hold a word while lines that are seen at the same time hold the others. */
function complete(document: LoadedWritten, rows: ReadonlyMap<number, number>, all: number): number[] {
  const { starts, ends } = document;
  return [...rows.keys()].filter((row) => {
    let mask = 0;
    for (const [other, own] of rows) {
      if (starts[other]! < ends[row]! && starts[row]! < ends[other]!) mask |= own;
    }
    return mask === all;
  });
}
