// What the fields of an analysis request mean together: paths that are absolute, pictures of faces that are pictures,
// samples that belong to a job. Pure; whether the files are there is looked at elsewhere.
import { isAbsolute } from 'node:path';
import { type AnalyzeBody, limits, type SampleFaces } from './body.ts';
import { speechComplaints } from './speech.ts';

export interface Complaint {
  /** `sample_faces[0].face_images[1]` */
  readonly field: string;
  readonly what: string;
}

export interface NamedPath {
  readonly field: string;
  readonly path: string;
}

/** Everything that is wrong, in the order of the fields. */
export function complaintsOf(body: AnalyzeBody): Complaint[] {
  return [
    ...pathComplaints(body),
    ...speechComplaints(body),
    ...sampleComplaints(body),
    ...summaryComplaints(body),
  ];
}

/** The media a request names, whatever is to be done with them. */
export function mediaOf(body: AnalyzeBody): NamedPath[] {
  return [
    ...named('visual_media_paths', body.visual_media_paths),
    ...body.transcription_jobs.map(({ path }, i) => ({ field: `transcription_jobs[${i}].path`, path })),
    ...body.face_clustering_jobs.flatMap(({ face_media_paths }, i) =>
      named(`face_clustering_jobs[${i}].face_media_paths`, face_media_paths),
    ),
    ...body.summary_requests.map(({ path }, i) => ({ field: `summary_requests[${i}].path`, path })),
  ];
}

/** The files that show people. */
export function facePathsOf(body: AnalyzeBody): NamedPath[] {
  return sampleLists(body).flatMap(({ field, samples }) =>
    samples.flatMap(({ face_paths = [] }, i) => named(`${field}[${i}].face_paths`, face_paths)),
  );
}

function named(field: string, paths: readonly string[]): NamedPath[] {
  return paths.map((path, i) => ({ field: `${field}[${i}]`, path }));
}

function pathComplaints(body: AnalyzeBody): Complaint[] {
  return [{ field: 'cache_dir', path: body.cache_dir }, ...mediaOf(body), ...facePathsOf(body)].flatMap(
    ({ field, path }) => {
      if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return [{ field, what: 'must be a local path, not a URL' }];
      if (path.includes('\0')) return [{ field, what: 'must not hold a NUL character' }];
      return isAbsolute(path) ? [] : [{ field, what: 'must be an absolute path' }];
    },
  );
}

function sampleLists(body: AnalyzeBody): { field: string; samples: SampleFaces }[] {
  return [
    { field: 'sample_faces', samples: body.sample_faces ?? [] },
    ...body.face_clustering_jobs.map(({ sample_faces }, i) => ({
      field: `face_clustering_jobs[${i}].sample_faces`,
      samples: sample_faces ?? [],
    })),
  ];
}

function sampleComplaints(body: AnalyzeBody): Complaint[] {
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

/** The size of an image in base64 or in a data URL; or what is wrong with it. */
export function inlineImage(text: string): { readonly bytes: number } | string {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'must hold the image itself, not a remote URL';
  let start = 0;
  if (/^\s*data:/i.test(text)) {
    const comma = text.indexOf(',');
    const head = comma < 0 ? '' : text.slice(0, comma);
    if (!/^\s*data:image\/[a-z0-9.+-]+(?:;[a-z0-9.+-]+=[^;,]*)*;base64$/i.test(head)) {
      return 'must be a data URL of the form data:image/...;base64,...';
    }
    start = comma + 1;
  }
  const letters = (start === 0 ? text : text.slice(start)).replace(/\s+/g, '');
  if (letters === '') return 'holds no image';
  const [, digits, padding] = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(letters) ?? [];
  const whole = digits !== undefined && digits.length % 4 !== 1;
  if (!whole || (padding !== '' && letters.length % 4 !== 0)) return 'is not base64';
  const bytes = Math.floor((digits.length * 3) / 4);
  if (bytes > limits.imageBytes) return `has ${bytes} bytes, more than ${limits.imageBytes}`;
  return { bytes };
}

function summaryComplaints({ summary_requests }: AnalyzeBody): Complaint[] {
  return summary_requests.flatMap(({ summary_objective }, i) => {
    if (summary_objective?.preset !== 'custom') return [];
    const { custom_instructions = '', priority_hints } = summary_objective;
    if (custom_instructions.trim() !== '' || priority_hints.length > 0) return [];
    const field = `summary_requests[${i}].summary_objective.custom_instructions`;
    return [{ field, what: 'is needed by the preset custom, or priority_hints' }];
  });
}
