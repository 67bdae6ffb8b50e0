// The sentences of a transcript, with the times at which they are spoken. A sentence may go over several
// segments, and a segment may hold several; no word is lost, added or moved.
import type { SpokenLine } from '../outline/summary-inputs.ts';

export interface Sentence {
  /** Text of the transcript, white space joined to single spaces; never blank. */
  readonly text: string;
  /**
   * A sentence that begins or ends within a segment takes the share of its time that it has of its
   * characters.
   */
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly speaker: string | null;
  /** The segments it is in, `first` to before `end`. */
  readonly first: number;
  readonly end: number;
}

/** Sentences above are cut: at the longest pause, else after a clause, else between words. */
const longestText = 280;
/** A silence that ends every sentence, in seconds. */
const pause = 2.5;
/**
 * UTF-16 units that are looked at together: a run ends after a sentence from the first on, and anywhere at
 * the second.
 */
const [enough, tooMuch] = [2_000, 8_000];

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}、。！？「」]/u;
const stops = /[.!?…。！？｡؟۔।॥։။።]["'”’»）)\]】」』]*$/u;
/** A full stop that ends no sentence. */
const abbreviation =
  /(?:^|[\s("'“‘«])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|vs|No|Nr|bzw|ca|z\.B|e\.g|i\.e|Sr|Sra|Mme|etc|approx)\.$/u;
const clause = /[,;:،؛、，；：၊–—]$/u;

/** `language`: BCP 47 of what is spoken. O(characters), whatever the length of sentences. */
export function sentencesOf(segments: readonly SpokenLine[], language = 'und'): Sentence[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return runsOf(segments).flatMap((run) => {
    const pieces = joinAbbreviations([...segmenter.segment(run.text)].map(({ segment }) => segment));
    let at = 0;
    return pieces.flatMap((piece) => {
      const from = at;
      at += piece.length;
      return cutLong(run, from, at).flatMap(([start, end]) => sentenceOf(run, segments, start, end));
    });
  });
}

/** Text of one speaker without a long pause. */
interface Run {
  readonly text: string;
  /** Segments that have text: number, and begin and end of the text within `text`. */
  readonly places: readonly { readonly segment: number; readonly from: number; readonly to: number }[];
}

function runsOf(segments: readonly SpokenLine[]): Run[] {
  const runs: { text: string; places: { segment: number; from: number; to: number }[] }[] = [];
  let last: SpokenLine | null = null;
  segments.forEach((segment, number) => {
    const text = segment.text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (text === '') return;
    let run = runs.at(-1);
    const goesOn =
      last !== null &&
      run !== undefined &&
      last.speaker === segment.speaker &&
      segment.start_seconds - last.end_seconds < pause &&
      run.text.length < (stops.test(run.text) ? enough : tooMuch);
    if (!run || !goesOn) {
      run = { text: '', places: [] };
      runs.push(run);
    } else if (!(unspaced.test(run.text.at(-1)!) && unspaced.test(text[0]!))) run.text += ' ';
    const from = run.text.length;
    run.text += text;
    run.places.push({ segment: number, from, to: run.text.length });
    last = segment;
  });
  return runs;
}

/** ICU ends a sentence after `Dr.`, and before a small letter. */
export function joinAbbreviations(pieces: readonly string[]): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1)?.trimEnd();
    if (
      before !== undefined &&
      (abbreviation.test(before) || (before.endsWith('.') && /^\p{Ll}/u.test(piece)))
    )
      joined[joined.length - 1] += piece;
    else joined.push(piece);
  }
  return joined;
}

/** Parts of `from` to before `to` that are not too long. */
function cutLong(run: Run, from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  let start = from;
  while (to - start > longestText) {
    const cut = bestCut(run, start, start + longestText);
    parts.push([start, cut]);
    start = cut;
  }
  parts.push([start, to]);
  return parts;
}

/**
 * In the second half of what is allowed: the end of a segment, else of a clause, else of a word, else of a
 * character.
 */
function bestCut({ text, places }: Run, start: number, limit: number): number {
  const least = start + (limit - start) / 2;
  for (let i = places.length - 1; i >= 0; i--) {
    const { to } = places[i]!;
    if (to <= limit && to > least) return to;
  }
  let word = 0;
  for (let at = limit; at > least; at--) {
    if (text[at] !== ' ' && !unspaced.test(text[at] ?? ' ')) continue;
    if (clause.test(text.slice(start, at))) return at;
    if (word === 0) word = at;
  }
  if (word > 0) return word;
  const isHalf = /[\uDC00-\uDFFF]/.test(text[limit] ?? '');
  return isHalf ? limit - 1 : limit;
}

function sentenceOf(run: Run, segments: readonly SpokenLine[], start: number, end: number): Sentence[] {
  const raw = run.text.slice(start, end);
  const text = raw.trim();
  if (text === '') return [];
  const from = start + raw.length - raw.trimStart().length;
  const to = from + text.length;
  const places = run.places.filter((place) => place.from < to && place.to > from);
  const [first, last] = [places[0]!, places.at(-1)!];
  const start_seconds = timeAt(segments, first, from);
  return [
    {
      text,
      start_seconds,
      end_seconds: Math.max(start_seconds, timeAt(segments, last, to)),
      speaker: segments[first.segment]!.speaker,
      first: first.segment,
      end: last.segment + 1,
    },
  ];
}

function timeAt(
  segments: readonly SpokenLine[],
  { segment, from, to }: Run['places'][number],
  at: number,
): number {
  const { start_seconds, end_seconds } = segments[segment]!;
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
  return start_seconds + share * (end_seconds - start_seconds);
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * The beginning of a text in at most `longest` UTF-16 units, at least 2, `…` included. Cut between words,
 * else between characters.
 */
export function excerptOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const space = text.slice(0, longest).lastIndexOf(' ', longest - 1);
  const words = space >= longest / 2 ? text.slice(0, space) : wholeCharacters(text, longest - 1);
  return `${words.replace(/[\s,;:،、，；：—–-]+$/u, '')}…`;
}

function wholeCharacters(text: string, longest: number): string {
  let at = 0;
  for (const { segment } of graphemes.segment(text.slice(0, longest + 32))) {
    if (at + segment.length > longest) break;
    at += segment.length;
  }
  return text.slice(0, at);
}

/** At most `longest` UTF-16 units, `…` included; no half of a character before it. */
export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, Math.max(0, longest - 1)).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

