// The part of a request about faces: its fields, and their meaning together.
import { type Static, type TObject, Type } from 'typebox';
import { plainPath } from '../../../../runtime/paths.ts';
import { defaulted, described, field, nullable } from '../../../../runtime/schema.ts';
import { inlineBytes, inlineImage } from '../../../decoder/inline-image.ts';
import { mostNameLetters, nameProblem, plainName } from '../../../index/people/person-name.ts';
import { epsMeaning, usualEps } from '../../../models/face-distance.ts';
import {
  type Complaint,
  MediaPath,
  type NamedPath,
  named,
  type ResolveContext,
  Text,
  uniquePaths,
} from '../../request.ts';

// How much a request may say about people.

export const limits = {
  people: 100,
  /** Counted in code points. */
  jobNameLetters: 200,
  imagesEach: 3,
  imageBytes: 10 * 1024 * 1024,
  imagePixels: 24_000_000,
  inlineBytes: 50 * 1024 * 1024,
} as const;

const SampleFace = Type.Object(
  {
    name: field(
      'Name of the person.',
      Type.String({ minLength: 1, maxLength: mostNameLetters, pattern: '\\S' }),
    ),
    face_paths: Type.Optional(
      described(Type.Array(MediaPath), 'Paths of local pictures that each show exactly one face.'),
    ),
    face_images: Type.Optional(
      described(Type.Array(Type.String()), 'Pictures as base64 or as `data:image/...;base64,...`.'),
    ),
  },
  {
    title: 'SampleFace',
    description:
      'A person with 1 to 3 pictures in total. A picture that cannot be used does not affect the others. A cluster ' +
      'gets the name if its similarity to the mean of the pictures reaches the threshold of the model for one ' +
      'person, and is clearly above that of the next best cluster and the next best person.',
  },
);
const SampleFaces = Type.Array(SampleFace, { maxItems: limits.people });
export type SampleFaces = Static<typeof SampleFaces>;

const eps = () => defaulted(described(Type.Number({ minimum: 0, maximum: 2 }), epsMeaning), usualEps);
const autoDetect = 'Whether to determine the distance from the faces themselves.';

const FaceClusteringJob = Type.Object(
  {
    cluster_job_name: field('Name of the face clustering.', Text),
    face_media_paths: field(
      'Absolute paths of the files to search for faces.',
      Type.Array(MediaPath, { minItems: 1 }),
    ),
    face_eps: eps(),
    face_min_samples: field(
      'Smallest number of faces that make a cluster.',
      defaulted(Type.Integer({ minimum: 1 }), 5),
    ),
    auto_detect_params: Type.Optional(
      described(Type.Boolean(), `${autoDetect} \`face_eps\` is then ignored.`),
    ),
    sample_faces: Type.Optional(
      described(
        SampleFaces,
        'Replaces the list of the request for this job. An empty list means no automatic naming for this job.',
      ),
    ),
  },
  { title: 'FaceClusteringJob' },
);

const ReclusterJob = Type.Object(
  {
    cluster_job_name: field('Name of the face clustering.', Text),
    eps: eps(),
    min_samples: defaulted(
      described(Type.Integer({ minimum: 1 }), 'Smallest number of similar faces that make a cluster.'),
      5,
    ),
    auto_detect_params: defaulted(described(Type.Boolean(), `${autoDetect} \`eps\` is then ignored.`), false),
    clear_names: defaulted(described(Type.Boolean(), 'Whether to remove the names of all clusters.'), false),
  },
  { title: 'ReclusterJob' },
);

export const facesBody = {
  face_clustering_jobs: field(
    'Face clusterings to make or extend. Each groups the faces in some media into people, under one name; later ' +
      'requests with that name add media. Refused while no face models are downloaded. Faces of different models ' +
      'are not compared: a clustering that would lose media because the models changed fails with ' +
      '`OTHER_FACE_MODEL` until all of its media are in the request.',
    defaulted(Type.Array(FaceClusteringJob), []),
  ),
  sample_faces: Type.Optional(
    described(SampleFaces, 'Sample faces for every face job without its own list.'),
  ),
  recluster_jobs: defaulted(
    described(Type.Array(ReclusterJob), 'Existing clusterings to make again from their stored faces.'),
    [],
  ),
};
export type FacesBody = Static<TObject<typeof facesBody>>;

export function facesMedia({ face_clustering_jobs }: FacesBody): NamedPath[] {
  return face_clustering_jobs.flatMap(({ face_media_paths }, i) =>
    named(`face_clustering_jobs[${i}].face_media_paths`, face_media_paths),
  );
}

export function samplePictures(body: FacesBody): NamedPath[] {
  return sampleLists(body).flatMap(({ field, samples }) =>
    samples.flatMap(({ face_paths = [] }, i) => named(`${field}[${i}].face_paths`, face_paths)),
  );
}

export function facesComplaints(body: FacesBody): Complaint[] {
  return [...jobComplaints(body), ...sampleComplaints(body)];
}

function sampleLists(body: FacesBody): { field: string; samples: SampleFaces }[] {
  return [
    { field: 'sample_faces', samples: body.sample_faces ?? [] },
    ...body.face_clustering_jobs.map(({ sample_faces }, i) => ({
      field: `face_clustering_jobs[${i}].sample_faces`,
      samples: sample_faces ?? [],
    })),
  ];
}

interface AskedJob {
  readonly at: string;
  readonly name: string;
  /** With the name of its field. */
  readonly distance: readonly [string, number];
}

