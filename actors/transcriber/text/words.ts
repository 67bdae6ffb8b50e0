// Word segmentation: where a subtitle may break a text. At spaces, and in scripts that write none (Chinese,
// Japanese, Thai, Lao, Khmer, Burmese) at the word boundaries of ICU's dictionaries. Punctuation stays with
// its word.

/**
 * A word with its punctuation, or a part of one that is too long. `from` and `to` count UTF-16 units of the
 * text.
 */
export interface Word {
  readonly text: string;
  /** Whether white space stands before it in the text. */
  readonly spaced: boolean;
  readonly from: number;
  readonly to: number;
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** White space, and control characters, which are never shown. */
const blank = /[\s\p{Cc}]/u;
const visible = /[^\s\p{Cc}]+/gu;
const opening = /^[\p{Ps}\p{Pi}¿¡]+$/u;
const wordBoundaries = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Whether a text has no visible character. */
export function isBlank(text: string): boolean {
  return text.search(visible) < 0;
}

/** All visible characters of `text`, in order, in words of at most `longest` UTF-16 units (at least 2). */
export function segmentWords(text: string, longest: number): Word[] {
  const words: Word[] = [];
  for (const { 0: run, index } of text.matchAll(visible)) {
    const spaced = index > 0 && blank.test(text[index - 1]!);
    let at = index;
    for (const word of unspaced.test(run) ? dictionaryWords(run) : [run]) {
      for (const part of word.length <= longest ? [word] : splitWord(word, longest)) {
        words.push({ text: part, spaced: spaced && at === index, from: at, to: at + part.length });
        at += part.length;
      }
    }
  }
  return words;
}

/** Opening punctuation goes with the word after it, all other with the one before. */
function dictionaryWords(run: string): string[] {
  const words: string[] = [];
  let open = '';
  for (const { segment, isWordLike } of wordBoundaries.segment(run)) {
    if (opening.test(segment)) open += segment;
    else if (isWordLike || open !== '' || words.length === 0) {
      words.push(open + segment);
      open = '';
    } else words[words.length - 1] += segment;
  }
  if (open !== '') words.push(open);
  return words;
}

/**
 * Parts of a word that is too long: split between grapheme clusters, and within one that is too long itself
 * between code points.
 */
function splitWord(word: string, longest: number): string[] {
  const parts: string[] = [];
  let part = '';
  const add = (cluster: string) => {
    if (part.length + cluster.length > longest) {
      if (part !== '') parts.push(part);
      part = '';
    }
    part += cluster;
  };
  for (const { segment } of graphemes.segment(word)) {
    if (segment.length <= longest) add(segment);
    else for (const point of segment) add(point);
  }
  if (part !== '') parts.push(part);
  return parts;
}
