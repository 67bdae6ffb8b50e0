import assert from 'node:assert/strict';
import test from 'node:test';
import { routes } from '../../http/routes.ts';
import { addresses, bodies, needed, optional, scope } from './contract-table.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly type?: string;
}

function fieldsOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, field]) => {
    if ('default' in field) return [name, field.default];
    return [name, required.includes(name) ? needed : optional];
  });
  return Object.fromEntries(entries);
}

const bodyOf = (path: string) =>
  routes.find((one) => one.path === `/api/v1${path}` && one.body)?.body as unknown as Schema;

for (const [path, { fields, beyond }] of Object.entries(bodies)) {
  test(`${path} takes the fields of the contract with their defaults`, () => {
    assert.deepEqual(fieldsOf(bodyOf(path)), { ...fields, ...beyond });
  });
}

test('every route with a body is in this table, the others take none', () => {
  const ofApi = routes.filter(({ path }) => path.startsWith('/api/v1/'));
  const withBody = ofApi.flatMap(({ path, body }) => (body ? [path.replace('/api/v1', '')] : []));
  assert.deepEqual(withBody.sort(), Object.keys(bodies).sort());
});

test('objects inside bodies have the fields of the contract with their defaults', () => {
  const inside = (path: string, name: string): Schema => {
    const field = bodyOf(path).properties?.[name] ?? {};
    return field.items ?? field.anyOf?.find(({ properties }) => properties) ?? field;
  };
  const speech = { detect_speakers: optional, speaker_count: optional, preferred_x_model_key: optional };
  const filters = inside('/metadata/facets', 'filters');
  const filterFields = { facet_id: needed, operator: 'is_any_of', values: needed };
  for (const [schema, fields] of [
    [
      inside('/analyze', 'transcription_jobs'),
      { path: needed, language: 'english', channels: null, ...speech },
    ],
    [
      inside('/analyze', 'face_clustering_jobs'),
      {
        cluster_job_name: needed,
        face_media_paths: needed,
        face_eps: 0.48,
        face_min_samples: 5,
        auto_detect_params: optional,
        sample_faces: optional,
      },
    ],
    [inside('/analyze', 'sample_faces'), { name: needed, face_paths: optional, face_images: optional }],
    [inside('/metadata/facets', 'scope'), { mode: 'paths', ...scope }],
    [filters, filterFields],
    [inside('/search/text', 'metadata_filter_request'), { scope: optional, filters: [] }],
    [
      inside('/search/text', 'people_filter'),
      { cluster_job_name: optional, person_name: optional, cluster_id: optional },
    ],
    [inside('/faces/clusters/names', 'assignments'), { cluster_id: needed, name: needed }],
    [inside('/faces/clusters/modify', 'merges'), { cluster_ids: needed, target_cluster_id: optional }],
    [
      inside('/faces/clusters/modify', 'moves'),
      { from_cluster_id: needed, to_cluster_id: needed, entry_ids: needed },
    ],
    [inside('/watch-folders', 'metadata_filter_request'), { filters: [] }],
    [inside('/search/moments', 'like'), { hash_str: optional, media_path: optional, time_seconds: needed }],
    [inside('/thumbnails', 'requests'), { media_path: needed, time_seconds: needed }],
  ] as const) {
    assert.deepEqual(fieldsOf(schema), fields);
  }
  assert.deepEqual(filters.properties?.['operator']?.enum, [
    'is_any_of',
    'is_not',
    'include_any_of',
    'include_all_of',
    'exclude_any_of',
    'exclude_all_of',
    'before',
    'after',
    'greater_than',
    'less_than',
  ]);
});

const addresses = [
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
  'POST /api/v1/library/disk licensed',
  'POST /api/v1/library/forget licensed',
  'POST /api/v1/library/list licensed',
  'POST /api/v1/library/move licensed',
  'POST /api/v1/library/prune licensed',
  'POST /api/v1/lists licensed',
  'POST /api/v1/media/link licensed',
  'POST /api/v1/media/list licensed',
  'POST /api/v1/media/metadata licensed',
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
  'POST /api/v1/sessions open',
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
  'PUT /api/v1/faces/clusters/names licensed',
  'PUT /api/v1/lists/{list_id} licensed',
  'PUT /api/v1/transcriptions/speakers licensed',
  'PUT /api/v1/watch-folders/{id} licensed',
];

test('the addresses are those of the contract: each with its method, open or with a key', () => {
  const listed = routes.map(({ method, path, access }) => `${method} ${path} ${access}`);
  assert.deepEqual(listed.sort(), addresses);
});
