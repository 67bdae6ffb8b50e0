// An answer to a language model: its text, pictures and errors, never more than a model can be handed at
// once.
import { clockTime } from '../../actors/decoder/contract.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { ApiError, clientErrors } from '../client/error.ts';

// The text: whole lines, bounded.

/** Characters (UTF-16 units, as `length` counts) of all text of one answer. */
export const MOST_CHARACTERS = 24_000;

/** Longest line of an answer without a shorter limit. */
const LONGEST_LINE = 1_000;
const MOST_NOTES = 4;
const MOST_RANGES = 8;

/**
 * One line of at most `most` characters: control characters and ends of lines are spaces, lone halves of
 * characters are replaced, and what is left out shows as `…`.
 */
export function oneLine(text: string, most = LONGEST_LINE): string {
  // More than is shown may be white space; a text of megabytes is not walked.
  const flat = text
    .slice(0, most * 8)
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  if (flat.length <= most && text.length <= most * 8) return flat;
  let end = Math.max(0, most - 1);
  // Not between the two halves of a character.
  const last = flat.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end--;
  return `${flat.slice(0, end).trimEnd()}…`;
}

/** Quotes text by others, so that a model does not take it for words of this program. */
export function quoted(text: string, most: number): string {
  return `"${oneLine(text.replaceAll('"', "'"), most)}"`;
}

/** The name of a file without its folders, of either kind of separator. */
export function fileName(path: string): string {
  return oneLine(path.split(/[/\\]/).at(-1) || path, 160);
}

/** The hash of a content, whatever stands in a damaged record. */
export function hashText(hash: string): string {
  return oneLine(hash, 110);
}

/** `12` or `12.5`: seconds as they are written everywhere here. */
export function secondsText(seconds: number): string {
  return Number.isFinite(seconds) ? String(Math.round(seconds * 100) / 100) : '?';
}

/** `00:00:12`; of a time that is none, `?`. */
export function timeText(seconds: number): string {
  return Number.isFinite(seconds) && seconds >= 0 && seconds < 1e9 ? clockTime(seconds) : '?';
}

/** `00:00:10-00:00:14 (10-14 s)`, to a millisecond: a timeline may be cut by it. */
export function rangeText(start: number, end: number): string {
  const exact = (seconds: number) =>
    Number.isFinite(seconds) ? String(Math.round(seconds * 1000) / 1000) : '?';
  return `${timeText(start)}-${timeText(end)} (${exact(start)}-${exact(end)} s)`;
}

/** Ranges, as many as fit into a line. */
export function rangesText(ranges: readonly (readonly [number, number])[]): string {
  const some = ranges.slice(0, MOST_RANGES).map(([start, end]) => rangeText(start, end));
  return `${some.join(', ')}${ranges.length > MOST_RANGES ? ` and ${ranges.length - MOST_RANGES} more ranges` : ''}`;
}

