// Brings into memory what filters and facets need of a folder, before they are asked for.
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';

/** Sends the message until it is done; other questions come in between. Errors: those of the store. */
export async function readyFacets(
  index: Ref<typeof indexContract>,
  cache_dir: string,
  call: CallOptions,
): Promise<void> {
  while (!(await index.ask('ready_facets', { cache_dir }, call)).done);
}
