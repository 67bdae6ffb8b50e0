// Chooses the subtitles of a media file: the best embedded track, and the best sidecar file.
import { baseLanguage, languageCode } from '../../../../runtime/languages.ts';

/** Codecs of embedded text tracks, by FFmpeg's names; other subtitle codecs are bitmaps. */
export const textCodecs: ReadonlySet<string> = new Set([
  'mov_text',
  'subrip',
  'srt',
  'text',
  'ass',
  'ssa',
  'webvtt',
  'ttml',
]);

interface SubtitleTrack {
  readonly index: number;
  readonly codec: string;
  /** Language in the notation of the file, mostly ISO 639-2. */
  readonly language: string | null;
  readonly kind?: Exclude<SubtitleSidecar['kind'], 'full'> | undefined;
  readonly is_default?: true | undefined;
}

/** How well a language fits the one asked for, best first. */
const FIT = { same: 0, script: 1, base: 2, unknown: 3, other: 4 } as const;

/**
 * The track to use as the transcript: one that holds all that is said before one that holds a part, then one
 * of the language, else one of unknown language, else of another language, whose language the transcript then
 * has; of equal ones the default. Null when there is no text track. `language`: BCP 47, null takes any.
 */
export function chooseTrack<T extends SubtitleTrack>(
  tracks: readonly T[],
  language: string | null,
): T | null {
  const texts = tracks.filter(({ codec }) => textCodecs.has(codec));
  const rank = ({ index, language: trackLanguage, kind, is_default }: SubtitleTrack) => [
    isPartial(kind) ? 1 : 0,
    fit(codeOf(trackLanguage), language),
    kinds.indexOf(kind ?? 'full'),
    is_default ? 0 : 1,
    index,
  ];
  return texts.toSorted((a, b) => compareRanks(rank(a), rank(b)))[0] ?? null;
}

/** A sidecar file, as its name describes it. */
export interface SubtitleSidecar {
  readonly name: string;
  /** BCP 47; null where the name does not say it. */
  readonly language: string | null;
  /** sdh: for the deaf and hard of hearing. */
  readonly kind: 'full' | 'sdh' | 'comment' | 'forced';
}

const suffixes = ['.vtt', '.srt', '.ass', '.ssa', '.ttml', '.dfxp'];
/** Kinds of subtitles that are not read. */
const unreadSuffixes = [
  '.sbv',
  '.scc',
  '.smi',
  '.sami',
  '.sub',
  '.idx',
  '.sup',
  '.lrc',
  '.stl',
  '.mcc',
  '.cap',
];

/** True if a file can be subtitles, by its name. */
export function isSubtitleName(name: string): boolean {
  return suffixes.includes(suffixOf(name));
}

/** Best first. Forced subtitles hold only what is said in a foreign language. */
const kinds = ['full', 'sdh', 'comment', 'forced'] as const;
const words: Readonly<Record<string, SubtitleSidecar['kind']>> = {
  default: 'full',
  full: 'full',
  subtitles: 'full',
  subs: 'full',
  captions: 'sdh',
  sdh: 'sdh',
  cc: 'sdh',
  hi: 'sdh',
  commentary: 'comment',
  comment: 'comment',
  comments: 'comment',
  forced: 'forced',
  foreign: 'forced',
  signs: 'forced',
};

/**
 * The sidecars of `mediaName`, of all names in the folder: first the one to use as the transcript, then the
 * best of each other language. Empty when there is none.
 */
export function chooseSidecars(
  mediaName: string,
  names: readonly string[],
  language: string | null,
): SubtitleSidecar[] {
  const rank = ({ name, language: sidecarLanguage, kind }: SubtitleSidecar) => [
    isPartial(kind) ? 1 : 0,
    fit(sidecarLanguage, language),
    kinds.indexOf(kind),
    suffixes.indexOf(suffixOf(name)),
  ];
  const sidecars = names.flatMap((name) => sidecarOf(mediaName, name) ?? []);
  const byName = (a: SubtitleSidecar, b: SubtitleSidecar) => (a.name < b.name ? -1 : 1);
  const [best, ...further] = sidecars.toSorted((a, b) => compareRanks(rank(a), rank(b)) || byName(a, b));
  if (best === undefined) return [];
  const chosen = [best];
  for (const sidecar of further) {
    // Others that hold only a part of what is said do not stand for their language.
    const isWhole = sidecar.kind === 'full' || sidecar.kind === 'sdh';
    if (isWhole && chosen.every((before) => !isSameLanguage(before.language, sidecar.language)))
      chosen.push(sidecar);
  }
  return chosen;
}

