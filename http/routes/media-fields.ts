// Fields by which a request names one media file: its path or its hash.
import { Type } from 'typebox';
import { searchErrors } from '../../actors/search/contract.ts';
import type { NamedMedia } from '../../actors/search/media/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, shown } from '../../runtime/schema.ts';

export const HashStr = described(
  Type.String({ pattern: '^[0-9a-f][0-9a-f-]{0,99}$' }),
  'The `hash_str` of a media file, as returned by /media/metadata.',
);

/** `whichMedia` brings them to their one form. */
export const mediaFields = {
  media_path: Type.Optional(shown(AbsolutePath, '/media/film.mp4')),
  hash_str: Type.Optional(HashStr),
};

/**
 * Throws WHICH_MEDIA unless a body names a file in exactly one way. `within`: before the names of the fields.
 */
export function whichMedia(
  {
    media_path,
    hash_str,
  }: {
    readonly media_path?: string;
    readonly hash_str?: string;
  },
  within = '',
): { readonly media_path: string } | { readonly hash_str: string } {
  if (media_path !== undefined && hash_str === undefined) return { media_path };
  if (hash_str !== undefined && media_path === undefined) return { hash_str };
  const which = media_path === undefined ? 'neither' : 'both';
  const field = `${within}media_path`;
  throw searchErrors.WHICH_MEDIA(`exactly one of ${field} and hash_str is required, not ${which}`, { field });
}

/** Throws WHICH_MEDIA. */
export function namedMedia<B extends Parameters<typeof whichMedia>[0] & { readonly cache_dir: string }>(
  body: B,
): NamedMedia {
  return { cache_dir: body.cache_dir, ...whichMedia(body) };
}
