// Which media a question is about, and which paths an answer names besides.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { described, field, shown } from '../../../runtime/schema.ts';

export const OtherPaths = field(
  'Other files with the same content, if there are any; at most 32.',
  Type.Optional(Type.Array(Type.String())),
);

export const HashStr = described(
  Type.String({ pattern: '^[0-9a-f][0-9a-f-]{0,99}$' }),
  'The `hash_str` of a media file, as returned by /media/metadata.',
);

/** Exactly one of the two; `whichMedia` says which. */
export const mediaFields = {
  media_path: Type.Optional(shown(AbsolutePath, '/media/film.mp4')),
  hash_str: Type.Optional(HashStr),
};
const MediaFields = Type.Object(mediaFields);
type MediaFields = Readonly<Static<typeof MediaFields>>;
export type NamedMedia = { readonly cache_dir: string } & MediaFields;

export const whichMediaErrors = errorTable({
  WHICH_MEDIA: { meaning: 'The request must name exactly one media file', status: 400, retryable: false },
});

/**
 * Throws WHICH_MEDIA unless a request names a file in exactly one way. `within`: before the names of the
 * fields.
 */
export function whichMedia(
  { media_path, hash_str }: MediaFields,
  within = '',
): { readonly media_path: string } | { readonly hash_str: string } {
  if (media_path !== undefined && hash_str === undefined) return { media_path };
  if (hash_str !== undefined && media_path === undefined) return { hash_str };
  const which = media_path === undefined ? 'neither' : 'both';
  const field = `${within}media_path`;
  const what = `exactly one of ${field} and hash_str is required, not ${which}`;
  throw whichMediaErrors.WHICH_MEDIA(what, { field });
}
