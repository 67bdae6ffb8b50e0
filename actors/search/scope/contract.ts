// Where a search looks: the media that its filters select, ranges of frames or seconds, and people.

import { isAbsolute } from 'node:path';
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { addTo } from '../../../runtime/lists.ts';
import { AbsolutePath, absolute } from '../../../runtime/paths.ts';
import { rangeFault } from '../../../runtime/ranges.ts';
import {
  absolutePath,
  choiceOf,
  defaulted,
  described,
  field,
  notEmpty,
  nullable,
  oneOf,
  optional,
  shown,
} from '../../../runtime/schema.ts';
import type { Steps } from '../../../runtime/sync/checkpoint.ts';
import { filterErrors, MediaType, RequestedFilter } from '../../index/facets/contract.ts';
import type { PeopleFilter } from '../../index/people/contract.ts';
import { TimeRange } from '../../index/transcripts/contract.ts';
import { FrameRange } from '../../index/visual/contract.ts';

export const scopeErrors = errorTable({
  UNKNOWN_MEDIA: { meaning: 'The media is not in the analysis folder', status: 400 },
  WRONG_SEGMENTS: { meaning: 'The ranges of frames are not valid', status: 400 },
  WRONG_SCOPE: { meaning: 'The fields of the scope contradict each other', status: 400 },
});

const media_type = defaulted(
  described(MediaType, 'For a global scope: what the media can be searched by. The default is `any`.'),
  'any',
);
const files = {
  media_paths: defaulted(
    described(
      Type.Array(absolutePath(Type.String())),
      'Absolute paths, in the same order as `hash_strs` if both are given.',
    ),
    [],
  ),
  hash_strs: defaulted(
    described(
      Type.Array(Type.String()),
      'Hashes from /media/metadata, either alone or one for each of `media_paths` (empty if unknown).',
    ),
    [],
  ),
  expected_count: Type.Optional(
    described(
      Type.Integer({ minimum: 0 }),
      'Number of files in the scope, for `coverage`, if not all of them are listed.',
    ),
  ),
};

/** Which media filters select. */
export const FilterScope = Type.Object({
  mode: defaulted(
    described(
      oneOf('paths', 'global'),
      '`paths`: the given files; if none are given, the same as `global`. `global`: the loaded media that ' +
        'can be searched, not everything in the folder.',
    ),
    'paths',
  ),
  media_type,
  ...files,
});
export type FilterScope = Static<typeof FilterScope>;

/** The fields a scope is derived from when it is left out. */
export const flatScope = {
  media_type,
  search_all: shown(
    defaulted(
      described(Type.Boolean(), 'The same as a global scope. Giving no files is also the same.'),
      false,
    ),
    true,
  ),
  ...files,
};

export const filterScope = field(
  'The media that the filters apply to. If omitted, the scope follows from the other fields of the request.',
  Type.Optional(FilterScope),
);
export const filtersField = defaulted(
  described(Type.Array(RequestedFilter), 'Filters. Media must pass all of them.'),
  [],
);

/** The files of a search of what is loaded. */
export const searchedFiles = defaulted(
  described(
    Type.Array(AbsolutePath),
    'Search only these files. If empty, everything that is loaded is searched.',
  ),
  [],
);
export const searchAll = defaulted(
  described(Type.Boolean(), 'Search everything that is loaded, and ignore `media_paths`.'),
  false,
);

/** The files of a search that has all of them when none is named. */
export const onlyFiles = defaulted(
  described(Type.Array(AbsolutePath), 'Search only these files. Ignored if `search_all` is true.'),
  [],
);

export const Excluded = Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 16 });
export const Words = field('Words to search for.', Type.String({ minLength: 1, maxLength: 2000 }));

export const mostMatches = 10_000;

export const maxResults = defaulted(
  field('Maximum number of matches.', Type.Integer({ minimum: 1, maximum: mostMatches })),
  50,
);

/** Left out or null: nothing is filtered. */
export const metadataFilterRequest = defaulted(
  described(
    nullable(Type.Object({ scope: filterScope, filters: filtersField })),
    'A hard filter: only media that pass every filter are ranked. `scope` restricts the search further, ' +
      'even if `filters` is empty. If omitted, it is the scope of the search.',
  ),
  null,
);
export type MetadataFilterRequest = NonNullable<Static<typeof metadataFilterRequest>>;

/** `frameRanges` brings it to its one form. */
export const segmentsToFrameIndices = defaulted(
  described(
    Type.Record(Type.String(), Type.Union([FrameRange, notEmpty(Type.Array(FrameRange))])),
    'Half-open ranges `[start, end)` of frames on the grid of one frame per second, by media path or ' +
      'hash; one range or a list of them. Media without a key are excluded. A key outside the searched ' +
      'media is an error.',
  ),
  {},
);

