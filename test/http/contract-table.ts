// The fields of every body and the addresses of every route, as the contract has them.
import { usualSettings } from '../actors/watch-folders/usual-settings.ts';

/** `needed`, `optional`, or the default. `beyond` are fields that the published interface does not have. */
export interface Row {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly beyond?: Readonly<Record<string, unknown>>;
}
export const needed = Symbol('needed');
export const optional = Symbol('optional');

const visual = {
  cache_dir: needed,
  media_paths: [],
  max_results: 50,
  search_all: false,
  exclude: [],
  metadata_filter_request: null,
  segments_to_frame_indices: {},
};
const file = { cache_dir: needed, media_path: optional, hash_str: optional };
const picture = { image_path: optional, image_data: optional, like: optional };
const besideText = {
  max_per_media: optional,
  people_filter: [],
  people_filter_mode: 'and',
  explain: false,
  min_band: optional,
};
const query = { query: optional, ...picture, exclude: [], text_weight: 1 };
const sequence = {
  items: needed,
  chapter_markers: optional,
  sequence_name: 'Sequence',
  output_path: optional,
  create_folders: optional,
  fps: optional,
  width: optional,
  height: optional,
  unreadable: optional,
};
const faces = { cache_dir: needed, cluster_job_name: needed };
const selector = {
  cache_dir: needed,
  summary_ref: optional,
  path: optional,
  hash_str: optional,
  analysis_id: optional,
};
export const scope = { media_type: 'any', media_paths: [], hash_strs: [], expected_count: optional };

