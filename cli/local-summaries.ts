// The summaries of an engine in this process.
import type { Engine } from '../actors/engine.ts';
import type { SummariesBackend } from './backend.ts';

export function localSummaries(engine: Engine, signal: AbortSignal): SummariesBackend {
  const { summaries } = engine;
  return {
    collections: (cache_dir) =>
      summaries.collections({ cache_dir, collection_id: null, include_members: false }, signal),
    collection: (cache_dir, collection_id) =>
      summaries.collections({ cache_dir, collection_id, include_members: true }, signal),
    list: ({ media_paths, ...request }) => {
      const paths = media_paths.map(asSent);
      return summaries.list({ ...request, media_paths: paths, limit: null, after_summary_ref: null }, signal);
    },
    find: ({ media_paths, ...request }) =>
      summaries.find({ ...request, media_paths: media_paths?.map(asSent) ?? null, hash_strs: null }, signal),
    overview: (request) => summaries.overview(request, signal),
    node: (request) => summaries.node(request, signal),
    export: (request) => engine.summaryDocuments.make({ ...request, output_path: null }, signal),
    remove: (request) => summaries.remove(request, signal),
  };
}

const asSent = (path: string) => ({ path, sent: path });