/** Ranges of a search for speech, in seconds. */
export const segmentsToTimeRanges = defaulted(
  described(
    Type.Record(Type.String(), Type.Union([TimeRange, notEmpty(Type.Array(TimeRange))])),
    'Half-open ranges `[start_seconds, end_seconds)` by media path or hash; one range or a list of them. ' +
      'Segments that overlap a range are searched. Media without a key are excluded. A key outside the ' +
      'searched media is an error.',
  ),
  {},
);

const Person = Type.Object({
  cluster_job_name: described(
    optional(Type.String()),
    'Name of the face clustering. If omitted, the only clustering that contains the person is used.',
  ),
  ...choiceOf(
    {
      person_name: described(
        optional(Type.String()),
        'Name of the person. An exact match is preferred; otherwise case is ignored, and some words of the name ' +
          'are enough if only one person has them. Clusters with the same name count as one person.',
      ),
      cluster_id: described(optional(Type.String()), 'Id of a cluster, instead of a name.'),
    },
    { isEmptyLeftOut: true },
  ),
});

/** `peopleFilter` brings both to their one form. */
export const peopleFields = {
  people_filter: defaulted(
    described(
      Type.Array(Person, { maxItems: 100 }),
      'A hard filter: only frames that show these people are ranked.',
    ),
    [],
  ),
  people_filter_mode: defaulted(
    described(
      oneOf('and', 'or'),
      '`and`: all of these people in one frame, each with a face of their own; `or`: any of them.',
    ),
    'and',
  ),
};
const PeopleFields = Type.Object(peopleFields);
export type PeopleFields = Static<typeof PeopleFields>;

/** Nothing for nobody. Throws WRONG_PEOPLE naming the item that names a person twice, or not at all. */
export function peopleFilter({ people_filter: entries, people_filter_mode: mode }: PeopleFields): {
  readonly people?: PeopleFilter;
} {
  if (entries.length === 0) return {};
  const people = entries.map(({ cluster_job_name, person_name, cluster_id }, i) => {
    if (Boolean(person_name) === Boolean(cluster_id)) {
      const field = `people_filter[${i}]`;
      const message = `${field}: exactly one of person_name and cluster_id is required`;
      throw filterErrors.WRONG_PEOPLE(message, { field });
    }
    return {
      ...(cluster_job_name && { cluster_job_name }),
      ...(person_name ? { person_name } : { cluster_id: cluster_id ?? '' }),
    };
  });
  return { people: { mode, people } };
}

/** The field that ranges of frames come in. */
export const frameField = 'segments_to_frame_indices';

export type Segments = Readonly<Record<string, FrameRange | readonly FrameRange[]>>;

/** Files between two pauses: a request with a range for each file of a library must not hold up others. */
export const FILES_A_STEP = 2000;

/**
 * Ranges as a client sends them, each value one pair or a list of pairs, as lists of pairs by hash or plain
 * path. Two spellings of one path are joined. Throws WRONG_SEGMENTS naming the key of a value that is empty
 * or a pair that does not ascend.
 */
export function* frameRanges(segments: Segments, field = frameField): Steps<Map<string, FrameRange[]>> {
  const plain = new Map<string, FrameRange[]>();
  for (const [i, key] of Object.keys(segments).entries()) {
    if (i % FILES_A_STEP === FILES_A_STEP - 1) yield;
    const value = segments[key]!;
    const pairs = isPair(value) ? [value] : value;
    if (pairs.length === 0) throw scopeErrors.WRONG_SEGMENTS(`${field}: ${key} has no range`, { field });
    const wrong = pairs.find(([start, end]) => start >= end);
    if (wrong) {
      throw scopeErrors.WRONG_SEGMENTS(`${field}: ${key}: ${rangeFault(...wrong)}`, { field });
    }
    const name = isAbsolute(key) ? absolute(field, key) : key;
    for (const pair of pairs) addTo(plain, name, pair);
  }
  return plain;
}

function isPair(value: FrameRange | readonly FrameRange[]): value is FrameRange {
  return typeof value[0] === 'number';
}

// Words of a query that begin with a minus are excluded, as if `exclude` named them: `car -person`.

/** A minus, or a dash that a keyboard makes of it, before a word or words in quotation marks. */
const excludedWord = /(^|\s)[-−–](?:"([^"]+)"|(\p{L}[\p{L}\p{M}\p{N}'’-]*))(?=[\s,;.]|$)/gu;

/** A query that only excludes is one for what does not show it. */
export function withExclusions<R extends { readonly query?: string; readonly exclude: readonly string[] }>(
  request: R,
): R {
  const { query = '' } = request;
  const excluded = [...query.matchAll(excludedWord)].map(([, , phrase, word]) => phrase ?? word!);
  if (excluded.length === 0) return request;
  const plainQuery = query.replaceAll(excludedWord, '$1').replace(/\s+/g, ' ').trim();
  return plainQuery === ''
    ? { ...request, query: excluded.map((word) => `no ${word}`).join(', ') }
    : { ...request, query: plainQuery, exclude: [...new Set([...request.exclude, ...excluded])] };
}
