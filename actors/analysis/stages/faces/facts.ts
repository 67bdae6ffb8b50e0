// What the face stage tells of a file, and of the clustering of a job.
import { type Static, Type } from 'typebox';
import { described, nullable, oneOf } from '../../../../runtime/schema.ts';
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
        name: described(Type.String(), 'Of the person, as it was given.'),
        cluster_id: Type.String(),
        similarity: described(Type.Number(), 'Cosine of the samples and the faces of the cluster.'),
        runner_up: described(
          nullable(Type.Number()),
          'The same of the next best cluster; null where there is only one.',
        ),
      }),
    ),
    'Names that were given.',
  ),
  unassigned: described(
    Type.Array(
      Type.Object({
        name: described(Type.String(), 'Of the person, as it was given.'),
        reason: oneOf(...unassignedReasons),
      }),
    ),
    'Names that no cluster got.',
  ),
});
export type SampleFaceNaming = Static<typeof SampleFaceNaming>;

/** The faces that were found in a file. */
export const FaceFacts = Type.Object({
  model_key: described(Type.String(), 'Detector and embedder that found them.'),
  count: described(Count, 'Faces in all pictures together.'),
  missing_frames: described(Count, 'Pictures that could not be decoded.'),
  from_previews: FromPreviews,
  warning: Type.Optional(described(Type.String(), 'What a person should know about it.')),
});
export type FaceFacts = Static<typeof FaceFacts>;

/** The clustering of a job. */
export const ClusteringFacts = Type.Object({
  model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
  eps: described(Type.Number(), 'What was asked for, or found: 0.48 is usual with every model.'),
  used_eps: described(Type.Number(), 'The cosine distance that it stands for with this model.'),
  min_samples: described(Count, 'Faces near each other that begin a cluster.'),
  clusters: Count,
  total_entries: described(Count, 'Faces of the job.'),
  noise_entries: described(Count, 'Faces in no cluster.'),
  kept_clusters: described(Count, 'Clusters that were there before and are still.'),
  kept_corrections: described(Count, 'Merges and moves that hold.'),
  conflicts: described(Type.Array(Type.String()), 'Corrections that contradict later ones.'),
  kept_names: described(Count, 'Names that are on a cluster as before.'),
  lost_names: described(Type.Array(Type.String()), 'Names that no cluster has any more.'),
  media_hashes: described(Type.Array(Type.String()), 'Contents whose faces belong to the job.'),
  sample_face_naming: described(nullable(SampleFaceNaming), 'Null where no samples were given.'),
  warning: Type.Optional(described(Type.String(), 'What a person should know about it.')),
});
export type ClusteringFacts = Static<typeof ClusteringFacts>;
