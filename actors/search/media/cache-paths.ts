// Where the data of one media file lies.
import type { CallOptions } from '../../../runtime/ref.ts';
import type { CachePathsAnswer } from '../contract.ts';
import { type NamedMedia, whichMedia } from './contract.ts';
import { hashesAt, type LocationParts } from './location.ts';

/**
 * Errors: WHICH_MEDIA, those of the store, and what keeps a file from being read that the folder does not
 * know.
 */
export async function cachePaths(
  parts: LocationParts,
  request: NamedMedia,
  call: CallOptions,
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
  call: CallOptions,
): Promise<string | null> {
  const [hash = null] = await hashesAt(parts, cache_dir, [media_path], call, (error) => {
    throw error;
  });
  return hash;
}
