// A request for a proxy: that the analysis folder takes it.
import type { AnalysisRequest, ProxyRequest } from '../contract.ts';
import { plainPath } from '../request.ts';
import { expectWritable } from './files.ts';
import type { OrderedJobs } from './ordered-jobs.ts';

/** Throws NOT_A_FOLDER, STORE_READ_ONLY. The folder that is filled is the analysis folder. */
export async function resolveProxy({ cache_dir, ...asked }: ProxyRequest): Promise<OrderedJobs> {
  await expectWritable(cache_dir);
  return { cache_dir: plainPath(cache_dir), proxy_request: asked };
}

/** Of a content, wherever a copy of it lies. */
export function proxyKey({ cache_dir, proxy_request }: AnalysisRequest): string | null {
  if (!proxy_request) return null;
  const { hash_str, max_side } = proxy_request;
  return JSON.stringify(['proxy', cache_dir, hash_str, max_side]);
}
