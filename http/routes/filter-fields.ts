// Fields of requests that say which media are meant: metadata filters, their scope, and ranges of frames.
import { type Static, Type } from 'typebox';
import { filterErrors, MediaType, MetadataFilter } from '../../actors/index/facets/contract.ts';
import type { PeopleFilter } from '../../actors/index/people/contract.ts';
import { TimeRange } from '../../actors/index/transcripts/contract.ts';
import { FrameRange } from '../../actors/index/visual/contract.ts';
import { FilterScope } from '../../actors/search/scope/contract.ts';
import { defaulted, described, nullable, oneOf, shown } from '../../runtime/schema.ts';

const paths = () =>
  defaulted(
    described(
      FilterScope.properties.media_paths,
      'Absolute paths, in the same order as `hash_strs` if both are given.',
    ),
    [],
  );
const hashes = () =>
  defaulted(
    described(
      FilterScope.properties.hash_strs,
      'Hashes from /media/metadata, either alone or one for each of `media_paths` (empty if unknown).',
    ),
    [],
  );
const mediaType = () =>
  defaulted(
    described(MediaType, 'For a global scope: what the media can be searched by. The default is `any`.'),
    'any',
  );
const expected = () =>
  Type.Optional(
    described(
      Type.Integer({ minimum: 0 }),
      'Number of files in the scope, for `coverage`, if not all of them are listed.',
    ),
  );

export const scopeField = Type.Object({
  mode: defaulted(
    described(
      FilterScope.properties.mode,
      '`paths`: the given files; if none are given, the same as `global`. `global`: the loaded media that ' +
        'can be searched, not everything in the folder.',
    ),
    'paths',
  ),
  media_type: mediaType(),
  media_paths: paths(),
  hash_strs: hashes(),
  expected_count: expected(),
});

/** The fields a scope is derived from when it is left out. */
export const flatScope = {
  media_type: mediaType(),
  search_all: shown(
    defaulted(
      described(Type.Boolean(), 'The same as a global scope. Giving no files is also the same.'),
      false,
    ),
    true,
  ),
  media_paths: paths(),
  hash_strs: hashes(),
  expected_count: expected(),
};

export const filtersField = defaulted(
  described(
    Type.Array(
      Type.Object({
        facet_id: described(
          MetadataFilter.properties.facet_id,
          'Id of a facet, as returned by /metadata/facets.',
        ),
        operator: defaulted(MetadataFilter.properties.operator, 'is_any_of'),
        values: described(
          MetadataFilter.properties.values,
          'One or more values. Comparisons take exactly one value.',
        ),
      }),
    ),
    'Filters. Media must pass all of them.',
  ),
  [],
);

/** Of searches. Left out or null: nothing is filtered. */
export const metadataFilterRequest = defaulted(
  described(
    nullable(Type.Object({ scope: Type.Optional(scopeField), filters: filtersField })),
    'A hard filter: only media that pass every filter are ranked. `scope` restricts the search further, ' +
      'even if `filters` is empty. If omitted, it is the scope of the search.',
  ),
  null,
);

/** Of searches; `frameRanges` brings it to its one form. */
export const segmentsToFrameIndices = defaulted(
  described(
    Type.Record(Type.String(), Type.Union([FrameRange, Type.Array(FrameRange)])),
    'Half-open ranges `[start, end)` of frames on the grid of one frame per second, by media path or ' +
      'hash; one range or a list of them. Media without a key are excluded. A key outside the searched ' +
      'media is an error.',
  ),
  {},
);

/** Of a search of what is said, in seconds. */
export const segmentsToTimeRanges = defaulted(
  described(
    Type.Record(Type.String(), Type.Union([TimeRange, Type.Array(TimeRange)])),
    'Half-open ranges `[start_seconds, end_seconds)` by media path or hash; one range or a list of them. ' +
      'Segments that overlap a range are searched. Media without a key are excluded. A key outside the ' +
      'searched media is an error.',
  ),
  {},
);

const Person = Type.Object({
  cluster_job_name: Type.Optional(
    described(
      nullable(Type.String()),
      'Name of the face clustering. If omitted, the only clustering that contains the person is used.',
    ),
  ),
  person_name: Type.Optional(
    described(
      nullable(Type.String()),
      'Name of the person. An exact match is preferred; otherwise case is ignored. Clusters with the same ' +
        'name count as one person.',
    ),
  ),
  cluster_id: Type.Optional(described(nullable(Type.String()), 'Id of a cluster, instead of a name.')),
});

/** Of searches; `peopleFilter` brings both to their one form. */
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

/** Nothing for nobody. Throws WRONG_PEOPLE naming the item that names a person twice, or not at all. */
export function peopleFilter({
  people_filter: asked,
  people_filter_mode: mode,
}: Static<typeof PeopleFields>): { readonly people_filter?: PeopleFilter } {
  if (asked.length === 0) return {};
  const people = asked.map(({ cluster_job_name, person_name, cluster_id }, i) => {
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
  return { people_filter: { mode, people } };
}
