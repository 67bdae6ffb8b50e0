// Word timing. A model gives the time of a token, of a sentence or only of a window; the words within are
// spread over the detected speech at a constant number of characters a second.

/** Half-open, seconds from the start of the file. */
export interface TimedSpan {
  readonly start_seconds: number;
  readonly end_seconds: number;
}

/**
 * Text that a model wrote, with its time. Texts of pieces are joined directly: one that begins a word begins
 * with a space if its script uses spaces, so tokens such as ` wor`, `ld` and `,` form one word.
 */
export interface TimedPiece extends TimedSpan {
  readonly text: string;
}

/** A word with its time; ends do not pass the start of the next one. */
export interface TimedWord extends Word, TimedSpan {}

/** A range of text that is spread evenly over a range of time. */
interface TextSpan extends TimedSpan {
  readonly from: number;
  readonly to: number;
}

/** Speech regions closer together than this are one: stops within a word are as long. */
const GAP_SECONDS = 0.25;
/**
 * How far a border may be moved to punctuation, as a share of the piece, and the cost of a border without
 * any.
 */
const REACH = 0.15;
const NO_PUNCTUATION_COST = 0.12;
const visiblePart = /[^\s\p{Cc}](?:.*[^\s\p{Cc}])?/su;
const punctuated = /[\p{Po}\p{Pd}\p{Pe}\p{Pf}]$/u;

/**
 * The times of `words`, which were found in the joined texts of `pieces`. `speech`: ascending; in a piece of
 * several words none is placed in the silence between two regions of speech. Times that run backwards are put
 * in order.
 */
export function alignWords(
  words: readonly Word[],
  pieces: readonly TimedPiece[],
  speech: readonly TimedSpan[],
): TimedWord[] {
  const spans: TextSpan[] = [];
  let offset = 0;
  let next = 0;
  for (const { text, start_seconds, end_seconds } of inOrder(pieces)) {
    const to = offset + text.length;
    let last = next;
    while (last < words.length && words[last]!.from < to) last += 1;
    const inside = words.slice(next, last);
    const regions = inside.length > 1 ? speechWithin(speech, start_seconds, end_seconds) : [];
    // White space takes no time.
    const letters = visiblePart.exec(text);
    if (letters) {
      const from = offset + letters.index;
      const span = { start_seconds, end_seconds, from, to: from + letters[0].length };
      spans.push(...(regions.length > 0 ? spread(inside, regions, span) : [span]));
    }
    next = last;
    offset = to;
  }
  return timedWords(words, spans);
}

/** Starts never go back, and no piece overlaps the next one; NaN and infinities become the time before. */
function inOrder(pieces: readonly TimedPiece[]): TimedPiece[] {
  let latest = 0;
  const ordered = pieces.map((piece) => {
    if (piece.start_seconds > latest && piece.start_seconds < Number.POSITIVE_INFINITY)
      latest = piece.start_seconds;
    return { ...piece, start_seconds: latest };
  });
  return ordered.map((piece, at) => {
    const limit = ordered[at + 1]?.start_seconds ?? Number.MAX_VALUE;
    const end = Number.isFinite(piece.end_seconds) ? piece.end_seconds : piece.start_seconds;
    return { ...piece, end_seconds: Math.max(piece.start_seconds, Math.min(end, limit)) };
  });
}

function speechWithin(speech: readonly TimedSpan[], start: number, end: number): TimedSpan[] {
  const within: TimedSpan[] = [];
  for (const region of speech) {
    const from = Math.max(start, region.start_seconds);
    const to = Math.min(end, region.end_seconds);
    if (!(to > from)) continue;
    const before = within.at(-1);
    if (before && from - before.end_seconds < GAP_SECONDS) {
      within[within.length - 1] = { start_seconds: before.start_seconds, end_seconds: to };
    } else within.push({ start_seconds: from, end_seconds: to });
  }
  return within;
}

/**
 * Divides the words among regions of speech in proportion to their length, at punctuation where some is near
 * the border.
 */
function spread(inside: readonly Word[], regions: readonly TimedSpan[], whole: TextSpan): TextSpan[] {
  const total = regions.reduce((sum, { start_seconds, end_seconds }) => sum + end_seconds - start_seconds, 0);
  const length = whole.to - whole.from;
  const spans: TextSpan[] = [];
  let from = whole.from;
  let first = 0;
  let elapsed = 0;
  for (const [at, { start_seconds, end_seconds }] of regions.entries()) {
    elapsed += end_seconds - start_seconds;
    if (at < regions.length - 1) first = borderNear(inside, first, whole.from, length, elapsed / total);
    else first = inside.length;
    const to = Math.min(whole.to, inside[first - 1]?.to ?? from);
    if (to > from) spans.push({ start_seconds, end_seconds, from, to });
    from = Math.max(from, inside[first]?.from ?? whole.to);
  }
  return spans;
}

/** The first word after the border at `share` of the text; never before `least`. */
function borderNear(
  inside: readonly Word[],
  least: number,
  start: number,
  length: number,
  share: number,
): number {
  let best = least;
  let cheapest = Number.POSITIVE_INFINITY;
  for (let at = least; at <= inside.length; at += 1) {
    const place = ((inside[at - 1]?.to ?? start) - start) / length;
    const away = Math.abs(place - share);
    const cost =
      away + (away < REACH && at > 0 && punctuated.test(inside[at - 1]!.text) ? 0 : NO_PUNCTUATION_COST);
    if (cost < cheapest) [best, cheapest] = [at, cost];
  }
  return best;
}

function timedWords(words: readonly Word[], spans: readonly TextSpan[]): TimedWord[] {
  let at = 0;
  let latest = 0;
  return words.map((word) => {
    while (spans[at]!.to <= word.from) at += 1;
    const start_seconds = Math.max(latest, timeAt(spans[at]!, word.from));
    let last = at;
    while (spans[last]!.to < word.to) last += 1;
    latest = Math.max(start_seconds, timeAt(spans[last]!, word.to));
    return { ...word, start_seconds, end_seconds: latest };
  });
}

function timeAt({ from, to, start_seconds, end_seconds }: TextSpan, offset: number): number {
  return start_seconds + ((end_seconds - start_seconds) * (offset - from)) / (to - from);
}

// Word segmentation: where a subtitle may break a text. At spaces, and in scripts that write none (Chinese,
// Japanese, Thai, Lao, Khmer, Burmese) at the word boundaries of ICU's dictionaries. Punctuation stays with
// its word.

/**
 * A word with its punctuation, or a part of one that is too long. `from` and `to` count UTF-16 units of the
 * text.
 */
export interface Word {
  readonly text: string;
  /** True if white space precedes it in the text. */
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

/** True if the text has no visible character. */
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