export const bodies: Readonly<Record<string, Row>> = {
  '/tickets': { fields: {}, beyond: { cache_dir: optional } },
  '/sessions': { fields: {}, beyond: { ticket: needed } },
  '/tasks/{task_id}/resume': { fields: {}, beyond: { force: false } },
  '/models/load': { fields: { model_key: needed } },
  '/media/metadata': { fields: { cache_dir: needed, media_paths: needed } },
  '/media/list': { fields: {}, beyond: { cache_dir: needed, folder: optional, offset: 0, limit: 1000 } },
  '/media/peaks': {
    fields: {},
    beyond: { ...file, start_seconds: optional, end_seconds: optional, points: 2000 },
  },
  '/media/frames': { fields: {}, beyond: { ...file, start_seconds: needed, end_seconds: needed } },
  '/models/pull': { fields: {}, beyond: { model_key: optional, model_keys: optional } },
  '/media/link': { fields: file, beyond: { proxy: false } },
  '/media/proxy': { fields: {}, beyond: { ...file, max_side: 1280 } },
  '/scenes': { fields: { ...file, start_seconds: 0, end_seconds: optional } },
  '/cache-paths': { fields: { cache_dir: needed, media_path: optional, hash_str: optional } },
  '/analyze': {
    fields: {
      cache_dir: needed,
      detect_speakers: true,
      speaker_count: 'auto',
      preferred_x_model_key: 'auto',
      visual_media_paths: [],
      transcription_jobs: [],
      face_clustering_jobs: [],
      sample_faces: optional,
      summary_requests: [],
    },
    beyond: {
      ...{ force: false, decode: optional, recluster_jobs: [] },
      ...{ thing_media_paths: [], text_media_paths: [] },
    },
  },
  '/analysis-data/load': { fields: { cache_dir: needed } },
  '/analysis-data/load-for-media': { fields: { cache_dir: needed, media_paths: needed } },
  '/analysis-data/load-transcriptions': { fields: { cache_dir: needed } },
  '/lists': { fields: {}, beyond: { name: needed, items: [] } },
  '/lists/{list_id}': { fields: {}, beyond: { version: needed, name: optional, items: optional } },
  '/library/list': { fields: { cache_dir: needed, under: optional, offset: 0, limit: 1000 } },
  '/library/forget': { fields: { cache_dir: needed, media_paths: needed, dry_run: false } },
  '/library/prune': { fields: { cache_dir: needed, dry_run: false } },
  '/library/disk': { fields: { cache_dir: needed } },
  '/library/move': { fields: { cache_dir: needed, from: needed, to: needed, dry_run: false } },
  '/metadata/facets': {
    fields: { cache_dir: needed, scope: optional, search_all: false, filters: [], ...scope },
  },
  '/search/text': {
    fields: { ...visual, query: needed, text_weight: 1, people_filter: [], people_filter_mode: 'and' },
    beyond: { max_per_media: optional, explain: false, min_band: optional },
  },
  '/search/image': {
    fields: { ...visual, image_path: needed, query: optional },
    beyond: { ...besideText, text_weight: 1 },
  },
  '/search/frame': {
    fields: { ...visual, media_path: needed, time_seconds: needed, query: optional },
    beyond: { ...besideText, text_weight: 1 },
  },
  '/search/moments': {
    fields: Object.fromEntries(
      Object.entries({ ...visual, ...query }).filter(([name]) => name !== 'max_results'),
    ),
    beyond: { ...besideText, kinds: optional, limit: 50 },
  },
  '/search/relevance': { fields: { ...file, ...query } },
  '/search/transcript': {
    fields: {
      query: needed,
      cache_dir: needed,
      media_paths: [],
      max_results: 50,
      search_all: true,
      speaker: optional,
      speaker_name: optional,
      metadata_filter_request: null,
      segments_to_time_ranges: {},
    },
  },
  '/search/written': {
    fields: {},
    beyond: {
      query: needed,
      cache_dir: needed,
      media_paths: [],
      max_results: 50,
      min_band: optional,
      search_all: true,
      metadata_filter_request: null,
    },
  },
  '/transcriptions': { fields: { cache_dir: needed, media_paths: needed } },
  '/transcriptions/range': {
    fields: {
      cache_dir: needed,
      hash_str: optional,
      media_path: optional,
      start_seconds: needed,
      end_seconds: needed,
      after_segment_index: optional,
      max_segments: 120,
    },
  },
  '/transcriptions/speakers': {
    fields: {},
    beyond: { cache_dir: needed, hash_str: needed, assignments: needed },
  },
  '/summaries/collections': {
    fields: { cache_dir: needed, collection_id: optional, include_members: false },
  },
  '/summaries/list': {
    fields: { cache_dir: needed, media_paths: [], hash_strs: [] },
    beyond: { limit: optional, after_summary_ref: optional },
  },
  '/summaries/overview': { fields: selector },
  '/summaries/search': {
    fields: {},
    beyond: {
      cache_dir: needed,
      query: needed,
      media_paths: optional,
      hash_strs: optional,
      collection_id: optional,
      max_results: 50,
    },
  },
  '/summaries/node': { fields: { ...selector, node_id: needed, include_evidence: false } },
  '/summaries/export': {
    fields: {},
    beyond: {
      ...selector,
      format: needed,
      node_id: optional,
      depth: optional,
      include_evidence: false,
      output_path: optional,
      create_folders: optional,
    },
  },
  '/summaries/delete': {
    fields: {},
    beyond: { cache_dir: needed, summary_refs: [], collection_id: optional },
  },
  '/faces/clusters/samples': {
    fields: {
      ...faces,
      limit_per_cluster: 12,
      min_cluster_size: 1,
      max_cluster_size: 1_000_000_000,
      max_clusters: 100,
      include_noise: false,
    },
  },
  '/faces/clusters/faces': {
    fields: { ...faces, cluster_id: optional, cluster_ids: [], limit: 500, offset: 0 },
    beyond: { include_entry_ids: false },
  },
  '/faces/clusters/names': { fields: { ...faces, assignments: needed } },
  '/faces/clusters/modify': { fields: { ...faces, merges: [], moves: [] }, beyond: { apart: [] } },
  '/faces/suggest': {
    fields: {},
    beyond: { ...faces, cluster_id: optional, other_names: false, limit: 20, limit_per_cluster: 3 },
  },
  '/speakers/suggest': { fields: {}, beyond: { ...file, speaker: needed, limit: 20 } },
  '/speakers/confirm': {
    fields: {},
    beyond: { cache_dir: needed, voices: needed, name: optional, same: needed },
  },
  '/speakers/undo': { fields: {}, beyond: { cache_dir: needed } },
  '/faces/clusters/undo': { fields: {}, beyond: faces },
  '/faces/clusters/delete': {
    fields: {},
    beyond: { ...faces, cluster_id: optional, person_name: optional },
  },
  '/faces/recluster': {
    fields: { ...faces, eps: 0.48, min_samples: 5, auto_detect_params: false, clear_names: false },
  },
  '/faces/appearances': { fields: {}, beyond: { ...faces, people: [] } },
  '/export/clips': {
    fields: {},
    beyond: { output_dir: needed, create_folders: optional, clips: needed, mode: 'precise', task: false },
  },
  '/export/premiere-xml': { fields: {}, beyond: sequence },
  '/export/timeline': {
    fields: {},
    beyond: { format: needed, ...sequence, start_timecode: optional },
  },
  '/export/transcript': {
    fields: { segments: needed, format: needed, display_name: needed },
    beyond: { output_dir: optional, create_folders: optional },
  },
  '/watch-folders': { fields: { folder_path: needed, ...usualSettings } },
  '/watch-folders/{id}': {
    // Nothing that is left out is changed.
    fields: Object.fromEntries(
      ['folder_path', ...Object.keys(usualSettings)].map((name) => [name, optional]),
    ),
  },
  '/thumbnails': { fields: { cache_dir: needed, requests: needed }, beyond: { max_size: 480 } },
  '/thumbnails/scene': {
    fields: {
      cache_dir: needed,
      media_path: needed,
      start_time: needed,
      end_time: needed,
      hash_str: optional,
    },
    beyond: { max_size: 480 },
  },
};

