// Which media file an assistant means: it has a path, a hash, or no more than a file name.
import { isAbsolute } from 'node:path';
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { errorTable } from '../../runtime/errors.ts';
import { nearest, plainApostrophes } from '../../runtime/text.ts';
import { isOf } from '../client/error.ts';
import { fileName, hashText, oneLine, secondsText } from './answer.ts';
import type { Call } from './tool.ts';

// The id of a moment, `hash@second`: the content and the time, so it holds when the file is renamed or moved.

const momentErrors = errorTable({
  BAD_MOMENT: { meaning: 'The moment id is not valid', status: 400 },
});

interface MomentId {
  readonly hash_str: string;
  /** From the start of the file. */
  readonly seconds: number;
}

const form = /^([0-9a-f][0-9a-f-]{0,99})@(\d{1,9}(?:\.\d{1,3})?)$/;

export function momentId(hash: string, seconds: number): string {
  return `${hash}@${secondsText(seconds)}`;
}

/** Throws BAD_MOMENT naming `field`. */
export function parseMoment(text: string, field: string): MomentId {
  const [, hash_str, seconds] = form.exec(text.trim().toLowerCase()) ?? [];
  if (hash_str !== undefined && seconds !== undefined) return { hash_str, seconds: Number(seconds) };
  const message = `${field}: ${JSON.stringify(oneLine(text, 80))} is not a moment id. A moment id is hash@second, as returned by find_moments and find_spoken: 4d8f21a07c3e95b61a2b3c4d-5a3c1@12`;
  throw momentErrors.BAD_MOMENT(message, { field });
}

const hashForm = /^[0-9a-f]{6,}-[0-9a-f]{1,16}$/;

/** The hash of a content that a text is, or that is in the id of a moment; null for a path or a name. */
function hashIn(text: string): string | null {
  const small = text.toLowerCase();
  const hash = form.exec(small)?.[1] ?? small;
  return hashForm.test(hash) && hash.length <= 100 ? hash : null;
}

const mediaNameErrors = errorTable({
  NO_SUCH_MEDIA: { meaning: 'Media not found in the library', status: 404 },
  SEVERAL_MEDIA: { meaning: 'Several media have this name', status: 400 },
});

export interface MediaReference {
  readonly hash_str: string;
  readonly path: string;
}

/** Media of a library that are looked through for a name. */
const MOST_MEDIA = 50_000;
const PAGE = 5_000;
/** Contents of one path that are known at most. */
const MOST_REPLACED = 20;
/** Candidates that an error names. */
const MOST_NAMED = 5;

/** Throws NO_SUCH_MEDIA and SEVERAL_MEDIA naming `field`, and what was probably meant. */
export async function findMedia(text: string, field: string, call: Call): Promise<MediaReference> {
  const name = text.trim();
  if (name === '') throw unknown(field, text, 'list_library lists what there is.');
  const hash = hashIn(name);
  if (hash !== null) return mediaOfHash(hash, field, call);
  if (isAbsolute(name)) return mediaAt(name, field, call);
  return mediaNamed(name, field, call);
}

export function findAllMedia(texts: readonly string[], field: string, call: Call): Promise<MediaReference[]> {
  return inOrder(texts, (text, i) => findMedia(text, `${field}[${i}]`, call));
}

/** Paths of files in the form of searches. Throws NO_SUCH_MEDIA too if another file is at the path by now. */
export async function searchedPaths(texts: readonly string[], field: string, call: Call): Promise<string[]> {
  return inOrder(texts, async (text, i) => {
    const { hash_str, path } = await findMedia(text, `${field}[${i}]`, call);
    const now =
      hashIn(text.trim()) === null ? hash_str : (await mediaAt(path, `${field}[${i}]`, call)).hash_str;
    if (now === hash_str) return path;
    throw unknown(
      `${field}[${i}]`,
      text,
      `Another file is now at its path ${oneLine(path, 300)}, ${hashText(now)}.`,
    );
  });
}

/** Where the content of a moment lies. */
export async function mediaOfMoments(
  moments: readonly MomentId[],
  field: string,
  call: Call,
): Promise<MediaReference[]> {
  const mediaByHash = new Map<string, MediaReference>();
  return inOrder(moments, async ({ hash_str }, i) => {
    const media = mediaByHash.get(hash_str) ?? (await mediaOfHash(hash_str, `${field}[${i}]`, call));
    mediaByHash.set(hash_str, media);
    return media;
  });
}

/** One after the other: a long list must not ask a hundred questions at once. */
async function inOrder<A, B>(items: readonly A[], work: (item: A, i: number) => Promise<B>): Promise<B[]> {
  const done: B[] = [];
  for (const [i, item] of items.entries()) done.push(await work(item, i));
  return done;
}

