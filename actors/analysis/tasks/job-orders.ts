// How tasks of jobs without files come about: their checks, and the form in which each is recorded.
import { codeOf } from '../../../runtime/files/error-code.ts';
import { clipErrors } from '../../decoder/clips/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { type AnalysisRequest, analysisErrors, type JobRequests } from '../contract.ts';
import { plainPath } from '../request.ts';
import { clipExport } from '../stages/clips/kind.ts';
import type { StageKind } from '../stages/kind.ts';
import { expectWritable } from './files.ts';

/** The folder that the task fills, and what its kind of work records. */
export type OrderedJobs = Pick<AnalysisRequest, 'cache_dir'> & Partial<AnalysisRequest>;

export interface JobOrder<R> {
  /** What is to be done. Throws what is wrong with the request; changes nothing. */
  settle(request: R, signal: AbortSignal): Promise<OrderedJobs>;
}

export type JobOrders = { readonly [T in keyof JobRequests]: JobOrder<JobRequests[T]> };

export const jobOrders: JobOrders = {
  clips: { settle: settledClips },
};

/** Whole: it asks for nothing of other kinds. */
export function recordedJobs(kinds: readonly StageKind[], jobs: OrderedJobs): AnalysisRequest {
  const nothing = Object.assign({}, ...kinds.map((kind) => kind.nothing));
  // Who asks anew wants tried what was left alone; a resume leaves it alone.
  return { ...nothing, ...jobs, force: true } as AnalysisRequest;
}

/** Throws INVALID_REQUEST, NOT_A_FOLDER, CLIP_UNWRITABLE. The folder that is filled is the one of the clips. */
async function settledClips({ output_dir, ...request }: JobRequests['clips']): Promise<OrderedJobs> {
  if (request.clips.length === 0)
    throw analysisErrors.INVALID_REQUEST('clips names none', { field: 'clips' });
  const field = 'output_dir';
  await expectWritable(output_dir, field).catch((error) => {
    const { STORE_READ_ONLY, STORE_FULL } = storeErrors;
    if (!STORE_READ_ONLY.is(error) && !STORE_FULL.is(error)) throw error;
    // It is no analysis folder.
    const why = codeOf((error as Error).cause);
    throw clipErrors.CLIP_UNWRITABLE(`${field} ${output_dir} cannot be written (${why})`, { field }, error);
  });
  return { cache_dir: plainPath(output_dir), clip_export: clipExport(request) };
}
