// What a speech model writes when nobody said it: text over silence, sentences it saw under a million videos, one phrase
// over and over, more letters than a mouth can say. Judged one window at a time; what is taken out is answered with its
// reason, and whoever asks writes it to the log.
import { deflateSync } from 'node:zlib';
import type { Confidence } from '../family.ts';
import { atomsOf, isBlank } from './atoms.ts';
import type { Piece } from './timing.ts';

export type DropReason = 'no speech' | 'phantom phrase' | 'looping text' | 'too fast';

/** Text that was taken out, as the model wrote it. */
export interface Dropped {
  readonly reason: DropReason;
  readonly text: string;
  /** What was measured, in words for the log. */
  readonly detail: string;
}

export interface Window {
  readonly pieces: readonly Piece[];
  /** Length of the window, and how much of it is voice, as the voice detector heard it. */
  readonly seconds: number;
  readonly voiceSeconds: number;
  /** What the model itself says, where it does. */
  readonly confidence?: Confidence | undefined;
}

export interface Guarded {
  readonly pieces: readonly Piece[];
  readonly dropped: readonly Dropped[];
}

/** Voices shorter than this are a click or a breath. */
const LEAST_VOICE_SECONDS = 0.1;
/** As in the reference implementation of Whisper: both have to hold, since a sure text over doubtful speech is right. */
const NO_SPEECH = 0.6;
const UNSURE = -1;
/** Where a phantom phrase is believed to be one: this little voice, and this small a share of the window. */
const FAINT_SECONDS = 1.2;
const FAINT_SHARE = 0.2;
/** Letters in a second of voice that nobody says; fast readers reach 25, and 9 where a character is a syllable. */
const LETTERS_A_SECOND = 45;
const SYLLABLES_A_SECOND = 18;
/** Compression above which a text repeats itself even where no two repeats are the same. */
const REPETITIVE = 4;

/** Takes out of a window what cannot have been said. Pieces that lose part of their text keep their times. */
export function guard(window: Window): Guarded {
  const text = joined(window.pieces);
  if (isBlank(text)) return { pieces: [], dropped: [] };
  const all = (reason: DropReason, detail: string): Guarded => ({
    pieces: [],
    dropped: [{ reason, text, detail }],
  });
  const silent = silence(window);
  if (silent) return all('no speech', silent);
  if (isFaint(window) && onlyPhantoms(text)) {
    return all('phantom phrase', `${window.voiceSeconds.toFixed(2)} s of voice`);
  }
  const { pieces, dropped } = withoutLoops(window.pieces);
  const left = joined(pieces);
  const ratio = compressionRatio(left);
  if (ratio > REPETITIVE) return all('looping text', `deflates to 1/${ratio.toFixed(1)}`);
  const rate = lettersASecond(left, window.voiceSeconds);
  if (rate > 1) return all('too fast', `${rate.toFixed(1)} times what can be said in its voice`);
  return { pieces, dropped };
}

const joined = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');

function silence({ voiceSeconds, confidence }: Window): string | null {
  if (voiceSeconds < LEAST_VOICE_SECONDS) return `${voiceSeconds.toFixed(2)} s of voice`;
  if (!confidence || confidence.noSpeech <= NO_SPEECH || confidence.meanLogProbability >= UNSURE) return null;
  const { noSpeech, meanLogProbability } = confidence;
  return `no speech ${noSpeech.toFixed(2)}, mean log probability ${meanLogProbability.toFixed(2)}`;
}

const isFaint = ({ seconds, voiceSeconds }: Window) =>
  voiceSeconds < FAINT_SECONDS && voiceSeconds < FAINT_SHARE * seconds;

/**
 * What models trained on subtitles write over silence. Each of them is also said by people, so they count only in
 * windows with hardly any voice, and only when nothing else is there.
 */
const phantoms: readonly RegExp[] = [
  /^(thanks?( you)?|thank you( so| very)? much)( (all|everyone))?( for (watching|listening|viewing))?$/,
  /^(please )?(like and |like share and )?subscribe( to (my|our|the) channel)?$/,
  /^(i ll )?see you( (guys|all))?( in the)? next (time|video|one)$/,
  /^(bye( bye)*|you|the end|so|oh|okay|hmm|music|applause|silence|foreign)$/,
  /^(subtitles?|captions?|transcri(bed|ption|pts?)|translated)( (by|from|provided))? .*$/,
  /^(amara org|subtitles by the amara org community)$/,
  /^untertitel( (im auftrag|der|von|des) .*)?$/,
  /^vielen dank( fürs zuschauen)?$/,
  /^sous titr(es|age)( .*)?$/,
  /^merci d avoir regardé( cette vidéo)?$/,
  /^(gracias por ver( el v[ií]deo)?|subtítulos( .*)?)$/,
  /^(sottotitoli( .*)?|grazie per la visione)$/,
  /^(legendas( .*)?|obrigad[oa] por assistir)$/,
  /^(продолжение следует|субтитры( .*)?|редактор субтитров .*|спасибо за просмотр)$/,
  /^(ご視聴ありがとうございました|チャンネル登録.*|おやすみなさい)$/,
  /^(请不吝点赞.*|谢谢(大家|观看|大家观看)?|字幕.*|多谢您的观看)$/,
  /^(시청해 ?주셔서 감사합니다|감사합니다|구독.*)$/,
];

