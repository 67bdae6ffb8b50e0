// How tasks of jobs without files come about: each kind of work says what a request for it has come to.
import type { AnalysisRequest, JobRequests } from '../contract.ts';
import { clipKey, resolveClips } from './clip-order.ts';
import type { OrderedJobs } from './ordered-jobs.ts';
import { proxyKey, resolveProxy } from './proxy-order.ts';
import { type PullableModels, pullKey, resolvePull } from './pull-order.ts';

/**
 * What a recorded request asks for, the same text for the same; null when it asks for nothing of the kind.
 */
export type RequestKey = (request: AnalysisRequest) => string | null;

export interface JobOrder<R> {
  /** What is to be done. Throws what is wrong with the request; changes nothing. */
  resolve(request: R, signal: AbortSignal): Promise<OrderedJobs>;
  /** Whoever asks for the same while it runs or waits gets the task that does it. */
  readonly keyOf: RequestKey;
}

export type JobOrders = { readonly [T in keyof JobRequests]: JobOrder<JobRequests[T]> };

/** `library`: of the models that tasks download. */
export function jobOrders(library: PullableModels): JobOrders {
  return {
    clips: { resolve: resolveClips, keyOf: clipKey },
    pull: { resolve: (request) => resolvePull(request, library), keyOf: pullKey },
    proxy: { resolve: resolveProxy, keyOf: proxyKey },
  };
}
