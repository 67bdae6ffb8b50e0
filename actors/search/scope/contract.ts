// Where a search looks: the media its filters speak of, and ranges of frames or seconds.

import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { rangeFault } from '../../../runtime/range-fault.ts';
import { plainPath } from '../../../runtime/schema.ts';
import { MediaType, MetadataFilter } from '../../index/facets/contract.ts';
import type { FrameRange } from '../../index/visual/contract.ts';

export const scopeErrors = errorTable({
  UNKNOWN_MEDIA: { meaning: 'The media is not in the analysis folder', status: 400, retryable: false },
  WRONG_SEGMENTS: { meaning: 'The ranges of frames are not valid', status: 400, retryable: false },
  WRONG_SCOPE: { meaning: 'The fields of the scope contradict each other', status: 400, retryable: false },
});

/** Which media filters speak of, as a client says it. */
export const FilterScope = Type.Object({
  /** `paths`: the files supplied. `global`: what is loaded and can be searched. */
  mode: Type.Unsafe<'paths' | 'global'>({ type: 'string', enum: ['paths', 'global'] }),
  /** Of a global scope: what the media can be searched by. */
  media_type: MediaType,
  media_paths: Type.Array(plainPath(Type.String())),
  /** Of the paths, one each and empty where it is not known; or alone. */
  hash_strs: Type.Array(Type.String()),
  /** Files the client means, where it does not name them all. */
  expected_count: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type FilterScope = Static<typeof FilterScope>;

export const MetadataFilterRequest = Type.Object({
  /** Left out: the scope of the search itself. */
  scope: Type.Optional(FilterScope),
  filters: Type.Array(MetadataFilter),
});
export type MetadataFilterRequest = Static<typeof MetadataFilterRequest>;

/** The field that ranges of frames come in. */
export const frameField = 'segments_to_frame_indices';

/**
 * Ranges as a client sends them, each value one pair or a list of pairs, as lists of pairs. Throws
 * WRONG_SEGMENTS naming the key of a value that is empty or a pair that does not ascend.
 */
export function frameRanges(
  segments: Readonly<Record<string, FrameRange | readonly FrameRange[]>>,
  field = frameField,
): Record<string, FrameRange[]> {
  const entries = Object.entries(segments).map(([key, value]): [string, FrameRange[]] => {
    const pairs = isPair(value) ? [value] : [...value];
    if (pairs.length === 0) throw scopeErrors.WRONG_SEGMENTS(`${field}: ${key} has no range`, { field });
    const wrong = pairs.find(([start, end]) => start >= end);
    if (wrong) {
      throw scopeErrors.WRONG_SEGMENTS(`${field}: ${key}: ${rangeFault(...wrong)}`, { field });
    }
    return [key, pairs];
  });
  return Object.fromEntries(entries);
}

function isPair(value: FrameRange | readonly FrameRange[]): value is FrameRange {
  return typeof value[0] === 'number';
}
