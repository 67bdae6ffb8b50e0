// The declaration of the face stage: the faces in every second of a film and in every still, and who they
// are.
import { type Static, Type } from 'typebox';
import { described, field, nullable, oneOf } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import { FromPreviews } from '../../request.ts';
import { stageKind } from '../kind.ts';
import { FaceJob, faceJobsOf, facesBody, facesComplaints, facesMedia, samplePictures } from './request.ts';

// Facts of the face stage about a file, and about the clustering of a job.

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

export const FaceFacts = Type.Object({
  model_key: described(Type.String(), 'Detector and embedder that found the faces.'),
  count: described(Count, 'Total number of faces in all pictures.'),
  missing_frames: described(Count, 'Number of pictures that could not be decoded.'),
  from_previews: FromPreviews,
  warning: Type.Optional(described(Type.String(), 'A note for the user.')),
});
export type FaceFacts = Static<typeof FaceFacts>;

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

export const facesKind = stageKind({
  type: 'faces',
  needs: [],
  place: 'analysis',
  body: facesBody,
  complaints: facesComplaints,
  media: facesMedia,
  pictures: samplePictures,
  readsPreviews: true,
  isWithoutMedia: ({ recluster_jobs }) => recluster_jobs.length > 0,
  resolved: {
    /** Jobs, each with a name of its own. */
    face_jobs: Type.Array(FaceJob),
  },
  expects: async ({ face_clustering_jobs }, { expectModelFor }) => {
    if (face_clustering_jobs.length > 0) await expectModelFor('faces');
  },
  resolve: (body, context) => ({ face_jobs: faceJobsOf(body, context) }),
  nothing: { face_jobs: [] },
  // Faces that are there already are clustered without a model.
  admits: async ({ face_jobs }, { expectModelFor }) => {
    if (face_jobs.some(({ paths }) => paths.length > 0)) await expectModelFor('faces');
  },
  shows: [],
  jobsOf: ({ face_jobs }) =>
    face_jobs.map(({ name, paths }) => ({ name, items: paths.map((path) => ({ path })) })),
  unit: {
    done: 'face_frames',
    all: 'face_grid_frames',
    meanings: [
      'Number of frames searched for faces, one for each second.',
      'Total number of frames, one for each second.',
    ],
    measure: 'count',
    weight: 1,
    cost: 0.2,
    amountOf: ({ probe }) => probe.grid_frames,
    label: 'frames for faces',
    speed: null,
  },
  facts: {
    faces: field(
      'What was found in the file, for work of type `faces`; otherwise null.',
      nullable(FaceFacts),
    ),
    clustering: field(
      'Result of a face clustering. In such a result, `path` is the name of the job.',
      nullable(ClusteringFacts),
    ),
  },
  noFacts: { faces: null, clustering: null },
  notApplicable: 'no_frames',
  notApplicableMeaning: 'Number of files without pictures for which faces were requested.',
  labels: {
    notApplicable: 'without frames',
    nothing: 'sound only, no pictures to search for faces',
    jobs: ['clustering', 'clusterings'],
    result: ({ faces, clustering }) => {
      if (clustering) return clustered(clustering);
      const missing = faces?.missing_frames ?? 0;
      const said = `${counted(faces?.count ?? 0, 'face')}${missing > 0 ? `, ${missing} cannot be decoded` : ''}`;
      return faces?.warning === undefined ? said : `${said}; ${faces.warning}`;
    },
    warning: ({ faces }) => faces?.warning,
  },
  closing: {
    underWay: (cluster_job_name, cluster_progress) => ({
      is_cluster_job: true,
      cluster_job_name,
      cluster_progress,
    }),
    ended: (cluster_job_name, { clustering }) => ({
      is_cluster_job: true,
      cluster_job_name,
      ...(clustering && {
        cluster_media_hashes: clustering.media_hashes,
        ...(clustering.sample_face_naming && { sample_face_naming: clustering.sample_face_naming }),
        ...(clustering.warning !== undefined && { warning: clustering.warning }),
      }),
    }),
  },
  metrics: {
    done: { name: 'framehound_face_frames_total', help: 'Frames of the grid searched for faces.' },
    results: [
      {
        name: 'framehound_faces_total',
        help: 'Faces found.',
        count: ({ faces }) => faces?.count ?? 0,
      },
      {
        name: 'framehound_clusterings_total',
        help: 'Face clusterings made or found stored.',
        count: ({ clustering }) => (clustering ? 1 : 0),
      },
    ],
  },
});

function clustered({
  clusters,
  total_entries,
  noise_entries,
  warning,
  sample_face_naming: naming,
}: ClusteringFacts) {
  const named = naming?.assignments.length ?? 0;
  if (total_entries === 0) return 'no faces';
  const said = [
    clusters === 0
      ? `${counted(total_entries, 'face')}, nobody seen often enough to be grouped`
      : `${counted(clusters, 'person', 'people')} in ${counted(total_entries, 'face')}`,
    ...(noise_entries > 0 && clusters > 0 ? [`${counted(noise_entries, 'face')} ungrouped`] : []),
    ...(named > 0 ? [`${named} named`] : []),
  ];
  return `${said.join(', ')}${warning === undefined ? '' : `; ${warning}`}`;
}