// The words of a text in the form in which they are compared: without case, width and inflected endings, in
// scripts without spaces by ICU's dictionaries.

const letters = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordBoundaries = new Intl.Segmenter('und', { granularity: 'word' });
/** Letters of a word that count: a cheap stem that needs no language. */
const stem = 6;
/** UTF-16 units that are given to ICU at once. */
const longest = 500;

/** In order, with repeats. A text without letters and digits has none. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(letters)) {
    if (!unspacedRun.test(run)) terms.push(termOf(run));
    else
      for (let at = 0; at < run.length; at += longest)
        for (const { segment, isWordLike } of wordBoundaries.segment(run.slice(at, at + longest)))
          if (isWordLike) terms.push(segment);
  }
  return terms;
}

function termOf(word: string): string {
  const bare = word.replace(/['’].*$/u, '');
  // "don't" keeps its n, "bridge's" loses its s.
  const whole = /n['’]t$/.test(word) ? word : bare;
  return whole.length > stem ? whole.slice(0, stem) : whole;
}

export function documentFrequencies(texts: readonly (readonly string[])[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const terms of texts)
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return frequencies;
}

/**
 * Words that say nothing by themselves, of the languages that most footage is in; in others frequency alone
 * tells.
 */
const lists = [
  // English
  "a an the and or but if so of to in on at by for with from into about as is are was were be been am it its this that these those there here i me my we us our you your he him his she her they them their who what which when where how why do does did done have has had will would can could should may might not no yes just very really well okay ok oh um uh like know think get got go going one also too up out then than all some any more most much many because don't didn't isn't wasn't",
  'see seen say said saying tell talk talking want wanted let make made come coming give take look looking try guess mean hope wish sit ask thing things something anything everything nothing somebody everybody anybody someone everyone anyone people way time times good nice great lovely fine sure right kind little bit lot quite always again away back still even ever now yet simply usually course absolutely exactly please thank thanks hello hi hey bye sorry welcome alright yeah yes wow mm hm however wherever whatever over under between behind before after while through without each every during until upon onto off down own',
  // German
  'der die das den dem des ein eine einer einem einen und oder aber wenn so von zu in im an am auf bei für mit aus um als ist sind war waren sein bin es dies diese dieser ich mich mir wir uns du dich dir ihr er ihn ihm sie wer was wie wo wann warum nicht kein keine ja nein auch nur sehr noch schon doch mal haben hat habe hatte wird werden kann dass man da hier dann',
  // French
  "le la les un une des et ou mais si de du à au aux en dans par pour avec sur est sont était être il elle ils elles je me moi nous vous tu te ce cet cette ces qui que quoi où quand comment ne pas non oui se sa son ses leur on plus très bien là y avoir ai as a ont c'est",
  // Spanish
  'el la los las un una unos unas y o pero si de del a al en por para con sobre es son era ser estar está yo me mi nosotros nos tú te usted él ella ellos ellas se su sus lo le que qué quien cómo cuando donde no sí muy más también ya hay ha he como este esta eso',
  // Italian, Portuguese, Dutch
  'il lo gli i uno e o ma se di da in con su per tra è sono era non sì che chi come quando dove mi ti si ci vi io tu lui lei noi voi loro questo quella molto più anche',
  'o a os as um uma e ou mas se de do da dos das em no na por para com é são era não sim que quem como quando onde me te nos eu você ele ela eles muito mais também já',
  'de het een en of maar als van te in op aan bij voor met uit is zijn was waren ben niet geen ja nee ik me mij wij ons je jij u hij hem zij haar wie wat hoe waar ook nog wel dan dat dit die er',
];

const stopWords = new Set(lists.flatMap((list) => termsOf(list)));

export const isStopWord = (term: string): boolean => stopWords.has(term);
