// Reads the subtitles beside a media file, and turns those of embedded tracks into segments.
import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { analyse } from 'chardet';
import type { Reply, Request } from '../../../../runtime/contract.ts';
import { baseLanguage, languageCode } from '../../../../runtime/languages.ts';
import { speechErrors, type transcriberContract } from '../../contract.ts';
import { chooseSidecars, isPartial, isSubtitleName, textCodecs } from './choose.ts';
import { type Cue, type ParsedCues, plainSubrip, voicesOfWebvtt } from './cue.ts';
import { assEvent, parseSubtitles, parseTtml } from './read.ts';
import { segmentsOfCues } from './segments.ts';

// Decodes text of unknown encoding. A byte order mark decides, then valid UTF-8; else it is a legacy
// encoding, detected by the language in the name of the file and by the bytes.

export interface DecodedText {
  readonly text: string;
  /**
   * Name of the encoding standard (https://encoding.spec.whatwg.org/): `utf-8`, `shift_jis`, `windows-1252`.
   */
  readonly encoding: string;
}

/**
 * `language`: BCP 47, from the name of the file; null when it has none. Never fails: any bytes are decoded.
 */
export function decodeText(bytes: Uint8Array, language: string | null): DecodedText {
  const unicodeEncoding = byteOrderMark(bytes) ?? utf16WithoutMark(bytes);
  if (unicodeEncoding) return decoded(bytes, unicodeEncoding);
  const unicode = utf8(bytes);
  // ISO-2022-JP is 7-bit, so it is valid UTF-8; its escape sequences give it away.
  if (unicode !== null && !unicode.includes('\u001b$')) return { text: unicode, encoding: 'utf-8' };
  if (unicode !== null) return decoded(bytes, 'iso-2022-jp');
  return decoded(bytes, legacyEncoding(bytes, language) ?? 'windows-1252');
}

function decoded(bytes: Uint8Array, encoding: string): DecodedText {
  if (encoding.startsWith('utf-32')) return { text: fromUtf32(bytes, encoding === 'utf-32le'), encoding };
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function byteOrderMark(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32be';
  return a === 0xef && b === 0xbb && c === 0xbf ? 'utf-8' : null;
}

/** Counters, times and line ends are ASCII in every language: in UTF-16 every other byte of them is zero. */
function utf16WithoutMark(bytes: Uint8Array): string | null {
  const count = Math.min(bytes.length, 8192) & ~1;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < count; i += 2) {
    if (bytes[i] === 0) even++;
    if (bytes[i + 1] === 0) odd++;
  }
  if (odd > 0.15 * (count / 2) && even * 10 < odd) return 'utf-16le';
  return even > 0.15 * (count / 2) && odd * 10 < even ? 'utf-16be' : null;
}

/** Also of text with a few broken bytes; null for what is not UTF-8. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder().decode(bytes);
    const broken = text.split('\ufffd').length - 1;
    const beyond = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
    return beyond >= 20 * broken ? text : null;
  }
}

/** Legacy encodings of a language, the most common first. */
function encodingsOf(language: string): readonly string[] {
  const tag = new Intl.Locale(language).maximize();
  const byLanguage: Readonly<Record<string, readonly string[]>> = {
    ja: ['shift_jis', 'euc-jp'],
    ko: ['euc-kr'],
    zh: tag.script === 'Hant' ? ['big5', 'gb18030'] : ['gb18030', 'big5'],
    yue: ['big5', 'gb18030'],
    ru: ['windows-1251', 'koi8-r', 'ibm866'],
    uk: ['windows-1251', 'koi8-u'],
    bg: ['windows-1251'],
    mk: ['windows-1251'],
    be: ['windows-1251'],
    sr: tag.script === 'Latn' ? ['windows-1250'] : ['windows-1251', 'windows-1250'],
    el: ['windows-1253'],
    tr: ['windows-1254'],
    he: ['windows-1255'],
    ar: ['windows-1256'],
    fa: ['windows-1256'],
    ur: ['windows-1256'],
    th: ['windows-874'],
    vi: ['windows-1258'],
    et: ['windows-1257'],
    lv: ['windows-1257'],
    lt: ['windows-1257'],
  };
  const central = ['pl', 'cs', 'sk', 'hu', 'sl', 'hr', 'bs', 'ro', 'sq'];
  const base = baseLanguage(language);
  return byLanguage[base] ?? (central.includes(base) ? ['windows-1250'] : ['windows-1252']);
}

/** The script of the non-ASCII letters of each encoding that is not for Latin script. */
const scripts: Readonly<Record<string, RegExp>> = {
  shift_jis: /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\u3000-\u303f\uff00-\uff60ー]/gu,
  'euc-jp': /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\u3000-\u303f\uff00-\uff60ー]/gu,
  'euc-kr': /[\uac00-\ud7a3]/g,
  gb18030: /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff60]/g,
  big5: /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff60]/g,
  'windows-1251': /\p{sc=Cyrillic}/gu,
  'koi8-r': /\p{sc=Cyrillic}/gu,
  'koi8-u': /\p{sc=Cyrillic}/gu,
  ibm866: /\p{sc=Cyrillic}/gu,
  'iso-8859-5': /\p{sc=Cyrillic}/gu,
  'windows-1253': /\p{sc=Greek}/gu,
  'iso-8859-7': /\p{sc=Greek}/gu,
  'windows-1255': /\p{sc=Hebrew}/gu,
  'iso-8859-8': /\p{sc=Hebrew}/gu,
  'windows-1256': /\p{sc=Arabic}/gu,
  'iso-8859-6': /\p{sc=Arabic}/gu,
  'windows-874': /\p{sc=Thai}/gu,
};

