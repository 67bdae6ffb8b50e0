// Jobs of faces in the form in which they are recorded.
import { type Static, Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { nullable } from '../../../../runtime/schema.ts';
import { inlineBytes } from '../../../decoder/inline-image.ts';
import { plainName } from '../../../index/people/person-name.ts';
import { type ResolveContext, uniquePaths } from '../../request.ts';
import type { FacesBody, SampleFaces } from './request.ts';

/** A picture that shows one person: a file, or the number of a picture that came with the request. */
export const SamplePicture = Type.Union([
  Type.Object({ path: Type.String({ minLength: 1 }) }),
  Type.Object({ attachment: Type.Integer({ minimum: 0 }) }),
]);
export type SamplePicture = Static<typeof SamplePicture>;

export const Sample = Type.Object({ name: Type.String(), pictures: Type.Array(SamplePicture) });
export type Sample = Static<typeof Sample>;

export const FaceJob = Type.Object({
  name: Type.String({ minLength: 1 }),
  /** Absolute; empty for a job that is only clustered again. */
  paths: Type.Array(Type.String({ minLength: 1 })),
  /** Cosine distance; null: found from the distances. */
  eps: nullable(Type.Number({ minimum: 0, maximum: 2 })),
  min_samples: Type.Integer({ minimum: 1 }),
  clear_names: Type.Boolean(),
  /** Empty: nobody is named. */
  samples: Type.Array(Sample),
});
export type FaceJob = Static<typeof FaceJob>;

/** Only for a body without complaints. */
export function faceJobsOf(body: FacesBody, context: Pick<ResolveContext, 'attach'>): FaceJob[] {
  // Pictures for all jobs are kept once.
  let shared: Sample[] | undefined;
  const ofAll = () => {
    shared ??= samplesOf(body.sample_faces ?? [], context);
    return shared;
  };
  const found = body.face_clustering_jobs.map(
    (job): FaceJob => ({
      name: job.cluster_job_name,
      paths: uniquePaths(job.face_media_paths, (path) => path).map(plainPath),
      eps: job.auto_detect_params ? null : job.face_eps,
      min_samples: job.face_min_samples,
      clear_names: false,
      samples: job.sample_faces ? samplesOf(job.sample_faces, context) : ofAll(),
    }),
  );
  const again = body.recluster_jobs.map(
    (job): FaceJob => ({
      name: job.cluster_job_name,
      paths: [],
      eps: job.auto_detect_params ? null : job.eps,
      min_samples: job.min_samples,
      clear_names: job.clear_names,
      samples: [],
    }),
  );
  return [...found, ...again];
}

function samplesOf(people: SampleFaces, { attach }: Pick<ResolveContext, 'attach'>): Sample[] {
  return people.map(({ name, face_paths = [], face_images = [] }) => ({
    name: plainName(name),
    pictures: [
      ...face_paths.map((path) => ({ path: plainPath(path) })),
      ...face_images.map((text) => ({ attachment: attach(inlineBytes(text)) })),
    ],
  }));
}
