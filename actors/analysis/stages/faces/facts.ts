// What the face stage tells of a file, and of the clustering of a job.
import { type Static, Type } from 'typebox';
import { described, field, nullable, oneOf } from '../../../../runtime/schema.ts';
import { FromPreviews } from '../../request.ts';

const Count = Type.Integer({ minimum: 0 });

/** Why a name that was given with samples is on no cluster. */
export const unassignedReasons = [
  'no_match',
  'ambiguous',
  'no_face',
  'multiple_faces',
  'unreadable_image',
  'cluster_already_named',
] as const;
export type UnassignedReason = (typeof unassignedReasons)[number];

/** How names given with `sample_faces` found their clusters. */
export const SampleFaceNaming = Type.Object({
  assignments: described(
    Type.Array(
      Type.Object({
        name: described(Type.String(), 'Name of the person as it was given.'),
        cluster_id: field('Id of a cluster: faces that belong to one person.', Type.String()),
        similarity: described(
          Type.Number(),
          'Cosine similarity of the samples and the faces of the cluster.',
        ),
        runner_up: described(
          nullable(Type.Number()),
          'Similarity to the second-best cluster; null if there is only one.',
        ),
      }),
    ),
    'Names that were assigned to clusters.',
  ),
  unassigned: described(
    Type.Array(
      Type.Object({
        name: described(Type.String(), 'Name of the person as it was given.'),
        reason: field('Why the name was not assigned to a cluster.', oneOf(...unassignedReasons)),
      }),
    ),
    'Names that were not assigned.',
  ),
});
export type SampleFaceNaming = Static<typeof SampleFaceNaming>;

/** The faces that were found in a file. */
export const FaceFacts = Type.Object({
  model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
  count: described(Count, 'Total number of faces in all pictures.'),
  missing_frames: described(Count, 'Number of pictures that could not be decoded.'),
  from_previews: FromPreviews,
  warning: Type.Optional(described(Type.String(), 'A note for the user.')),
});
export type FaceFacts = Static<typeof FaceFacts>;

/** The clustering of a job. */
export const ClusteringFacts = Type.Object({
  model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
  eps: described(
    Type.Number(),
    'The requested or determined value. 0.48 is the usual value with every model.',
  ),
  used_eps: described(Type.Number(), 'The cosine distance that `eps` corresponds to with this model.'),
  min_samples: described(Count, 'Smallest number of similar faces that make a cluster.'),
  clusters: field('Number of clusters.', Count),
  total_entries: described(Count, 'Number of faces in the clustering.'),
  noise_entries: described(Count, 'Number of faces in no cluster.'),
  kept_clusters: described(Count, 'Number of clusters that already existed.'),
  kept_corrections: described(Count, 'Number of merges and moves that were kept.'),
  conflicts: described(Type.Array(Type.String()), 'Corrections that contradict later ones.'),
  kept_names: described(Count, 'Number of names that were kept.'),
  lost_names: described(Type.Array(Type.String()), 'Names that no cluster has any more.'),
  media_hashes: described(
    Type.Array(Type.String()),
    'Hashes of the media whose faces belong to the clustering.',
  ),
  sample_face_naming: described(
    nullable(SampleFaceNaming),
    'Result of naming clusters with sample faces; null if no samples were given.',
  ),
  warning: Type.Optional(described(Type.String(), 'A note for the user.')),
});
export type ClusteringFacts = Static<typeof ClusteringFacts>;