/** Notes of the service, as it wrote them. */
export function notes(texts: readonly (string | undefined)[]): string[] {
  const all = [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as string[];
  const lines = all.slice(0, MOST_NOTES).map((text) => `Note: ${oneLine(text, 500)}`);
  if (all.length > MOST_NOTES) lines.push(`Note: ${all.length - MOST_NOTES} more notes were omitted.`);
  return lines;
}

interface Listing {
  /** Lines above the rows. */
  readonly head: readonly string[];
  readonly rows: readonly string[];
  /** Cursor of the page behind the first `shown` rows; null behind the last row of all. */
  next?(shown: number): string | null;
  /** Lines below the first `shown` rows. */
  below?(shown: number): readonly string[];
  /** Characters; `MOST_CHARACTERS` when left out. */
  readonly most?: number;
}

/** Rows, as many as fit, their number, and the cursor of the next page. */
export function listed({
  head,
  rows,
  next = () => null,
  below = () => [],
  most = MOST_CHARACTERS,
}: Listing): { readonly text: string; readonly shown: number; readonly cursor: string | null } {
  const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  const under = (count: number) => [...moreText(next(count), rows.length - count), ...below(count)];
  let used = size(head);
  let shown = 0;
  for (const row of rows) {
    if (used + row.length + 1 > most) break;
    used += row.length + 1;
    shown++;
  }
  let tail = under(shown);
  for (; shown > 0 && used + size(tail) > most; tail = under(shown)) used -= rows[--shown]!.length + 1;
  const text = bounded([...head, ...rows.slice(0, shown), ...tail].join('\n'), most);
  return { text, shown, cursor: next(shown) };
}

function moreText(cursor: string | null, omitted: number): string[] {
  if (cursor === null) return [];
  const why = omitted > 0 ? `${omitted} rows did not fit. ` : '';
  return [`${why}More: call again with cursor "${cursor}".`];
}

/** The cursor of a page of `total` rows that has `start` rows before it. */
export function placeAfter(start: number, total: number): (shown: number) => string | null {
  return (shown) => (start + shown < total ? String(start + shown) : null);
}

/** The whole lines that fit; a text whose first line does not is cut. What is left out is said. */
export function bounded(text: string, most = MOST_CHARACTERS): string {
  if (text.length <= most) return text;
  const mark = '(The rest was omitted: the answer was too long.)';
  const end = text.lastIndexOf('\n', most - mark.length - 1);
  return `${end > 0 ? text.slice(0, end) : oneLine(text, most - mark.length - 1)}\n${mark}`;
}

// Pictures of an answer: only ones that are what they say, and together no more than a model can be handed.

/** Characters of base64 of all pictures of one answer. */
export const MOST_PICTURE_CHARACTERS = 150_000;

/**
 * Base64 of a JPEG, and of nothing else: a client that is handed broken base64 loses the whole conversation.
 */
function isJpeg(data: string): boolean {
  return (
    data.length >= 8 &&
    data.length <= MOST_PICTURE_CHARACTERS &&
    data.length % 4 === 0 &&
    data.startsWith('/9j/') &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  );
}

/**
 * Which pictures go into one answer, in order: null for one that is missing, broken, or does not fit any
 * more.
 */
export function fitting(pictures: readonly (string | null)[]): (string | null)[] {
  let budget = MOST_PICTURE_CHARACTERS;
  return pictures.map((data) => {
    if (data === null || data.length > budget || !isJpeg(data)) return null;
    budget -= data.length;
    return data;
  });
}

/**
 * The longest side at which pictures that took `characters` at `side` should fit: bytes grow a little slower
 * than the area. `least` at the smallest.
 */
export function sideThatFits(side: number, characters: number, least: number): number {
  const scale = Math.sqrt(MOST_PICTURE_CHARACTERS / Math.max(1, characters)) * 0.9;
  return Math.max(least, Math.min(side - 1, Math.floor(side * scale)));
}

/** The number of each picture that is there, from 1 on. */
export function numbered(pictures: readonly (string | null)[]): (number | null)[] {
  let count = 0;
  return pictures.map((picture) => (picture === null ? null : ++count));
}

// An error as a tool answers it: what is wrong, in the names that the tool's arguments have, and what to do
// next.

interface Place {
  /** Address of the service. */
  readonly url: string;
  /** The analysis folder. */
  readonly cacheDir: string;
}

const LONGEST = 1_500;

/** One line. */
export function errorText(error: unknown, place: Place): string {
  return oneLine(told(error, place), LONGEST) || 'The service failed without a reason. Call again.';
}

function told(error: unknown, { url, cacheDir }: Place): string {
  if (clientErrors.NO_SERVICE.is(error)) {
    return `The service does not respond at ${url}: ${error.message}. It may be starting: call again in a few seconds. A person can start it with: framehound serve`;
  }
  if (engineErrors.CANCELLED.is(error)) return 'The call was cancelled.';
  if (!(error instanceof ApiError)) return plain(error);
  const { status, error: phrase, message } = error;
  const [, field] = /^Invalid (\S+)$/.exec(phrase) ?? [];
  // The phrase says nothing that the message does not.
  const isSaid = message === phrase || (field !== undefined && message.includes(field));
  const said = isSaid ? message : `${phrase}: ${message}`;
  if (status === 401) {
    return `${said}. The service needs a license key: a person must set FRAMEHOUND_LICENSE_KEY in the assistant's configuration, or its header "Authorization: Bearer KEY".`;
  }
  if (status === 403)
    return `${said}. A person must set another license key in the assistant's configuration.`;
  if (phrase === storeErrors.STORE_UNAVAILABLE.meaning) {
    return `Nothing is analysed in ${cacheDir} yet (${message}). Call analyze with the absolute paths of media files first.`;
  }
  if (status === 400) {
    const advice = field === undefined ? '' : ' Correct this argument and call again.';
    return `${inOurWords(said)}.${advice}${lists(said)}`;
  }
  if (error.retryable) return `${inOurWords(said)}. Call again in a few seconds.`;
  return `${inOurWords(said)}.${lists(said)}`;
}

function plain(error: unknown): string {
  const { code, message } = toFields(error);
  return code === 'INTERNAL'
    ? `Internal error: ${message}. Call again; if the error persists, tell a person.`
    : message;
}

/** Which tool has the names that would be right. */
function lists(said: string): string {
  if (/person_name|clustering/.test(said)) return ' who lists the people.';
  if (/facet_id/.test(said)) return ' list_library with facets true lists them.';
  if (/framehound models pull/.test(said))
    return ' A person must download it; until then, omit it from what.';
  return /\btask\b/.test(said) ? ' task without id lists the tasks.' : '';
}

/** Fields of requests, and the arguments of tools they come from. */
const names: Readonly<Record<string, string>> = {
  'metadata_filter_request\\.filters': 'filters',
  facet_id: 'facet',
  media_paths: 'media',
  media_path: 'media',
  people_filter_mode: 'people_mode',
  people_filter: 'people',
  metadata_filter_request: 'filters',
  segments_to_frame_indices: 'from and to',
  visual_media_paths: 'paths',
  thing_media_paths: 'paths',
  text_media_paths: 'paths',
  sound_media_paths: 'paths',
  transcription_jobs: 'paths',
  face_clustering_jobs: 'paths',
  summary_requests: 'paths',
  query: 'text',
  cluster_job_name: 'clustering',
  under: 'folder',
  source_start_seconds: 'in',
  source_end_seconds: 'out',
};

const fields = new RegExp(`\\b(?:${Object.keys(names).join('|')})\\b`, 'g');

/** Without a full stop. */
export function inOurWords(text: string): string {
  const named = text.replace(fields, (name) => names[name.replaceAll('.', '\\.')] ?? name);
  return named.replaceAll('.person_name', '').replace(/[.\s]+$/, '');
}