/** Method, path, and whether a key is needed; sorted. */
export const addresses: readonly string[] = [
  'DELETE /api/v1/lists/{list_id} licensed',
  'DELETE /api/v1/sessions open',
  'DELETE /api/v1/watch-folders/{id} licensed',
  'GET / open',
  'GET /api/v1/faces/clusters licensed',
  'GET /api/v1/health open',
  'GET /api/v1/lists licensed',
  'GET /api/v1/lists/{list_id} licensed',
  'GET /api/v1/models/available licensed',
  'GET /api/v1/models/loaded licensed',
  'GET /api/v1/settings licensed',
  'GET /api/v1/tasks licensed',
  'GET /api/v1/tasks/{task_id} licensed',
  'GET /api/v1/watch-folders licensed',
  'GET /api/v1/watch-folders/service/status licensed',
  'GET /docs open',
  'GET /livez open',
  'GET /media/{link} open',
  'GET /metrics open',
  'GET /openapi.json open',
  'GET /page/{+file} open',
  'GET /readyz open',
  'POST /api/v1/analysis-data/load licensed',
  'POST /api/v1/analysis-data/load-for-media licensed',
  'POST /api/v1/analysis-data/load-transcriptions licensed',
  'POST /api/v1/analyze licensed',
  'POST /api/v1/analyze/cancel licensed',
  'POST /api/v1/cache-paths licensed',
  'POST /api/v1/export/clips licensed',
  'POST /api/v1/export/premiere-xml licensed',
  'POST /api/v1/export/timeline licensed',
  'POST /api/v1/export/transcript licensed',
  'POST /api/v1/faces/appearances licensed',
  'POST /api/v1/faces/clusters/delete licensed',
  'POST /api/v1/faces/clusters/faces licensed',
  'POST /api/v1/faces/clusters/modify licensed',
  'POST /api/v1/faces/clusters/samples licensed',
  'POST /api/v1/faces/clusters/undo licensed',
  'POST /api/v1/faces/recluster licensed',
  'POST /api/v1/faces/suggest licensed',
  'POST /api/v1/library/disk licensed',
  'POST /api/v1/library/forget licensed',
  'POST /api/v1/library/list licensed',
  'POST /api/v1/library/move licensed',
  'POST /api/v1/library/prune licensed',
  'POST /api/v1/lists licensed',
  'POST /api/v1/media/frames licensed',
  'POST /api/v1/media/link licensed',
  'POST /api/v1/media/list licensed',
  'POST /api/v1/media/metadata licensed',
  'POST /api/v1/media/peaks licensed',
  'POST /api/v1/media/proxy licensed',
  'POST /api/v1/metadata/facets licensed',
  'POST /api/v1/models/load licensed',
  'POST /api/v1/models/pull licensed',
  'POST /api/v1/scenes licensed',
  'POST /api/v1/search/frame licensed',
  'POST /api/v1/search/image licensed',
  'POST /api/v1/search/moments licensed',
  'POST /api/v1/search/relevance licensed',
  'POST /api/v1/search/text licensed',
  'POST /api/v1/search/transcript licensed',
  'POST /api/v1/search/written licensed',
  'POST /api/v1/sessions open',
  'POST /api/v1/speakers/suggest licensed',
  'POST /api/v1/speakers/undo licensed',
  'POST /api/v1/summaries/collections licensed',
  'POST /api/v1/summaries/delete licensed',
  'POST /api/v1/summaries/export licensed',
  'POST /api/v1/summaries/list licensed',
  'POST /api/v1/summaries/node licensed',
  'POST /api/v1/summaries/overview licensed',
  'POST /api/v1/summaries/search licensed',
  'POST /api/v1/tasks/{task_id}/cancel licensed',
  'POST /api/v1/tasks/{task_id}/resume licensed',
  'POST /api/v1/thumbnails licensed',
  'POST /api/v1/thumbnails/scene licensed',
  'POST /api/v1/tickets licensed',
  'POST /api/v1/transcriptions licensed',
  'POST /api/v1/transcriptions/range licensed',
  'POST /api/v1/watch-folders licensed',
  'POST /api/v1/watch-folders/service/start licensed',
  'POST /api/v1/watch-folders/service/stop licensed',
  'POST /mcp licensed',
  'PUT /api/v1/faces/clusters/names licensed',
  'PUT /api/v1/lists/{list_id} licensed',
  'PUT /api/v1/speakers/confirm licensed',
  'PUT /api/v1/transcriptions/speakers licensed',
  'PUT /api/v1/watch-folders/{id} licensed',
];