/** Names of the detector that differ from those of the standard. */
const standard: Readonly<Record<string, string>> = { 'iso-8859-1': 'windows-1252', big5: 'big5' };

function legacyEncoding(bytes: Uint8Array, language: string | null): string | null {
  const sample = bytes.subarray(0, 262_144);
  const guesses = analyse(sample).map(({ name, confidence }) => {
    const plain = name.toLowerCase().replace('iso-8859-8-i', 'iso-8859-8');
    return { encoding: standard[plain] ?? plain, confidence };
  });
  const confidenceOf = (encoding: string) =>
    guesses.find((guess) => guess.encoding === encoding)?.confidence ?? 0;
  // In Latin script bytes above 127 are isolated accents; in other scripts they come in runs.
  const isolated = isolatedShare(sample) > 0.8;
  const fits = (encoding: string) => !(isolated && scripts[encoding]) && isPlausible(sample, encoding);
  const candidates = language === null ? [] : encodingsOf(language).filter(fits);
  // Among several plausible encodings the detector's most confident one wins.
  const best = candidates.toSorted((a, b) => confidenceOf(b) - confidenceOf(a))[0];
  return best ?? guesses.find(({ encoding }) => fits(encoding))?.encoding ?? null;
}

function isPlausible(bytes: Uint8Array, encoding: string): boolean {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return false;
  }
  const letters = text.match(/[^\0-\x7f\p{P}\p{S}\p{Z}]/gu)?.length ?? 0;
  const script = scripts[encoding];
  if (!script) return /^(windows-125|iso-8859-)/.test(encoding) && !/[\x80-\x9f]/.test(text);
  const fitting = text.match(script)?.length ?? 0;
  const isJapanese = encoding === 'shift_jis' || encoding === 'euc-jp';
  const kana = isJapanese ? (text.match(/[\p{sc=Hiragana}\p{sc=Katakana}]/gu)?.length ?? 0) : letters;
  return letters > 0 && fitting >= 0.7 * letters && kana >= 0.1 * letters;
}

/** Share of the bytes above 127 that have no other such byte beside them. */
function isolatedShare(bytes: Uint8Array): number {
  let high = 0;
  let isolated = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! < 0x80) continue;
    high++;
    if ((bytes[i - 1] ?? 0) < 0x80 && (bytes[i + 1] ?? 0) < 0x80) isolated++;
  }
  return high === 0 ? 1 : isolated / high;
}

function fromUtf32(bytes: Uint8Array, little: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, little);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
}

type Contract = typeof transcriberContract;

/** Ten hours of subtitles are 2 MB; a much larger file is something else. */
const MOST_BYTES = 32 * 1024 * 1024;

/** SUBTITLES_INVALID names the file that could not be read; no worse match is used in its place. */
export async function sidecar(request: Request<Contract, 'sidecar'>): Promise<Reply<Contract, 'sidecar'>> {
  const [main, ...further] = await findSidecars(request);
  if (!main) return null;
  const { path } = main;
  const { language, segments, skipped, repaired, version } = await readSidecar(main);
  const { others, unreadable } = await readOthers(further);
  return {
    ...{ path, language, segments, skipped, repaired, unreadable },
    others: others.map((subtitles) => ({ language: subtitles.language, segments: subtitles.segments })),
    version: joinedVersion([version, ...others.map((subtitles) => subtitles.version)]),
  };
}

/** One that cannot be read keeps nothing from the transcript. */
async function readOthers(files: readonly FoundSidecar[]) {
  const others: Awaited<ReturnType<typeof readSidecar>>[] = [];
  const unreadable: string[] = [];
  for (const file of files) {
    try {
      others.push(await readSidecar(file));
    } catch (error) {
      unreadable.push((error as Error).message);
    }
  }
  return { others, unreadable };
}

async function readSidecar({ path, language }: FoundSidecar) {
  const bytes = await bytesOf(path);
  const { text } = decodeText(bytes, language);
  const parsed = parseSubtitles(text);
  const { segments, skipped, repaired } = segmentsOfCues(parsed);
  if (segments.length === 0) {
    const what = skipped > 0 ? `none of its ${skipped} cues can be used` : 'there is no cue in it';
    throw speechErrors.SUBTITLES_INVALID(`${path}: ${what}`, { path });
  }
  const declaredLanguage = parsed.language === null ? null : languageCode(parsed.language);
  return { language: language ?? declaredLanguage, segments, skipped, repaired, version: versionOf(bytes) };
}

