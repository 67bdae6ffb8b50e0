// How the request of a task is cut into jobs: a large file is one, small ones go together; then come
// clusterings and summaries, which need what was found before. Pure.
import type { AnalysisRequest, WorkResult } from '../analysis/contract.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';

/** The type whose jobs have closing steps, and the one that reads what the others have stored. */
const [closes, reads] = ['faces', 'summary'] as const;

/** Jobs of a step begin when those of the steps before have ended. */
export const steps = { files: 0, closings: 1, summaries: 2 } as const;

/** Work of one worker at a time. */
export interface JobWork {
  readonly step: number;
  readonly paths: readonly string[];
  /** Name of the clustering; null for other work. */
  readonly name: string | null;
}

export interface CostedWork extends JobWork {
  /** Files that it reads beside `paths`. */
  readonly pictures: readonly string[];
  /** Roughly how long it takes; 1 for a small file. */
  readonly cost: number;
}

/** Bytes from which a file is a job of its own, and small files of one job at most. */
const LARGE = 16 << 20;
const TOGETHER = 8;
/** Jobs that each worker should get of a task at least. */
const TURNS = 4;

/** Kinds of work that are about single files, and read nothing of others. */
const kinds = stageKinds.filter(({ type, place }) => place === 'analysis' && type !== reads);
const nothing = Object.assign({}, ...stageKinds.map((kind) => kind.nothing)) as AnalysisRequest;
const without = ({ cache_dir, force, from_previews }: AnalysisRequest): AnalysisRequest => ({
  ...{ ...nothing, cache_dir, force },
  ...(from_previews && { from_previews }),
});

/** Each file that is analysed, once. */
export function pathsOf(request: AnalysisRequest): string[] {
  return [...new Set(pairs(request).map(({ path }) => path))];
}

/** Files that are summarized, each once. */
export function summarizedOf({ summary_jobs }: AnalysisRequest): string[] {
  return [...new Set(summary_jobs.map(({ path }) => path))];
}

/** Files with the faces of people that its clusterings look for. */
export function picturesOf({ face_jobs }: Pick<AnalysisRequest, 'face_jobs'>): string[] {
  const pictures = face_jobs.flatMap(({ samples }) => samples.flatMap((sample) => sample.pictures));
  return pictures.flatMap((picture) => ('path' in picture ? [picture.path] : []));
}

function pairs(request: AnalysisRequest) {
  return kinds.flatMap((kind) =>
    kind.jobsOf(request).flatMap(({ items }) => items.map(({ path }) => ({ kind, path }))),
  );
}

/** Everything there is to do. `files`: those that are analysed. */
export function workOf(request: AnalysisRequest, files: readonly SizedFile[], workers: number): CostedWork[] {
  const ofFiles = jobsOf(files, workers).map((some) => {
    const bytes = some.reduce((sum, file) => sum + file.bytes, 0);
    const [paths, cost] = [some.map(({ path }) => path), some.length + Math.floor(bytes / LARGE)];
    return { step: steps.files, paths, pictures: [], name: null, cost };
  });
  return [
    ...ofFiles,
    ...request.face_jobs.map((job) => {
      const pictures = picturesOf({ face_jobs: [job] });
      return { step: steps.closings, paths: [], pictures, name: job.name, cost: 1 };
    }),
    ...summarizedOf(request).map((path) => {
      return { step: steps.summaries, paths: [path], pictures: [], name: null, cost: 1 };
    }),
  ];
}

export type PieceResult = Pick<WorkResult, 'type' | 'path' | 'facts' | 'closing'>;

/** Result of a piece that no worker has done. */
export function resultWithoutWork(
  piece: PieceResult,
  outcome: 'failed' | 'cancelled',
  error: WorkResult['error'],
): WorkResult {
  return { ...piece, hash_str: null, outcome, reason: null, duration_seconds: 0, error };
}

/** Pieces of work of a job; a file of two clusterings is analysed once. */
export function piecesOf(request: AnalysisRequest): (work: JobWork) => PieceResult[] {
  const factsOf = (type: string) => stageKinds.find((kind) => kind.type === type)!.noFacts;
  const byPath = Map.groupBy(pairs(request), ({ path }) => path);
  return ({ step, paths, name }) => {
    if (step === steps.closings)
      return [{ type: closes, path: name ?? '', facts: factsOf(closes), closing: true }];
    if (step === steps.summaries) return paths.map((path) => ({ type: reads, path, facts: factsOf(reads) }));
    return paths.flatMap((path) => {
      const kindsOfPath = new Set(byPath.get(path)?.map(({ kind }) => kind));
      return [...kindsOfPath].map(({ type, noFacts }) => ({ type, path, facts: noFacts }));
    });
  };
}

/**
 * The same request for one job of it. `pathsWithFaces`: files of which faces are stored, for a clustering.
 */
export function requestOf(
  request: AnalysisRequest,
  { step, paths, name }: JobWork,
  pathsWithFaces: ReadonlySet<string> = new Set(),
): AnalysisRequest {
  if (step === steps.closings) {
    const face_jobs = request.face_jobs.filter((job) => job.name === name);
    const jobsWithFaces = face_jobs.map((job) => ({
      ...job,
      paths: job.paths.filter((path) => pathsWithFaces.has(path)),
    }));
    // Without any file it would be another request: to cluster again what there is.
    const isEmpty = jobsWithFaces.every((job) => job.paths.length === 0);
    return { ...without(request), face_jobs: isEmpty ? face_jobs : jobsWithFaces, force: false };
  }
  const jobPaths = new Set<unknown>(paths);
  if (step === steps.summaries) {
    const summary_jobs = request.summary_jobs.filter(({ path }) => jobPaths.has(path));
    return { ...without(request), summary_jobs };
  }
  const values: Readonly<Record<string, unknown>> = request;
  const lists = kinds
    .flatMap(({ resolved }) => Object.keys(resolved))
    .filter((key) => Array.isArray(values[key]) && key !== 'face_jobs');
  const less = lists.map((key) => {
    const items = values[key] as readonly (string | { readonly path: string })[];
    return [key, items.filter((item) => jobPaths.has(typeof item === 'string' ? item : item.path))] as const;
  });
  const face_jobs = request.face_jobs
    .map((job) => ({ ...job, paths: job.paths.filter((path) => jobPaths.has(path)) }))
    .filter((job) => job.paths.length > 0);
  return { ...request, ...Object.fromEntries(less), face_jobs, summary_jobs: [] };
}

export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Largest first, so that workers end together. `workers`: how many there are. */
export function jobsOf(files: readonly SizedFile[], workers: number): SizedFile[][] {
  const ordered = files.toSorted((a, b) => b.bytes - a.bytes);
  const large = ordered.filter(({ bytes }) => bytes >= LARGE);
  const small = ordered.slice(large.length);
  const together = Math.max(1, Math.min(TOGETHER, Math.ceil(small.length / (TURNS * Math.max(1, workers)))));
  const jobs = large.map((file) => [file]);
  for (let at = 0; at < small.length; at += together) jobs.push(small.slice(at, at + together));
  return jobs;
}