/** Two jobs of one name would be two clusterings of one name. */
function jobComplaints(body: FacesBody): Complaint[] {
  const jobs: AskedJob[] = [
    ...body.face_clustering_jobs.map(({ cluster_job_name, face_eps }, i) => ({
      at: `face_clustering_jobs[${i}]`,
      name: cluster_job_name,
      distance: ['face_eps', face_eps] as const,
    })),
    ...body.recluster_jobs.map(({ cluster_job_name, eps }, i) => ({
      at: `recluster_jobs[${i}]`,
      name: cluster_job_name,
      distance: ['eps', eps] as const,
    })),
  ];
  const paths = new Set(facesMedia(body).map(({ path }) => path));
  const first = new Map<string, string>();
  return jobs.flatMap(({ at, name, distance: [field, value] }) => {
    const named = `${at}.cluster_job_name`;
    const before = first.get(name);
    first.set(name, before ?? at);
    const said: Complaint[] = [];
    const letters = lettersIn(name);
    if (letters > limits.jobNameLetters) {
      said.push({
        field: named,
        what: `has ${letters} characters, more than the maximum of ${limits.jobNameLetters}`,
      });
    }
    if (before !== undefined) said.push({ field: named, what: `is also the name of ${before}` });
    if (paths.has(name)) said.push({ field: named, what: 'is the path of a file in the request' });
    // A caller in this process may hand in what JSON cannot write.
    if (!(value >= 0 && value <= 2)) said.push({ field: `${at}.${field}`, what: 'must be from 0 to 2' });
    return said;
  });
}

function sampleComplaints(body: FacesBody): Complaint[] {
  const complaints: Complaint[] = [];
  if (body.sample_faces?.length && body.face_clustering_jobs.length === 0) {
    complaints.push({ field: 'sample_faces', what: 'requires a face clustering job' });
  }
  let inline = 0;
  for (const { field, samples } of sampleLists(body)) {
    const first = new Map<string, number>();
    samples.forEach(({ name, face_paths = [], face_images = [] }, person) => {
      const at = `${field}[${person}]`;
      complaints.push(...nameComplaints(at, name, first.get(plainName(name))));
      first.set(plainName(name), first.get(plainName(name)) ?? person);
      const count = face_paths.length + face_images.length;
      if (count < 1 || count > limits.imagesEach) {
        complaints.push({
          field: at,
          what: `must have 1 to ${limits.imagesEach} images in total, not ${count}`,
        });
      }
      face_images.forEach((image, i) => {
        const read = inlineImage(image, limits.imageBytes);
        if (typeof read === 'string') complaints.push({ field: `${at}.face_images[${i}]`, what: read });
        else inline += read.bytes;
      });
    });
  }
  if (inline > limits.inlineBytes) {
    complaints.push({
      field: 'sample_faces',
      what: `contains ${inline} bytes of images, more than the maximum of ${limits.inlineBytes}`,
    });
  }
  return complaints;
}

/** `before`: the person of the same name that came first. */
function nameComplaints(at: string, name: string, before: number | undefined): Complaint[] {
  const field = `${at}.name`;
  const problem = nameProblem(name);
  const said: Complaint[] = problem === null ? [] : [{ field, what: problem }];
  if (before !== undefined) {
    said.push({ field, what: `is the same person as [${before}]; combine the images in one entry` });
  }
  return said;
}

/** Code points: an emoji counts as one or a few, whatever its bytes. */
function lettersIn(text: string): number {
  return [...text].length;
}

// Jobs of faces in the form in which they are recorded.

/** A picture that shows one person: a file, or the number of a picture that came with the request. */
export const SamplePicture = Type.Union([
  Type.Object({ path: Type.String({ minLength: 1 }) }),
  Type.Object({ attachment: Type.Integer({ minimum: 0 }) }),
]);
export type SamplePicture = Static<typeof SamplePicture>;

export const PersonSample = Type.Object({ name: Type.String(), pictures: Type.Array(SamplePicture) });
export type PersonSample = Static<typeof PersonSample>;

export const FaceJob = Type.Object({
  name: Type.String({ minLength: 1 }),
  /** Absolute; empty for a job that is only clustered again. */
  paths: Type.Array(Type.String({ minLength: 1 })),
  /** Cosine distance; null: found from the distances. */
  eps: nullable(Type.Number({ minimum: 0, maximum: 2 })),
  min_samples: Type.Integer({ minimum: 1 }),
  clear_names: Type.Boolean(),
  /** Empty: nobody is named. */
  samples: Type.Array(PersonSample),
});
export type FaceJob = Static<typeof FaceJob>;

/** Only for a body without complaints. */
export function faceJobsOf(body: FacesBody, context: Pick<ResolveContext, 'attach'>): FaceJob[] {
  // Pictures for all jobs are kept once.
  let shared: PersonSample[] | undefined;
  const ofAll = () => {
    shared ??= samplesOf(body.sample_faces ?? [], context);
    return shared;
  };
  const jobs = body.face_clustering_jobs.map(
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
  return [...jobs, ...again];
}

function samplesOf(people: SampleFaces, { attach }: Pick<ResolveContext, 'attach'>): PersonSample[] {
  return people.map(({ name, face_paths = [], face_images = [] }) => ({
    name: plainName(name),
    pictures: [
      ...face_paths.map((path) => ({ path: plainPath(path) })),
      ...face_images.map((text) => ({ attachment: attach(inlineBytes(text)) })),
    ],
  }));
}
