// What a request for jobs without files has come to, and the form in which a task of it is recorded.
import type { AnalysisRequest } from '../contract.ts';
import type { StageKind } from '../stages/kind.ts';

/** The folder that the task fills, and what its kind of work records. */
export type OrderedJobs = Pick<AnalysisRequest, 'cache_dir'> & Partial<AnalysisRequest>;

/** Whole: it asks for nothing of other kinds. */
export function recordedJobs(kinds: readonly StageKind[], jobs: OrderedJobs): AnalysisRequest {
  const nothing = Object.assign({}, ...kinds.map((kind) => kind.nothing));
  // Who asks anew wants tried what was left alone; a resume leaves it alone.
  return { ...nothing, ...jobs, force: true } as AnalysisRequest;
}
