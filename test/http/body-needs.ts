// What the body of a good request needs beside the fields that are always needed.
import type { SavedRequest } from '../../events/searches/contract.ts';

/** By the id of its route. `folder` has the film, and `moved` is the same folder elsewhere. */
export function besidesIn(
  media_path: string,
  folder: string,
  moved: string,
  cache_dir: string,
): Readonly<Record<string, Record<string, unknown>>> {
  return {
    analyze: { visual_media_paths: [media_path] },
    cachePaths: { media_path },
    mediaLink: { media_path },
    listScenes: { media_path },
    mediaFacts: { media_path },
    mediaSeen: { media_path },
    saveSearch: { request: savedRequest(cache_dir) },
    changeSavedSearch: { request: savedRequest(cache_dir) },
    searchMoments: { query: 'four' },
    searchRelevance: { media_path, query: 'four' },
    mediaPeaks: { media_path },
    mediaFrames: { media_path, start_seconds: 0, end_seconds: 1 },
    makeProxy: { media_path },
    pullModels: { model_key: 'fake' },
    transcriptionsRange: { hash_str: 'aa' },
    nameSpeakers: { hash_str: 'aa' },
    searchTranscript: { search_all: false },
    searchWritten: { search_all: false },
    clusterFaces: { cluster_id: 'c1' },
    modifyClusters: { merges: [{ cluster_ids: ['c1', 'c2'], target_cluster_id: 'c2' }], apart: [] },
    suggestSpeakers: { hash_str: 'aa' },
    confirmSpeakers: {
      voices: ['aa', 'bb'].map((hash_str) => ({ hash_str, speaker: 'SPEAKER_00' })),
    },
    moveMedia: { from: folder, to: moved },
    summaryOverview: { hash_str: 'aa' },
    summaryNode: { hash_str: 'aa', node_id: '0' },
    exportSidecars: { output_dir: '/sidecars' },
    exportSummary: { hash_str: 'aa' },
    deleteSummaries: { collection_id: 'c1' },
  };
}

export function savedRequest(cache_dir: string): SavedRequest {
  const anybody = { metadata_filter_request: null, people_filter: [] };
  return { cache_dir, query: 'red car', exclude: [], text_weight: 1, ...anybody, people_filter_mode: 'and' };
}
