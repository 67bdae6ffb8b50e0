// Breaks a text into lines of a width, and orders a line's runs from left to right as they are drawn.
import createBidi from 'bidi-js';
import { isRightToLeft } from './direction.ts';

const bidi = createBidi();
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts without spaces between words. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/**
 * Lines of at most `width`, as `measure` measures them. A longer word is broken between grapheme clusters.
 */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const put = (piece: string, size: number) => {
    if (line !== '' && used + size > width) {
      lines.push(line);
      line = '';
      used = 0;
    }
    const plain = line === '' ? piece.trimStart() : piece;
    line += plain;
    used += plain === piece ? size : measure(plain);
  };
  for (const piece of pieces(text)) {
    const size = measure(piece);
    if (measure(piece.trim()) <= width) put(piece, size);
    else for (const { segment } of characters.segment(piece)) put(segment, measure(segment));
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines.map((one) => one.trimEnd());
}

/** Unbreakable parts, each with the spaces before it. */
function* pieces(text: string): Generator<string> {
  for (const [chunk] of text.matchAll(/\s*\S+/g)) {
    if (!unspaced.test(chunk)) yield chunk;
    else yield* unspacedWords(chunk);
  }
}

/**
 * Words of a script without spaces; closing punctuation stays with the word before, opening with the one
 * after.
 */
function* unspacedWords(chunk: string): Generator<string> {
  let held = '';
  for (const { segment, isWordLike } of words.segment(chunk)) {
    const opens = /^[\s\p{Ps}\p{Pi}]+$/u.test(segment);
    const closes = !isWordLike && !opens;
    if (held !== '' && !closes && !/^[\s\p{Ps}\p{Pi}]+$/u.test(held)) {
      yield held;
      held = '';
    }
    held += segment;
  }
  if (held !== '') yield held;
}

export interface Run {
  /** In logical order; it is reversed when it is shaped. */
  readonly text: string;
  readonly rtl: boolean;
}

/** Runs of one direction in visual order; those from right to left word by word. */
export function visualRuns(line: string): Run[] {
  if (!/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(line)) {
    return [{ text: line, rtl: false }];
  }
  const { levels } = bidi.getEmbeddingLevels(line, isRightToLeft(line) ? 'rtl' : 'ltr');
  const runs: { text: string; level: number }[] = [];
  let at = 0;
  // A run for each word, so that words from right to left can be reordered.
  for (const part of line.match(/\s+|\S+/g) ?? []) {
    const before = runs.length;
    for (const character of part) {
      const level = levels[at]!;
      const last = runs.length > before ? runs.at(-1) : undefined;
      if (last?.level === level) last.text += character;
      else runs.push({ text: character, level });
      at += character.length;
    }
  }
  return reordered(runs).map(({ text, level }) => {
    const rtl = level % 2 === 1;
    return { text: rtl ? mirrored(text) : text, rtl };
  });
}

/** Rule L2 of UAX 9, on runs: from the highest level down, runs at that level or above are reversed. */
function reordered<T extends { readonly level: number }>(runs: readonly T[]): T[] {
  const order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      if (order[from]!.level < level) continue;
      let to = from;
      while (to < order.length && order[to]!.level >= level) to++;
      order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to - 1;
    }
  }
  return order;
}

/**
 * Brackets are mirrored. Runs of punctuation alone are reversed here, since shaping does not reverse them.
 */
function mirrored(text: string): string {
  const swapped = [...text].map((one) => bidi.getMirroredCharacter(one) ?? one);
  return /\p{L}/u.test(text) ? swapped.join('') : swapped.reverse().join('');
}
