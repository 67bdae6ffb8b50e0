// The words of a text, as a subtitle may break it: at spaces, and where a script writes none (Chinese, Japanese, Thai,
// Lao, Khmer, Burmese), at the word borders that Unicode's dictionaries know. Punctuation stays with its word.

/** What is never broken. Pure values; `from` and `to` count UTF-16 units of the text it was found in. */
export interface Atom {
  readonly text: string;
  /** Whether white space stands before it in the text. */
  readonly spaced: boolean;
  readonly from: number;
  readonly to: number;
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** White space, and control characters, which no transcript shows. */
const blank = /[\s\p{Cc}]/u;
const solid = /[^\s\p{Cc}]+/gu;
const opening = /^[\p{Ps}\p{Pi}¿¡]+$/u;
const wording = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Whether nothing of a text would be seen. */
export function isBlank(text: string): boolean {
  return text.search(solid) < 0;
}

/** All visible characters of `text`, in order, in atoms of at most `longest` UTF-16 units (at least 2). */
export function atomsOf(text: string, longest: number): Atom[] {
  const atoms: Atom[] = [];
  for (const { 0: run, index } of text.matchAll(solid)) {
    const spaced = index > 0 && blank.test(text[index - 1]!);
    let at = index;
    for (const word of unspaced.test(run) ? dictionaryWords(run) : [run]) {
      for (const part of word.length <= longest ? [word] : cut(word, longest)) {
        atoms.push({ text: part, spaced: spaced && at === index, from: at, to: at + part.length });
        at += part.length;
      }
    }
  }
  return atoms;
}

/** Words with the punctuation that belongs to them: what opens goes with the word after it, the rest with the one before. */
function dictionaryWords(run: string): string[] {
  const words: string[] = [];
  let open = '';
  for (const { segment, isWordLike } of wording.segment(run)) {
    if (opening.test(segment)) open += segment;
    else if (isWordLike || open !== '' || words.length === 0) {
      words.push(open + segment);
      open = '';
    } else words[words.length - 1] += segment;
  }
  if (open !== '') words.push(open);
  return words;
}

/** A word that is too long for any subtitle, in pieces: between letters as they are seen, else between code points. */
function cut(word: string, longest: number): string[] {
  const parts: string[] = [];
  let part = '';
  const add = (letter: string) => {
    if (part.length + letter.length > longest) {
      if (part !== '') parts.push(part);
      part = '';
    }
    part += letter;
  };
  for (const { segment } of graphemes.segment(word)) {
    if (segment.length <= longest) add(segment);
    else for (const point of segment) add(point);
  }
  if (part !== '') parts.push(part);
  return parts;
}
