// Where the bytes of an analysed content can be read now.
import { isDeepStrictEqual } from 'node:util';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, isMediaError, mediaErrors } from '../../decoder/contract.ts';
import { type CachePathsAnswer, type MediaFile, searchErrors } from '../contract.ts';
import { type NamedMedia, whichMedia } from './contract.ts';
import { hashesAt, type LocationParts, locatePaths, type MediaLocation, placesOf } from './location.ts';

/**
 * Throws WHICH_MEDIA, MEDIA_UNKNOWN for what the folder does not know, MEDIA_GONE for what is no longer
 * where it was seen.
 */
export async function mediaFile(
  parts: Pick<LocationParts, 'index'>,
  request: NamedMedia,
  call: AskOptions,
): Promise<MediaFile> {
  const { cache_dir } = request;
  const named = whichMedia(request);
  if ('media_path' in named) {
    const { media_path } = named;
    const [location] = await locatePaths(parts, cache_dir, [media_path], call);
    return fileOf(location!) ?? refuse(location!.record !== null, `media_path: ${media_path}`, 'media_path');
  }
  const { hash_str } = named;
  const { paths, located } = await placesOf(parts, cache_dir, hash_str, call);
  return (
    located.map(fileOf).find((file) => file !== null) ??
    refuse(paths.length > 0, `hash_str: ${hash_str}`, 'hash_str')
  );
}

/** Throws FILE_CHANGED; a copy of the content elsewhere does not tell what was read here. */
export function expectSameFile({ path, mark }: MediaFile, now: MediaFile): void {
  if (path === now.path && isDeepStrictEqual(mark, now.mark)) return;
  throw mediaErrors.FILE_CHANGED(`${path}: changed while it was being read`, { path });
}

function fileOf({ record, source }: MediaLocation): MediaFile | null {
  if (!record || source === null) return null;
  const { hash_str, size_bytes, mtime_ms, inode } = record.identity;
  const { kind, duration_seconds: seconds } = record.probe;
  return { hash_str, path: source, mark: { size_bytes, mtime_ms, inode }, kind, seconds };
}

function refuse(isKnown: boolean, what: string, field: string): never {
  if (isKnown)
    throw searchErrors.MEDIA_GONE(`${what} is not at its known path, or has been replaced`, { field });
  throw searchErrors.MEDIA_UNKNOWN(`${what} is not in the analysis folder`, { field });
}

// Where the data of one media file lies.

/**
 * Errors: WHICH_MEDIA, those of the store, and what keeps a file from being read that the folder does not
 * know.
 */
export async function cachePaths(
  parts: LocationParts,
  request: NamedMedia,
  call: AskOptions,
): Promise<CachePathsAnswer> {
  const { cache_dir } = request;
  const named = whichMedia(request);
  const hash_str = 'hash_str' in named ? named.hash_str : await hashOf(parts, { cache_dir, ...named }, call);
  if (hash_str === null) return { visual_cache_path: null, audio_cache_path: null };
  const { visual, audio } = await parts.index.ask('held', { cache_dir, hash_str }, call);
  return { visual_cache_path: visual, audio_cache_path: audio };
}

async function hashOf(
  parts: LocationParts,
  { cache_dir, media_path }: { readonly cache_dir: string; readonly media_path: string },
  call: AskOptions,
): Promise<string | null> {
  const [hash = null] = await hashesAt(parts, cache_dir, [media_path], call, (error) => {
    throw error;
  });
  return hash;
}

// Facts that a browser needs before it plays a file. They are read from the file once, as long as it is
// unchanged.

type PlayableFile = Pick<MediaFile, 'path' | 'kind' | 'mark'>;

/** Files of which it is kept. */
const most = 2000;

export class PlayableTypes {
  readonly #decoder: Ref<typeof decoderContract>;
  /** The latest last. */
  readonly #answers = new Map<string, string | null>();

  constructor(decoder: Ref<typeof decoderContract>) {
    this.#decoder = decoder;
  }

  /** Null for a still, and for what cannot be read. */
  async of({ path, kind, mark }: PlayableFile, call: AskOptions): Promise<string | null> {
    if (kind === 'image') return null;
    const key = JSON.stringify([path, mark]);
    const cachedAnswer = this.#answers.get(key);
    if (cachedAnswer !== undefined) return cachedAnswer;
    const answer = await this.#decoder.ask('playable', { path }, call).catch((error) => {
      if (isMediaError(error)) return null;
      throw error;
    });
    this.#answers.set(key, answer);
    if (this.#answers.size > most) this.#answers.delete(this.#answers.keys().next().value!);
    return answer;
  }
}
