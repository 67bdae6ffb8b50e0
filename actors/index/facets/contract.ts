// Facets of media, the meaning of filters, and the scope of a search.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { defaulted, described, field } from '../../../runtime/schema.ts';
import { PeopleFilter } from '../people/contract.ts';
import { Folder } from '../store/contract.ts';

function words<const W extends readonly string[]>(...list: W) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...list] });
}

export const filterErrors = errorTable({
  UNKNOWN_FACET: { meaning: 'Facet not found', status: 400 },
  WRONG_OPERATOR: { meaning: 'The operator is not valid for this facet', status: 400 },
  WRONG_VALUES: { meaning: 'The values are not valid for this facet', status: 400 },
  UNKNOWN_CLUSTERING: { meaning: 'Face clustering not found', status: 400 },
  WRONG_PEOPLE: { meaning: 'The people filter is not valid', status: 400 },
});

export const FilterOperator = words(
  'is_any_of',
  'is_not',
  'include_any_of',
  'include_all_of',
  'exclude_any_of',
  'exclude_all_of',
  'before',
  'after',
  'greater_than',
  'less_than',
);
export type FilterOperator = Static<typeof FilterOperator>;

/** A condition on what is known of a media. Several conditions all have to hold. */
export const MetadataFilter = Type.Object({
  facet_id: field('Id of a facet, as returned by /metadata/facets.', Type.String()),
  operator: field('How values are compared. See the description of /metadata/facets.', FilterOperator),
  values: field('One or more values. Comparisons take exactly one value.', Type.Array(Type.String())),
});
export type MetadataFilter = Static<typeof MetadataFilter>;

/** Facets of earlier versions. Filters on them may be stored, so they are ignored and not refused. */
const withdrawnFacets: ReadonlySet<string> = new Set(['camera.movement']);

/** Ids of the facets that no longer exist, of filters that are therefore ignored. */
export function withdrawnIn(filters: readonly Pick<MetadataFilter, 'facet_id'>[]): string[] {
  return [...new Set(filters.map(({ facet_id }) => facet_id))].filter((id) => withdrawnFacets.has(id));
}

export const RequestedFilter = Type.Object({
  facet_id: described(Type.String(), 'Id of a facet, as returned by /metadata/facets.'),
  operator: field(
    'How values are compared. See the description of /metadata/facets.',
    defaulted(FilterOperator, 'is_any_of'),
  ),
  values: described(Type.Array(Type.String()), 'One or more values. Comparisons take exactly one value.'),
});

export const MediaType = words('visual', 'speech', 'any');
export type MediaType = Static<typeof MediaType>;

export const FacetScope = Type.Union([
  /** Files, by hash; null for one whose hash is not known. */
  Type.Object({
    mode: Type.Literal('paths'),
    hashes: Type.Array(Type.Union([Type.String(), Type.Null()])),
  }),
  /** All searchable media of the folder that are loaded by this model, or null for none. */
  Type.Object({
    mode: Type.Literal('global'),
    media_type: MediaType,
    model_key: Type.Union([Type.String(), Type.Null()]),
    /** NOT_LOADED unless the transcripts of the folder are loaded. */
    transcripts: Type.Optional(Type.Boolean()),
  }),
]);
export type FacetScope = Static<typeof FacetScope>;

/**
 * Which media a search looks at: `hashes` null means all loaded media; what does not pass every filter is
 * left out, media without metadata too as soon as there is one filter.
 */
export const MediaScope = Type.Object({
  hashes: Type.Union([Type.Array(Type.String()), Type.Null()]),
  filters: Type.Array(MetadataFilter),
});

export const FacetKind = words('single', 'multi', 'numeric', 'date');
export type FacetKind = Static<typeof FacetKind>;

export const FacetOption = Type.Object({
  value: field('Stable value, for use as one of the `values` of a filter.', Type.String()),
  label: field('Text for display. It may change between versions.', Type.String()),
  /** Media that are left when this option is chosen instead of the facet's own filters. */
  count: field('Number of media that remain if this option is chosen.', Type.Integer()),
  meta: field(
    'Additional information about the option, for display.',
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
});
export type FacetOption = Static<typeof FacetOption>;

const Bound = Type.Optional(Type.Union([Type.Number(), Type.String()]));
export const Facet = Type.Object({
  id: field('Stable id, for use as the `facet_id` of a filter.', Type.String()),
  label: field('Text for display. It may change between versions.', Type.String()),
  group: field('Heading under which the facet belongs.', Type.String()),
  path: field('Headings above the facet, outermost first.', Type.Array(Type.String())),
  kind: field('Kind of the values: one choice, several choices, numbers or dates.', FacetKind),
  options: field('The values to choose from.', Type.Array(FacetOption)),
  /** Least and greatest counted value of a numeric facet or a date that any media has. */
  min: field('Smallest value.', Bound),
  max: field('Largest value.', Bound),
});
export type Facet = Static<typeof Facet>;

export const FacetReport = Type.Object({
  facets: Type.Array(Facet),
  /** Files or hashes in scope, and how many of them the folder knows metadata of. */
  scope_count: Type.Integer(),
  indexed_count: Type.Integer(),
  /** Media in scope whose record is damaged. */
  unreadable: Type.Array(Type.String()),
  /** Face clusterings that are damaged, and not counted. */
  unreadable_people: Type.Optional(Type.Array(Type.String())),
  /** Facets of which only the most frequent options are listed. */
  shortened: Type.Array(Type.String()),
});
export type FacetReport = Static<typeof FacetReport>;

export const facetMessages = {
  /**
   * For each name, a path or a hash: the hash of the media the folder knows by it, or null; and whether its
   * vectors are loaded, or its transcript when `model_key` is null. NOT_LOADED when what is loaded is of
   * another folder or model. `filters` and `people` are only checked, so that a wrong one is told whatever
   * becomes of the search.
   */
  resolve: ask(
    Type.Object({
      ...Folder,
      model_key: Type.Union([Type.String(), Type.Null()]),
      /** Nothing has to be loaded for what is searched: all that is known counts as loaded. */
      stored: Type.Optional(Type.Boolean()),
      names: Type.Array(Type.String()),
      filters: Type.Array(MetadataFilter),
      people: Type.Optional(PeopleFilter),
    }),
    Type.Object({
      hashes: Type.Array(Type.Union([Type.String(), Type.Null()])),
      loaded: Type.Array(Type.Boolean()),
    }),
    { together: 16 },
  ),
  /**
   * Goes on reading what filters and facets need of a folder: to be sent before them again until it is
   * `done`, so that other questions come in between. They work without it, but then read it in one turn.
   */
  ready_facets: ask(Type.Object({ ...Folder }), Type.Object({ done: Type.Boolean() }), { together: 16 }),
  /**
   * Facets of the media in scope, with counts under the active filters. NOT_LOADED if a global scope is not
   * loaded.
   */
  facets: ask(
    Type.Object({ ...Folder, scope: FacetScope, filters: Type.Array(MetadataFilter) }),
    FacetReport,
    { together: 16 },
  ),
  /**
   * For each file, by path or hash, whether it passes every filter; true for one of which the folder knows
   * nothing, or whose record is damaged. A path stands for what was remembered of it last: a file that was
   * replaced is surveyed before. Errors: those of filters, named below `metadata_filter_request.filters`;
   * facets of people are UNKNOWN_FACET, because who is seen is known after an analysis only.
   */
  passing: ask(
    Type.Object({ ...Folder, names: Type.Array(Type.String()), filters: Type.Array(MetadataFilter) }),
    Type.Object({ passing: Type.Array(Type.Boolean()) }),
  ),
};
