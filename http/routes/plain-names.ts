// The names of media in the filters and ranges of a request, in the form in which the store knows paths;
// hashes as they are.
import { isAbsolute } from 'node:path';
import type { FrameRange } from '../../actors/index/visual/contract.ts';
import { frameField, frameRanges, type MetadataFilterRequest } from '../../actors/search/scope/contract.ts';
import { absolute, allAbsolute } from '../request/paths.ts';

/** Keys that are paths in their plain form. Two spellings of one path are joined. */
export function plainRanges(
  given: Readonly<Record<string, FrameRange | readonly FrameRange[]>>,
  field = frameField,
): Record<string, FrameRange[]> {
  const plain = new Map<string, FrameRange[]>();
  for (const [key, pairs] of Object.entries(frameRanges(given, field))) {
    const name = isAbsolute(key) ? absolute(field, key) : key;
    plain.set(name, [...(plain.get(name) ?? []), ...pairs]);
  }
  return Object.fromEntries(plain);
}

/** The paths of the scope in their plain form. Throws PATH_NOT_ABSOLUTE. */
export function plainFilters(request: MetadataFilterRequest | null): MetadataFilterRequest | null {
  if (!request?.scope) return request;
  const { scope } = request;
  const media_paths = allAbsolute('metadata_filter_request.scope.media_paths', scope.media_paths);
  return { ...request, scope: { ...scope, media_paths } };
}
