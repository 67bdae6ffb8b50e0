// Requests about summaries: collections, lists, searches, and one summary or a node of it.
import { type Static, Type } from 'typebox';
import { AbsolutePath, SentPath } from '../../../../runtime/paths.ts';
import { choiceOf, defaulted, described, field, shown } from '../../../../runtime/schema.ts';
import { CacheDir } from '../../../index/store/contract.ts';
import { HashStr } from '../../../search/media/contract.ts';

/** Hash, analysis and checksum. */
export const summaryRefForm = /^s1\.([0-9a-f][0-9a-f-]{0,99})\.([0-9a-f]{24})\.([0-9a-f]{8})$/;

const SummaryRef = described(
  Type.String({ pattern: summaryRefForm.source }),
  'A reference to the summary, as returned by lists of summaries; it remains valid if the file is ' +
    'renamed or moved.',
);
export const Id = Type.String({ minLength: 1, maxLength: 200 });
const CollectionId = described(Id, 'Id of a collection.');

export const selector = {
  cache_dir: CacheDir,
  ...choiceOf({
    summary_ref: Type.Optional(shown(SummaryRef, 's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.f0e29288')),
    path: Type.Optional(described(AbsolutePath, 'Path of the file, if no `summary_ref` is given.')),
    hash_str: Type.Optional(HashStr),
  }),
  analysis_id: Type.Optional(
    described(Id, 'Id of one of several summaries of the file. If omitted, the latest one is used.'),
  ),
};

/** `analysis_id` goes with a path or a hash. */
export const SummarySelector = Type.Object(selector);
export type SummarySelector = Static<typeof SummarySelector>;

export const CollectionsRequest = Type.Object({
  cache_dir: CacheDir,
  collection_id: Type.Optional(CollectionId),
  include_members: defaulted(
    described(Type.Boolean(), 'Whether to return all members of the collection.'),
    false,
  ),
});
export type CollectionsRequest = Static<typeof CollectionsRequest>;

export const ListRequest = Type.Object({
  cache_dir: CacheDir,
  media_paths: field(
    'Absolute paths of the files.',
    defaulted(shown(Type.Array(SentPath, { maxItems: 10_000 }), ['/media/film.mp4']), []),
  ),
  hash_strs: defaulted(described(Type.Array(HashStr, { maxItems: 10_000 }), 'Hashes of the media.'), []),
  limit: Type.Optional(
    described(
      Type.Integer({ minimum: 1, maximum: 10_000 }),
      'Maximum number of summaries. If omitted, all are returned.',
    ),
  ),
  after_summary_ref: Type.Optional(described(SummaryRef, 'The last `summary_ref` of the previous page.')),
});
export type ListRequest = Static<typeof ListRequest>;

export const mostSummaryMatches = 500;

export const FindRequest = Type.Object({
  cache_dir: CacheDir,
  query: field(
    'Words to search for.',
    shown(Type.String({ minLength: 1, maxLength: 10_000 }), 'harbour "at night"'),
  ),
  media_paths: Type.Optional(
    described(Type.Array(SentPath, { maxItems: 10_000 }), 'Search only summaries of these files.'),
  ),
  hash_strs: Type.Optional(
    described(Type.Array(HashStr, { maxItems: 10_000 }), 'Search only summaries of media with these hashes.'),
  ),
  collection_id: Type.Optional(described(Id, 'Search only summaries in this collection.')),
  max_results: field(
    'Maximum number of matches.',
    defaulted(Type.Integer({ minimum: 1, maximum: mostSummaryMatches }), 50),
  ),
});
export type FindRequest = Static<typeof FindRequest>;

export const NodeRequest = Type.Object({
  ...selector,
  node_id: described(Id, 'Id of the node, as listed by its parent. The overview has the id of the root.'),
  include_evidence: defaulted(described(Type.Boolean(), 'Whether to return the evidence of a leaf.'), false),
});
export type NodeRequest = Static<typeof NodeRequest>;

export const RemoveRequest = Type.Object({
  cache_dir: CacheDir,
  ...choiceOf(
    {
      summary_refs: defaulted(
        shown(described(Type.Array(SummaryRef, { maxItems: 10_000 }), 'Summaries to delete.'), [
          's1.5f3a9c01-1e8480.01983f2b7c40a1b2c3d4e5f6.f0e29288',
        ]),
        [],
      ),
      collection_id: Type.Optional(CollectionId),
    },
    { most: 2 },
  ),
});
export type RemoveRequest = Static<typeof RemoveRequest>;
