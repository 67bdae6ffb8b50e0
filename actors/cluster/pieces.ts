// How the request of a task is cut into jobs: a large file is one, small ones go together. Pure.
import type { AnalysisRequest, WorkResult } from '../analysis/contract.ts';
import { hasWork } from '../analysis/stages/kind.ts';
import { stageKinds } from '../analysis/stages/kinds.ts';
import { clusterErrors } from './contract.ts';

/** Types of work that are about single files, and read nothing of others. */
const spread: readonly string[] = ['video', 'speech', 'text', 'things'];

/** Bytes from which a file is a job of its own, and small files of one job at most. */
const LARGE = 16 << 20;
const TOGETHER = 8;
/** Jobs that each worker should get of a task at least. */
const TURNS = 4;

const kinds = stageKinds.filter(({ type }) => spread.includes(type));

/** Throws NOT_IN_CLUSTER for what workers cannot do by themselves. */
export function expectSpread(request: AnalysisRequest): void {
  const other = stageKinds.find(
    (kind) => !spread.includes(kind.type) && kind.jobsOf(request as never).some(hasWork),
  );
  if (other !== undefined)
    throw clusterErrors.NOT_IN_CLUSTER(`Work of the type ${other.type} cannot be done in a cluster yet`);
  if (request.from_previews)
    throw clusterErrors.NOT_IN_CLUSTER('from_previews: previews cannot be looked at in a cluster yet');
}

/** Each file once. */
export function pathsOf(request: AnalysisRequest): string[] {
  return [...new Set(pairs(request).map(({ path }) => path))];
}

function pairs(request: AnalysisRequest) {
  return kinds.flatMap((kind) =>
    kind.jobsOf(request as never).flatMap(({ items }) => items.map(({ path }) => ({ kind, path }))),
  );
}

/** The work on some of its files. */
export function piecesOf(
  request: AnalysisRequest,
  paths: readonly string[],
): Pick<WorkResult, 'type' | 'path' | 'facts'>[] {
  const own = new Set(paths);
  return pairs(request)
    .filter(({ path }) => own.has(path))
    .map(({ kind, path }) => ({ type: kind.type, path, facts: kind.noFacts }));
}

/** The same request for some of its files. */
export function requestOf(request: AnalysisRequest, paths: readonly string[]): AnalysisRequest {
  const own = new Set<unknown>(paths);
  const values: Readonly<Record<string, unknown>> = request;
  const lists = kinds
    .flatMap(({ resolved }) => Object.keys(resolved))
    .filter((name) => Array.isArray(values[name]));
  const less = lists.map((name) => {
    const items = values[name] as readonly (string | { readonly path: string })[];
    return [name, items.filter((item) => own.has(typeof item === 'string' ? item : item.path))] as const;
  });
  return { ...request, ...Object.fromEntries(less) };
}

export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Largest first, so that workers end together. `workers`: how many there are. */
export function jobsOf(files: readonly SizedFile[], workers: number): string[][] {
  const ordered = files.toSorted((a, b) => b.bytes - a.bytes);
  const large = ordered.filter(({ bytes }) => bytes >= LARGE);
  const small = ordered.slice(large.length);
  const together = Math.max(1, Math.min(TOGETHER, Math.ceil(small.length / (TURNS * Math.max(1, workers)))));
  const jobs = large.map(({ path }) => [path]);
  for (let at = 0; at < small.length; at += together)
    jobs.push(small.slice(at, at + together).map(({ path }) => path));
  return jobs;
}