function onlyPhantoms(text: string): boolean {
  return text
    .split(/[.!?]+(?=\s|$)|[。！？♪\n]+/u)
    .map(plainWords)
    .every((sentence) => sentence === '' || phantoms.some((phantom) => phantom.test(sentence)));
}

const plainWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Bytes of a text for one byte of it deflated; below 1 for short texts. More than 2.4 looks like a loop. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text.trim());
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

/** How many times faster than anybody speaks; half a second at each end is given, since voices are cut narrowly. */
function lettersASecond(text: string, voiceSeconds: number): number {
  const syllables = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu);
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const slow = syllables?.length ?? 0;
  return ((letters - slow) / LETTERS_A_SECOND + slow / SYLLABLES_A_SECOND) / (voiceSeconds + 1);
}

/** A loop: what stands from `from` on is said again and again up to `to`; `kept` ends its first time. */
interface Loop {
  readonly kept: number;
  readonly to: number;
  readonly times: number;
}

const LONGEST_UNIT = 40;
/** Times in a row from which words are a loop: people do say "no, no, no, no", and sing a line four times. */
const timesOfLoop = (words: number) => (words < 3 ? 8 : 5);
/** The same inside one word, in letters: a laugh is written out, a loop goes on. */
const letterLoop = /(\S{1,8}?)\1{15,}/gsu;

/** Every loop once. */
function withoutLoops(pieces: readonly Piece[]): Guarded {
  const text = joined(pieces);
  const words = wordsOver(text);
  // Where words are not parted by spaces, both kinds see the same loop.
  const letters = lettersOver(text).filter((one) =>
    words.every(({ kept, to }) => one.to <= kept || to <= one.kept),
  );
  const loops = [...letters, ...words].sort((a, b) => a.kept - b.kept);
  const dropped = loops.map(({ kept, to, times }): Dropped => {
    return { reason: 'looping text', text: text.slice(kept, to), detail: `${times} times in a row` };
  });
  return { pieces: loops.length === 0 ? pieces : withoutRanges(pieces, loops), dropped };
}

function lettersOver(text: string): Loop[] {
  return [...text.matchAll(letterLoop)].map(({ 0: run, 1: unit, index }) => {
    const length = unit!.length;
    return { kept: index + 3 * length, to: index + run.length, times: run.length / length };
  });
}

function wordsOver(text: string): Loop[] {
  const atoms = atomsOf(text, Math.max(2, text.length)).map((atom) => ({
    ...atom,
    word: plainWords(atom.text),
  }));
  // A mark that stands alone is no word, and does not part two repeats.
  const words = atoms.filter(({ word }) => word !== '');
  const plain = words.map(({ word }) => word);
  const loops: Loop[] = [];
  for (let at = 0; at < words.length; ) {
    const found = loopAt(plain, at);
    if (!found) {
      at += 1;
      continue;
    }
    const last = at + found.length - 1;
    loops.push({ kept: words[at + found.unit - 1]!.to, to: words[last]!.to, times: found.times });
    at = last + 1;
  }
  return loops;
}

/** The shortest unit that repeats from `at` on, and how many words it and its repeats are. */
function loopAt(
  words: readonly string[],
  at: number,
): { unit: number; length: number; times: number } | null {
  for (let unit = 1; unit <= LONGEST_UNIT; unit += 1) {
    let end = at + unit;
    while (end < words.length && words[end] === words[end - unit]) end += 1;
    const times = Math.floor((end - at) / unit);
    if (times >= timesOfLoop(unit)) return { unit, length: end - at, times };
  }
  return null;
}

function withoutRanges(pieces: readonly Piece[], loops: readonly Loop[]): Piece[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const start = offset;
    offset += piece.text.length;
    let text = '';
    let at = start;
    for (const { kept, to } of loops) {
      if (kept > at) text += piece.text.slice(at - start, Math.max(at, kept) - start);
      at = Math.max(at, to);
    }
    text += piece.text.slice(Math.min(at, offset) - start);
    return isBlank(text) ? [] : [{ ...piece, text }];
  });
}