export async function sidecarVersion(
  request: Request<Contract, 'sidecar_version'>,
): Promise<Reply<Contract, 'sidecar_version'>> {
  const [main, ...further] = await findSidecars(request);
  if (!main) return null;
  try {
    const version = versionOf(await bytesOf(main.path));
    const { others } = await readOthers(further);
    return joinedVersion([version, ...others.map((subtitles) => subtitles.version)]);
  } catch {
    // `sidecar` answers why it cannot be read.
    return null;
  }
}

/** One version of several files. */
function joinedVersion(versions: readonly string[]): string {
  return versions.length === 1 ? versions[0]! : versionOf(Buffer.from(versions.join(' ')));
}

/** Hash of the content, the same for a copy. */
function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

interface FoundSidecar {
  readonly path: string;
  /** From the name. */
  readonly language: string | null;
}

/** The one for the transcript first. */
async function findSidecars(request: Request<Contract, 'sidecar'>): Promise<FoundSidecar[]> {
  const { media_path, language, has_track } = request;
  const folder = dirname(media_path);
  const sidecars = chooseSidecars(basename(media_path), await namesIn(folder), language);
  if (has_track && sidecars[0] && isPartial(sidecars[0].kind)) return [];
  return sidecars.map((choice) => ({ path: join(folder, choice.name), language: choice.language }));
}

/** SUBTITLES_INVALID for a codec that is not text, and when no event of a track that has some can be read. */
export function captions({ codec, cues }: Request<Contract, 'captions'>): Reply<Contract, 'captions'> {
  if (!textCodecs.has(codec)) {
    throw speechErrors.SUBTITLES_INVALID(`Subtitles of the codec ${codec} are not text`, { codec });
  }
  const parsed = cues.map((cue) => cuesOf(codec, cue));
  const skipped = parsed.reduce((sum, result) => sum + result.skipped, 0);
  const transcript = segmentsOfCues({ cues: parsed.flatMap((result) => result.cues), skipped });
  if (transcript.segments.length === 0 && transcript.skipped > 0) {
    const what = `None of the ${cues.length} events of the ${codec} track can be used`;
    throw speechErrors.SUBTITLES_INVALID(what, { codec });
  }
  return transcript;
}

type Event = Request<Contract, 'captions'>['cues'][number];

function cuesOf(codec: string, event: Event): Pick<ParsedCues, 'cues' | 'skipped'> {
  const at = { start: event.start_seconds, end: event.end_seconds };
  const cue = (text: string): Cue => ({ ...at, text, speaker: null });
  if (codec === 'ass' || codec === 'ssa') {
    const said = assEvent(event.text);
    return said ? { cues: [{ ...at, ...said }], skipped: 0 } : { cues: [], skipped: 1 };
  }
  if (codec === 'webvtt') {
    return { cues: voicesOfWebvtt(event.text).map((said) => ({ ...at, ...said })), skipped: 0 };
  }
  if (codec === 'ttml') return documentAt(event);
  // The text of mov_text is plain; its styles are after it.
  return { cues: [cue(codec === 'mov_text' ? event.text : plainSubrip(event.text))], skipped: 0 };
}

/**
 * A sample of a TTML track is a document with the times of the track; FFmpeg's encoder writes only the
 * paragraphs.
 */
function documentAt({ start_seconds, end_seconds, text }: Event): Pick<ParsedCues, 'cues' | 'skipped'> {
  const { cues, skipped } = parseTtml(text);
  const within = cues.map((cue) => {
    const start = Math.max(start_seconds, cue.start);
    const end = Math.min(end_seconds, cue.end ?? end_seconds);
    // Times outside those of the sample are ignored: the cue has the times of the sample.
    return start < end ? { ...cue, start, end } : { ...cue, start: start_seconds, end: end_seconds };
  });
  return { cues: within, skipped };
}

/** A change of a folder this shortly before it was listed may be followed by one of the same time. */
const UNSURE_MS = 3000;

/** The folder listed last: its files are asked for one after the other, and there may be very many. */
let lastListed: { readonly folder: string; readonly mtimeMs: number; readonly names: string[] } | null = null;

/** Names of subtitles; empty for a folder that cannot be listed. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    const began = Date.now();
    const { mtimeMs } = await stat(folder);
    if (lastListed?.folder === folder && lastListed.mtimeMs === mtimeMs) return lastListed.names;
    const names = (await readdir(folder)).filter(isSubtitleName);
    lastListed = began - mtimeMs > UNSURE_MS ? { folder, mtimeMs, names } : null;
    return names;
  } catch {
    return [];
  }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const broken = (what: string, cause?: unknown) =>
    speechErrors.SUBTITLES_INVALID(`${path}: ${what}`, { path }, cause);
  const file = await open(path).catch((error: Error) => {
    throw broken(error.message, error);
  });
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw broken(`${size} bytes are too many for subtitles`);
    // It may be a folder, or be removed meanwhile.
    return await file.readFile().catch((error: Error) => {
      throw broken(error.message, error);
    });
  } finally {
    await file.close();
  }
}
