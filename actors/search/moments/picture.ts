// The one picture of a query: a file, bytes of the request, or a moment of an analysed film.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineError, restated } from '../../../runtime/errors.ts';
import { discard } from '../../../runtime/files/names.ts';
import { isMediaError } from '../../decoder/contract.ts';
import { inlineBytes, inlineImage } from '../../decoder/inline-image.ts';
import type { VisualModel } from '../../embedder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { searchErrors } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { whichMedia } from '../media/contract.ts';
import { placesOf } from '../media/location.ts';
import {
  frameReadings,
  type PictureQuery,
  pictureReadings,
  type QueryParts,
  replacedReadings,
} from '../visual/query-vectors.ts';
import { momentErrors, mostPictureBytes, type PictureSource, type QueryFields } from './contract.ts';

/** The one that a request gives; null for none. Throws SEVERAL_PICTURES, WHICH_MEDIA. */
export function pictureOf({ image_path, image_data, like }: QueryFields): PictureSource | null {
  const given = Object.entries({ image_path, image_data, like }).filter(([, value]) => value !== undefined);
  const [first, second] = given.map(([field]) => field);
  if (second !== undefined) {
    const what = `${second}: only one picture is allowed, and ${first} is already given`;
    throw momentErrors.SEVERAL_PICTURES(what, { field: second });
  }
  if (image_path !== undefined) return { image_path };
  if (image_data !== undefined) return { image_data };
  return like ? { like: { ...whichMedia(like, 'like.'), time_seconds: like.time_seconds } } : null;
}

/** Throws WRONG_PICTURE for bytes that are none; looks at the first of them only. */
export function checkPicture(picture: PictureSource | null): void {
  if (picture === null || !('image_data' in picture)) return;
  const read = inlineImage(picture.image_data, mostPictureBytes);
  if (typeof read === 'string') throw wrong(read);
  const head = headOf(picture.image_data);
  const isPicture = signatures.some(([at, sign]) => head.startsWith(sign, at));
  if (!isPicture) throw wrong('is not a JPEG, PNG or WebP picture');
}

function wrong(what: string): EngineError {
  return momentErrors.WRONG_PICTURE(`image_data ${what}`, { field: 'image_data' });
}

/** Signatures of JPEG, PNG and WebP: offset and bytes, Latin-1. */
const signatures = [
  [0, '\xff\xd8\xff'],
  [1, 'PNG\r\n'],
  [8, 'WEBP'],
] as const;

function headOf(text: string): string {
  const letters = text.slice(/^\s*data:/i.test(text) ? text.indexOf(',') + 1 : 0).slice(0, 1024);
  return Buffer.from(letters.replace(/\s+/g, ''), 'base64').subarray(0, 16).toString('latin1');
}

/** Its readings. Errors name the field of the picture. */
export async function readPictureSource(
  parts: QueryParts,
  model: VisualModel,
  cache_dir: string,
  picture: PictureSource | null,
  signal: AbortSignal | undefined,
): Promise<PictureQuery> {
  if (picture === null) return { readings: null };
  if ('image_path' in picture)
    return { readings: await pictureReadings(parts, model, picture.image_path, 0, signal) };
  if ('image_data' in picture)
    return withFile(inlineBytes(picture.image_data), async (path) => {
      const readings = pictureReadings(parts, model, path, 0, signal).catch((error) => inData(error, path));
      return { readings: await readings };
    });
  const { like } = picture;
  try {
    return await likeReadings(parts, model, cache_dir, like, signal);
  } catch (error) {
    if (!searchErrors.TIME_OUTSIDE.is(error)) throw error;
    throw restated(error, { message: `like.${error.message}`, details: { field: 'like.time_seconds' } });
  }
}

type Like = Extract<PictureSource, { readonly like: unknown }>['like'];

/** A content that is named by its hash has its stored vectors, whatever lies where it lay. */
async function likeReadings(
  parts: QueryParts,
  model: VisualModel,
  cache_dir: string,
  like: Like,
  signal: AbortSignal | undefined,
): Promise<PictureQuery> {
  const { time_seconds } = like;
  const at = (media_path: string) =>
    frameReadings(parts, model, { cache_dir, media_path, time_seconds }, signal);
  if ('media_path' in like) return at(like.media_path);
  const { hash_str } = like;
  const { record, path } = await contentOf(parts, cache_dir, hash_str, signal);
  if (path !== null) return at(path);
  const replaced = await replacedReadings(parts, model, { cache_dir, record, time_seconds }, signal);
  if (replaced) return replaced;
  const field = 'like.hash_str';
  throw searchErrors.MEDIA_GONE(`${field}: ${hash_str} is not at its known path`, { field });
}

/** The same error without the name of a file that nobody gave. */
function inData(error: unknown, path: string): never {
  if (!isMediaError(error)) throw error;
  throw wrong(`cannot be read: ${error.message.replaceAll(path, 'it')}`);
}

/** For as long as `work` takes, in a folder of its own that nobody else can read. */
async function withFile<T>(bytes: Uint8Array, work: (path: string) => Promise<T>): Promise<T> {
  const noRoom = (error: unknown) => {
    throw momentErrors.NO_ROOM('image_data cannot be stored temporarily', {}, error);
  };
  const folder = await mkdtemp(join(tmpdir(), 'framehound-picture-')).catch(noRoom);
  try {
    const path = join(folder, 'picture');
    await writeFile(path, bytes, { mode: 0o600 }).catch(noRoom);
    return await work(path);
  } finally {
    await discard(folder);
  }
}

/**
 * Record of a content, and its present or last path; null if other files are there now. Throws MEDIA_UNKNOWN.
 */
async function contentOf(
  { index }: Pick<QueryParts, 'index'>,
  cache_dir: string,
  hash: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly record: MediaRecord; readonly path: string | null }> {
  const hashes = [hash];
  const [record] = (await index.ask('find', { cache_dir, paths: [], hashes }, now(signal))).by_hash;
  if (!record) {
    const field = 'like.hash_str';
    throw searchErrors.MEDIA_UNKNOWN(`${field}: ${hash} is not in the analysis folder`, { field });
  }
  const { located } = await placesOf({ index }, cache_dir, hash, now(signal));
  const best = located.find(({ source }) => source !== null) ?? located[0];
  return { record, path: best ? (best.source ?? best.record!.path) : null };
}
