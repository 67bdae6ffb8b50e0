// What a request says about faces: the fields, and what they mean together. Pure.
import { type Static, type TObject, Type } from 'typebox';
import { defaulted, described } from '../../../../runtime/schema.ts';
import { type Complaint, MediaPath, named, type RequestPart, Text } from '../../request.ts';
import { inlineImage } from './inline-image.ts';
import { limits } from './limits.ts';

const SampleFace = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLetters, pattern: '\\S' }),
    face_paths: Type.Optional(described(Type.Array(MediaPath), 'Local pictures that show exactly one face.')),
    face_images: Type.Optional(
      described(Type.Array(Type.String()), 'The same as base64, or as `data:image/...;base64,...`.'),
    ),
  },
  { title: 'SampleFace', description: '1 to 3 pictures of a person, in all.' },
);
const SampleFaces = Type.Array(SampleFace, { maxItems: limits.people });
export type SampleFaces = Static<typeof SampleFaces>;

const FaceClusteringJob = Type.Object(
  {
    cluster_job_name: Text,
    face_media_paths: Type.Array(MediaPath, { minItems: 1 }),
    face_eps: defaulted(described(Type.Number({ minimum: 0, maximum: 2 }), 'Lower is stricter.'), 0.48),
    face_min_samples: defaulted(Type.Integer({ minimum: 1 }), 5),
    sample_faces: Type.Optional(
      described(SampleFaces, 'Takes the place of the list of the request; empty: no naming for this job.'),
    ),
  },
  { title: 'FaceClusteringJob' },
);

const body = {
  face_clustering_jobs: defaulted(Type.Array(FaceClusteringJob), []),
  sample_faces: Type.Optional(described(SampleFaces, 'For every face job that has no list of its own.')),
};
type FacesBody = Static<TObject<typeof body>>;

export const facesRequest: RequestPart<typeof body> = {
  body,
  complaints: sampleComplaints,
  media: ({ face_clustering_jobs }) =>
    face_clustering_jobs.flatMap(({ face_media_paths }, i) =>
      named(`face_clustering_jobs[${i}].face_media_paths`, face_media_paths),
    ),
  pictures: (body) =>
    sampleLists(body).flatMap(({ field, samples }) =>
      samples.flatMap(({ face_paths = [] }, i) => named(`${field}[${i}].face_paths`, face_paths)),
    ),
};

function sampleLists(body: FacesBody): { field: string; samples: SampleFaces }[] {
  return [
    { field: 'sample_faces', samples: body.sample_faces ?? [] },
    ...body.face_clustering_jobs.map(({ sample_faces }, i) => ({
      field: `face_clustering_jobs[${i}].sample_faces`,
      samples: sample_faces ?? [],
    })),
  ];
}

function sampleComplaints(body: FacesBody): Complaint[] {
  const found: Complaint[] = [];
  if (body.sample_faces?.length && body.face_clustering_jobs.length === 0) {
    found.push({ field: 'sample_faces', what: 'needs a face clustering job' });
  }
  let inline = 0;
  for (const { field, samples } of sampleLists(body)) {
    samples.forEach(({ face_paths = [], face_images = [] }, person) => {
      const at = `${field}[${person}]`;
      const count = face_paths.length + face_images.length;
      if (count < 1 || count > limits.imagesEach) {
        found.push({ field: at, what: `must have 1 to ${limits.imagesEach} images in all, not ${count}` });
      }
      face_images.forEach((image, i) => {
        const read = inlineImage(image);
        if (typeof read === 'string') found.push({ field: `${at}.face_images[${i}]`, what: read });
        else inline += read.bytes;
      });
    });
  }
  if (inline > limits.inlineBytes) {
    found.push({
      field: 'sample_faces',
      what: `hold ${inline} bytes of images, more than ${limits.inlineBytes}`,
    });
  }
  return found;
}
