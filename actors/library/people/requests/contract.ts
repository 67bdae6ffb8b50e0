// Requests about people: clusters, faces, names, corrections and appearances.
import { type Static, Type } from 'typebox';
import { choiceOf, defaulted, described, nullable, shown } from '../../../../runtime/schema.ts';
import { mostNameLetters } from '../../../index/people/person-name.ts';
import { CacheDir } from '../../../index/store/contract.ts';
import { epsMeaning, usualEps } from '../../../models/face-distance.ts';

export const mostFacesOfPage = 2000;
export const mostClusters = 100_000;

const Count = Type.Integer({ minimum: 0 });
const ClusterId = described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of a cluster.');
const EntryId = described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of a face.');
const FacesOfCluster = described(
  Type.Integer({ minimum: 0, maximum: mostFacesOfPage }),
  'Maximum number of faces of each cluster.',
);
const FaceJob = {
  cache_dir: CacheDir,
  cluster_job_name: described(Type.String({ minLength: 1, maxLength: 1000 }), 'Name of the clustering.'),
};

export const JobRequest = Type.Object(FaceJob);
export type JobRequest = Static<typeof JobRequest>;

export const SamplesRequest = Type.Object({
  ...FaceJob,
  limit_per_cluster: defaulted(FacesOfCluster, 12),
  min_cluster_size: defaulted(described(Count, 'Smallest number of faces in a cluster.'), 1),
  max_cluster_size: defaulted(described(Count, 'Largest number of faces in a cluster.'), 1_000_000_000),
  max_clusters: defaulted(
    described(Type.Integer({ minimum: 0, maximum: mostClusters }), 'Maximum number of clusters.'),
    100,
  ),
  include_noise: defaulted(
    described(Type.Boolean(), 'Whether to include faces that are in no cluster.'),
    false,
  ),
});
export type SamplesRequest = Static<typeof SamplesRequest>;

export const ClusterFacesRequest = Type.Object({
  ...FaceJob,
  ...choiceOf(
    {
      cluster_id: Type.Optional(shown(ClusterId, 'c1')),
      cluster_ids: defaulted(
        described(Type.Array(ClusterId, { maxItems: 10_000 }), 'Ids of several clusters.'),
        [],
      ),
      include_noise: defaulted(
        described(
          Type.Boolean(),
          'Adds `noise`: a page of the faces in no cluster. No cluster is then required.',
        ),
        false,
      ),
    },
    { most: 3 },
  ),
  limit: defaulted(FacesOfCluster, 500),
  offset: defaulted(described(Count, 'Number of faces to skip in each cluster.'), 0),
  include_entry_ids: defaulted(
    described(Type.Boolean(), 'Adds `entry_ids` in the same order as `faces`. Moves need these ids.'),
    false,
  ),
  include_places: defaulted(
    described(Type.Boolean(), 'Adds `places`: the file and the second in which each face was found.'),
    false,
  ),
});
export type ClusterFacesRequest = Static<typeof ClusterFacesRequest>;

export const NamesRequest = Type.Object({
  ...FaceJob,
  assignments: described(
    Type.Array(
      Type.Object({
        cluster_id: ClusterId,
        name: nullable(
          described(
            Type.String({ maxLength: mostNameLetters }),
            'Name of the person; empty or null to remove it.',
          ),
        ),
      }),
      { maxItems: 10_000 },
    ),
    'The names of the clusters.',
  ),
});
export type NamesRequest = Static<typeof NamesRequest>;

const Merge = Type.Object({
  cluster_ids: described(
    Type.Array(ClusterId, { maxItems: 10_000 }),
    'Two or more clusters that are the same person.',
  ),
  target_cluster_id: Type.Optional(
    described(
      ClusterId,
      'The cluster that remains; it must be one of `cluster_ids`. If omitted, a named cluster is ' +
        'preferred, then the largest.',
    ),
  ),
});
const Move = Type.Object({
  from_cluster_id: nullable(
    described(ClusterId, 'The cluster that contains the faces; null for faces in no cluster.'),
  ),
  to_cluster_id: nullable(
    described(ClusterId, 'The cluster to move the faces to; null for a new cluster, whose id is returned.'),
  ),
  entry_ids: described(
    Type.Array(EntryId, { maxItems: 100_000 }),
    'Ids of the faces, as returned by POST /faces/clusters/faces with `include_entry_ids`.',
  ),
});

const Apart = Type.Object({
  cluster_ids: described(
    Type.Array(ClusterId, { minItems: 2, maxItems: 2 }),
    'Two clusters that are different people.',
  ),
});

export const ModifyRequest = Type.Object({
  ...FaceJob,
  ...choiceOf(
    {
      merges: defaulted(
        shown(described(Type.Array(Merge, { maxItems: 1000 }), 'Clusters to merge.'), [
          { cluster_ids: ['c1', 'c2'] },
        ]),
        [],
      ),
      moves: defaulted(described(Type.Array(Move, { maxItems: 1000 }), 'Faces to move.'), []),
      apart: defaulted(
        described(Type.Array(Apart, { maxItems: 1000 }), 'Pairs of clusters that are different people.'),
        [],
      ),
    },
    { most: 3 },
  ),
});
export type ModifyRequest = Static<typeof ModifyRequest>;

export const SuggestClustersRequest = Type.Object({
  ...FaceJob,
  cluster_id: Type.Optional(
    described(ClusterId, 'Return only pairs that include this cluster. If omitted, all pairs are returned.'),
  ),
  other_names: defaulted(
    described(Type.Boolean(), 'Whether to include pairs of clusters with different names.'),
    false,
  ),
  limit: defaulted(described(Type.Integer({ minimum: 1, maximum: 200 }), 'Maximum number of pairs.'), 20),
  limit_per_cluster: defaulted(
    described(Type.Integer({ minimum: 0, maximum: 24 }), 'Maximum number of faces of each cluster.'),
    3,
  ),
});
export type SuggestClustersRequest = Static<typeof SuggestClustersRequest>;

export const ReclusterRequest = Type.Object({
  ...FaceJob,
  eps: defaulted(described(Type.Number({ minimum: 0, maximum: 2 }), epsMeaning), usualEps),
  min_samples: defaulted(
    described(Type.Integer({ minimum: 1 }), 'Smallest number of similar faces that make a cluster.'),
    5,
  ),
  auto_detect_params: defaulted(
    described(
      Type.Boolean(),
      'Determines `eps` from the distances between the faces. The value of `eps` in the request is then ' +
        'ignored.',
    ),
    false,
  ),
  clear_names: defaulted(described(Type.Boolean(), 'Whether to remove all names.'), false),
});
export type ReclusterRequest = Static<typeof ReclusterRequest>;

export const DeletePeopleRequest = Type.Object({
  ...FaceJob,
  ...choiceOf(
    {
      cluster_id: Type.Optional(ClusterId),
      person_name: Type.Optional(
        shown(
          described(Type.String({ minLength: 1, maxLength: mostNameLetters }), 'Name of a person.'),
          'Ann',
        ),
      ),
    },
    { least: 0 },
  ),
});
export type DeletePeopleRequest = Static<typeof DeletePeopleRequest>;

export const AppearancesRequest = Type.Object({
  ...FaceJob,
  people: defaulted(
    described(
      Type.Array(
        described(
          Type.String({ minLength: 1, maxLength: mostNameLetters }),
          'A name, or the id of a cluster.',
        ),
        { maxItems: 1000 },
      ),
      'The people to look for; if empty, everybody with a name.',
    ),
    [],
  ),
});
export type AppearancesRequest = Static<typeof AppearancesRequest>;
