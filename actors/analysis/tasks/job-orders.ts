// How tasks of jobs without files come about: each kind of work says what a request for it has come to.
import type { JobRequests } from '../contract.ts';
import { settledClips } from './clip-order.ts';
import type { OrderedJobs } from './ordered-jobs.ts';
import { settledProxy } from './proxy-order.ts';
import { type PullableModels, settledPull } from './pull-order.ts';

export interface JobOrder<R> {
  /** What is to be done. Throws what is wrong with the request; changes nothing. */
  settle(request: R, signal: AbortSignal): Promise<OrderedJobs>;
  /** Whoever asks for the same while it is done gets the task that does it. */
  readonly isShared?: boolean;
}

export type JobOrders = { readonly [T in keyof JobRequests]: JobOrder<JobRequests[T]> };

/** `library`: of the models that tasks download. */
export function jobOrders(library: PullableModels): JobOrders {
  return {
    clips: { settle: settledClips },
    pull: { settle: (request) => settledPull(request, library) },
    proxy: { settle: settledProxy, isShared: true },
  };
}