/** Media by the record of the content; the file itself is not read. */
async function mediaOfHash(
  hash_str: string,
  field: string,
  { client, cacheDir, callOptions }: Call,
): Promise<MediaReference> {
  const range = { start_seconds: 0, end_seconds: 0.001, max_segments: 1 };
  const { media_path } = await client.transcriptionsRange(
    { cache_dir: cacheDir, hash_str, ...range },
    callOptions,
  );
  if (media_path !== null) return { hash_str, path: media_path };
  throw unknown(field, hash_str, 'A hash changes when the file changes; list_library has the current ones.');
}

async function mediaAt(
  path: string,
  field: string,
  { client, cacheDir, callOptions }: Call,
): Promise<MediaReference> {
  const { media } = await client.listLibrary(
    { cache_dir: cacheDir, under: path, limit: MOST_REPLACED },
    callOptions,
  );
  const [first] = current(media);
  if (first !== undefined && media.every(({ media_path }) => media_path === first.media_path))
    return { hash_str: first.hash_str, path: first.media_path };
  if (first === undefined) {
    throw unknown(field, path, 'list_library shows what has been analysed; analyze adds a file.');
  }
  const message = `${field}: ${oneLine(path, 300)} is a folder; name one file (list_library with folder lists them)`;
  throw mediaNameErrors.SEVERAL_MEDIA(message, { field });
}

async function mediaNamed(name: string, field: string, call: Call): Promise<MediaReference> {
  const foldedName = plainApostrophes(name.toLowerCase());
  const exact: Found[] = [];
  const partly: Found[] = [];
  const names = new Set<string>();
  for await (const { media_path: path, hash_str, replaced } of library(call)) {
    const foldedFileName = plainApostrophes(fileName(path).toLowerCase());
    names.add(foldedFileName);
    if (foldedFileName === foldedName) exact.push({ hash_str, path, replaced });
    else if (foldedFileName.includes(foldedName) && partly.length <= MOST_NAMED)
      partly.push({ hash_str, path, replaced });
  }
  const matches = current(exact.length > 0 ? exact : partly);
  const [first] = matches;
  if (first !== undefined && new Set(matches.map(({ hash_str }) => hash_str)).size === 1) return first;
  if (first === undefined) {
    const hint = nearest(name, names);
    const advice =
      hint === null ? 'list_library lists what there is.' : `Did you mean ${oneLine(hint, 200)}?`;
    throw unknown(field, name, advice);
  }
  const some = matches
    .slice(0, MOST_NAMED)
    .map(({ path, hash_str }) => `${hashText(hash_str)} (${oneLine(path, 300)})`);
  const more = matches.length > MOST_NAMED ? ' and more' : '';
  const message = `${field}: ${oneLine(name, 200)} is the name of several files; give one of these hashes: ${some.join(', ')}${more}`;
  throw mediaNameErrors.SEVERAL_MEDIA(message, { field });
}

interface Found extends MediaReference {
  readonly replaced: boolean;
}

/** Without those that another file has taken the place of, where there are others. */
function current<M extends { readonly replaced: boolean }>(media: readonly M[]): readonly M[] {
  const there = media.filter(({ replaced }) => !replaced);
  return there.length > 0 ? there : media;
}

/** Every media of the library, a page at a time. */
async function* library({ client, cacheDir, callOptions }: Call) {
  for (let offset = 0; offset < MOST_MEDIA; offset += PAGE) {
    const page = await client.listLibrary({ cache_dir: cacheDir, offset, limit: PAGE }, callOptions);
    yield* page.media;
    if (page.media.length < PAGE) return;
  }
}

function unknown(field: string, name: string, advice: string): Error {
  const message = `${field}: the library has no media ${JSON.stringify(oneLine(name, 300))}. ${advice}`;
  return mediaNameErrors.NO_SUCH_MEDIA(message, { field });
}

// Brings the analysis folder into memory before a search. What is loaded already stays, and what was analysed
// since is added.

/**
 * Pictures, people and speech; without a visual model what is said can be searched all the same. Answers
 * whether there is anything to search.
 */
export async function loadAll(call: Call): Promise<boolean> {
  const { client, cacheDir, callOptions } = call;
  try {
    const { media, transcriptions } = await client.loadAnalysisData({ cache_dir: cacheDir }, callOptions);
    return media > 0 || transcriptions > 0;
  } catch (error) {
    const withoutModel = isOf(visualModelErrors.NO_VISUAL_MODEL, error);
    if (!withoutModel) throw error;
    return loadSpeech(call);
  }
}

export async function loadSpeech({ client, cacheDir, callOptions }: Call): Promise<boolean> {
  return (await client.loadTranscriptions({ cache_dir: cacheDir }, callOptions)).transcriptions > 0;
}

/** Text for a folder without searchable media. */
export function nothingAnalysed({ cacheDir }: Call, what: string): string {
  return `Nothing is ${what} in ${oneLine(cacheDir, 400)} yet. Call analyze with the absolute paths of media files first.`;
}
