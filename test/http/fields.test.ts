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
    [inside('/thumbnails', 'requests'), { media_path: needed, time_seconds: needed, hash_str: optional }],
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

test('the addresses are those of the contract: each with its method, open or with a key', () => {
  const listed = routes.map(({ method, path, access }) => `${method} ${path} ${access}`);
  assert.deepEqual(listed.sort(), addresses);
});
