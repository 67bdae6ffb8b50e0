// What facets are: pieces of the contract of the index.
import { type Static, Type } from 'typebox';

export const FacetKind = Type.Unsafe<'single' | 'multi' | 'numeric' | 'date'>({
  type: 'string',
  enum: ['single', 'multi', 'numeric', 'date'],
});
export type FacetKind = Static<typeof FacetKind>;

export const FacetOption = Type.Object({
  /** Stable. */
  value: Type.String(),
  label: Type.String(),
  /** Media that are left when this option is chosen instead of the facet's own filters. */
  count: Type.Integer(),
  meta: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
});
export type FacetOption = Static<typeof FacetOption>;

const Bound = Type.Optional(Type.Union([Type.Number(), Type.String()]));
export const Facet = Type.Object({
  /** Stable. */
  id: Type.String(),
  label: Type.String(),
  group: Type.String(),
  /** Labels from the group down to the facet. */
  path: Type.Array(Type.String()),
  kind: FacetKind,
  options: Type.Array(FacetOption),
  /** Of numeric facets and dates that any media has: the least and the greatest value the counts were taken over. */
  min: Bound,
  max: Bound,
});
export type Facet = Static<typeof Facet>;

export const FacetReport = Type.Object({
  facets: Type.Array(Facet),
  /** Files or hashes in scope, and how many of them the folder knows metadata of. */
  scope_count: Type.Integer(),
  indexed_count: Type.Integer(),
  /** Media in scope whose record is damaged. */
  unreadable: Type.Array(Type.String()),
  /** Facets of which only the most frequent options are listed. */
  shortened: Type.Array(Type.String()),
});
export type FacetReport = Static<typeof FacetReport>;
