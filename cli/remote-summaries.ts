// The summaries of a running service, read over its API.
import type { CallOptions, Client } from '../http/client/client.ts';
import type { SummariesBackend } from './backend.ts';
import type { Explained } from './remote-people.ts';

export function remoteSummaries(client: Client, explained: Explained, call: CallOptions): SummariesBackend {
  // Asked once: who writes the folder is told at once, not waited for.
  const once: CallOptions = { ...call, retries: 0 };
  return {
    collections: explained((cache_dir: string) => client.summaryCollections({ cache_dir }, call)),
    collection: explained((cache_dir: string, collection_id: string) =>
      client.summaryCollections({ cache_dir, collection_id, include_members: true }, call),
    ),
    list: explained(({ cache_dir, media_paths, hash_strs }) =>
      client.listSummaries({ cache_dir, media_paths: [...media_paths], hash_strs: [...hash_strs] }, call),
    ),
    find: explained(({ media_paths, collection_id, ...request }) =>
      client.searchSummaries(
        {
          ...request,
          ...(media_paths !== null && { media_paths: [...media_paths] }),
          ...(collection_id !== null && { collection_id }),
        },
        call,
      ),
    ),
    overview: explained((request) => client.summaryOverview(request, call)),
    node: explained((request) => client.summaryNode(request, call)),
    export: explained((request) => client.exportSummary(request, call)),
    remove: explained(({ cache_dir, summary_refs, collection_id }) =>
      client.deleteSummaries(
        { cache_dir, summary_refs: [...summary_refs], ...(collection_id !== null && { collection_id }) },
        once,
      ),
    ),
  };
}
