// The declaration of the face stage: the faces in every second of a film and in every still, and who they
// are.
import { Type } from 'typebox';
import { field, nullable } from '../../../../runtime/schema.ts';
import { stageKind } from '../kind.ts';
import { ClusteringFacts, FaceFacts } from './facts.ts';
import { FaceJob, faceJobsOf } from './jobs.ts';
import { facesBody, facesComplaints, facesMedia, samplePictures } from './request.ts';

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
  const said = [
    `${counted(clusters, 'person', 'people')} in ${counted(total_entries, 'face')}`,
    ...(noise_entries > 0 ? [`${noise_entries} in no cluster`] : []),
    ...(named > 0 ? [`${named} named`] : []),
  ];
  return `${said.join(', ')}${warning === undefined ? '' : `; ${warning}`}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