/** Forced subtitles and commentary hold only a part of the dialogue. */
export function isPartial(kind: SubtitleSidecar['kind'] | undefined): boolean {
  return kind === 'forced' || kind === 'comment';
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, i) => value !== right[i]);
  return at < 0 ? 0 : left[at]! - right[at]!;
}

/** `en` and `en-GB` are the same, `zh-Hans` and `zh-Hant` are not. */
function isSameLanguage(first: string | null, second: string | null): boolean {
  if (first === null || second === null) return first === second;
  return fit(first, second) <= FIT.script;
}

/**
 * Parses the name of a sidecar of the media: `film.srt`, `film.en.srt`, `Film.ENG.forced.SRT`, `film_pt-
 * BR.vtt`, `film.mp4.srt`. Null for every other name, such as that of the subtitles of `film.part2.mp4`.
 */
export function sidecarOf(mediaName: string, name: string, kinds = suffixes): SubtitleSidecar | null {
  const suffix = suffixOf(name);
  if (!kinds.includes(suffix)) return null;
  const whole = fold(name.slice(0, -suffix.length));
  const media = fold(mediaName);
  const stem = media.slice(0, media.length - suffixOf(media).length);
  const base = [media, stem].find((prefix) => prefix !== '' && whole.startsWith(prefix));
  if (base === undefined) return null;
  const ending = whole.slice(base.length);
  if (ending === '') return { name, language: null, kind: 'full' };
  if (!/^[.\s_\-[(]/.test(ending)) return null;
  return described(ending, name);
}

/**
 * Sentence about unreadable subtitles beside the media and the kinds that are read; null if there are none.
 */
export function unreadSubtitles(mediaName: string, names: readonly string[]): string | null {
  const unread = names.filter((name) => sidecarOf(mediaName, name, unreadSuffixes)).toSorted();
  if (unread.length === 0) return null;
  return `${unread.join(', ')} cannot be read; subtitles are read from ${suffixes.join(', ')}`;
}

function described(ending: string, name: string): SubtitleSidecar | null {
  const plain = ending.replace(/[[\](),]/g, '.').replace(/^[.\s_-]+|[.\s_-]+$/g, '');
  const whole = fileLanguage(plain.replace(/[.\s_]+/g, ' '));
  if (whole) return { name, language: whole, kind: 'full' };
  let language: string | null = null;
  let kind: SubtitleSidecar['kind'] = 'full';
  for (const part of plain.split(/[.\s]+|_(?![a-z]{2}(?:[._\s]|$))|-(?![a-z0-9]{2,4}(?:[._\s-]|$))/)) {
    if (part === '') continue;
    const word = Object.hasOwn(words, part) ? words[part]! : null;
    // `hi` alone is Hindi; behind a language it is for the hard of hearing.
    if (word && (part !== 'hi' || language !== null))
      kind = kinds.indexOf(word) > kinds.indexOf(kind) ? word : kind;
    else if (language !== null) {
      // A title after the language may be anything.
    } else {
      language = fileLanguage(part);
      if (language === null) return null;
    }
  }
  return { name, language, kind };
}

const local: Readonly<Record<string, string>> = {
  'brazilian portuguese': 'pt-BR',
  brazilian: 'pt-BR',
  pob: 'pt-BR',
  'latin american spanish': 'es-419',
  'simplified chinese': 'zh-Hans',
  'chinese simplified': 'zh-Hans',
  chs: 'zh-Hans',
  'traditional chinese': 'zh-Hant',
  'chinese traditional': 'zh-Hant',
  cht: 'zh-Hant',
};

function fileLanguage(text: string): string | null {
  if (Object.hasOwn(local, text)) return local[text]!;
  const code = languageCode(text);
  if (code === null || code === 'auto') return null;
  // `film.new.srt`, `film.old.srt`: words that are also codes of languages without subtitles.
  const isRare = baseLanguage(code).length > 2 && !['yue', 'fil', 'haw'].includes(baseLanguage(code));
  return isRare ? null : code;
}

function codeOf(language: string | null): string | null {
  const code = language === null ? null : languageCode(language);
  return code === 'auto' ? null : code;
}

function fit(candidate: string | null, preferred: string | null): number {
  const target = codeOf(preferred);
  if (target === null) return candidate === null ? FIT.same : FIT.script;
  if (candidate === null) return FIT.unknown;
  if (candidate.toLowerCase() === target.toLowerCase()) return FIT.same;
  if (baseLanguage(candidate) !== baseLanguage(target)) return FIT.other;
  return scriptOf(candidate) === scriptOf(target) ? FIT.script : FIT.base;
}

/** zh-TW and zh-Hant have the same script, zh-CN another. */
function scriptOf(code: string): string | undefined {
  return new Intl.Locale(code).maximize().script;
}

function suffixOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

/** File systems differ in the normalisation of accents, and in whether case matters. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
