import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Type } from 'typebox';
import { createValidator, validatorsOf } from '../../../http/request/validation.ts';
import { routes } from '../../../http/routes.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { clearable, defaulted, nullable } from '../../../runtime/schema.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

test('a list that is too long is refused by its length, without a look at what it holds', () => {
  const validate = createValidator(
    Type.Object({ exclude: Type.Array(Type.Object({ word: Type.String() }), { maxItems: 2 }) }),
  );
  const exclude: unknown[] = Array(9_000).fill(1);
  Object.defineProperty(exclude, 500, { get: () => assert.fail('the items are not looked at') });
  assert.deepEqual(validate({ exclude }), [
    { field: 'exclude', problem: 'must not have more than 2 items, has 9000' },
  ]);
});

test('an error names the values a field takes', () => {
  const problemOf = (id: string, value: Record<string, unknown>, field: string) => {
    const { body } = routes.find((one) => one.id === id)!;
    return createValidator(body!)(value)?.find((one) => one.field === field)?.problem;
  };
  const strip = { cache_dir: '/a', media_path: '/b', end_time: '00:00:01', start_time: '1' };
  const text = { cache_dir: '/a', query: 'x' };
  const named = (name: string) => ({
    cache_dir: '/a',
    cluster_job_name: 'j',
    assignments: [{ cluster_id: 'c1', name }],
  });
  for (const [id, body, field, problem] of [
    [
      'analyze',
      { cache_dir: '/a', speaker_count: 9 },
      'speaker_count',
      /auto, auto-detect, 5\+ or .* from 1 to 4$/,
    ],
    [
      'analyze',
      { cache_dir: '/a', speaker_count: '9' },
      'speaker_count',
      /auto, auto-detect, 5\+ or .* 1 to 4$/,
    ],
    ['sceneThumbnails', strip, 'start_time', /^must be HH:MM:SS$/],
    ['sceneThumbnails', { ...strip, max_size: 3 }, 'max_size', /^must be a whole number from 64 to 1920$/],
    [
      'nameClusters',
      named('x'.repeat(201)),
      'assignments[0].name',
      /^must be a string of at most 200 characters or null$/,
    ],
    ['searchText', { ...text, max_results: 0 }, 'max_results', /^must be a whole number from 1 to 10000$/],
    ['makeTicket', { cache_dir: '' }, 'cache_dir', /^must not be empty$/],
    ['pullModels', { model_keys: [] }, 'model_keys', /^must not be empty$/],
    ['confirmSpeakers', { voices: [] }, 'voices', /^must have at least 2 items$/],
    [
      'searchText',
      { ...text, segments_to_frame_indices: { '/a': [1, 2, 3] } },
      'segments_to_frame_indices./a',
      /^must be \[a whole number of at least 0, a whole number of at least 1\]/,
    ],
    [
      'searchText',
      { ...text, segments_to_frame_indices: { '/a': [[1, 2, 3]] } },
      'segments_to_frame_indices./a[0]',
      /^must be \[a whole number of at least 0, a whole number of at least 1\]$/,
    ],
    ['mcp', { jsonrpc: '1.0' }, 'jsonrpc', /^must be 2.0$/],
    [
      'cachePaths',
      { hash_str: 'x' },
      'hash_str',
      /^must be the hash_str of a media file, as returned by \/media\/metadata/,
    ],
    [
      'exportTimeline',
      { start_timecode: '1' },
      'start_timecode',
      /^must be timecode of the first frame as HH:MM:SS:FF$/,
    ],
    [
      'searchText',
      { ...text, segments_to_frame_indices: { '/a': 'x' } },
      'segments_to_frame_indices./a',
      /\[.*, .*\] or a list of \[/,
    ],
  ] as const)
    assert.match(problemOf(id, body, field) ?? '', problem, field);
});

test('null stays in a field that it clears, and the forms of a choice are filled in by what is given', () => {
  const Item = Type.Object({ word: Type.String(), weight: defaulted(Type.Number(), 1) });
  const body = Type.Object({
    note: Type.Optional(clearable(Type.String())),
    other: Type.Optional(nullable(Type.String())),
    wish: Type.Optional(clearable(Type.Array(Item), Type.Object({ items: defaulted(Type.Array(Item), []) }))),
  });
  const filled = (value: Record<string, unknown>) => [createValidator(body)(value), value];
  assert.deepEqual(filled({ note: null, other: null, wish: null }), [null, { note: null, wish: null }]);
  assert.deepEqual(filled({}), [null, {}]);
  const weighed = [{ word: 'a', weight: 1 }];
  assert.deepEqual(filled({ wish: [{ word: 'a' }] }), [null, { wish: weighed }]);
  assert.deepEqual(filled({ wish: { items: [{ word: 'a' }] } }), [null, { wish: { items: weighed } }]);
  assert.deepEqual(filled({ wish: {} }), [null, { wish: { items: [] } }]);
});

test('paths are brought to their plain form wherever they stand, and relative ones are refused by their field', () => {
  const files = Type.Object({
    path: AbsolutePath,
    others: Type.Optional(nullable(Type.Array(AbsolutePath))),
  });
  const validate = createValidator(Type.Object({ files: Type.Array(files), name: Type.String() }));
  const body = (path: string, others?: unknown) => ({
    files: [{ path: '/a' }, { path, others }],
    name: 'x/../y',
  });
  const value = body('/a/../b//c/', ['/', '/x/./y']);
  assert.equal(validate(value), null);
  assert.deepEqual(value, body('/b/c', ['/', '/x/y']));
  for (const [wrong, field] of [
    [body('b'), 'files[1].path'],
    [body('/b', ['/', '/\0']), 'files[1].others[1]'],
  ] as const) {
    assert.throws(() => validate(wrong), { code: 'PATH_NOT_ABSOLUTE', details: { field } });
  }
});

interface Shape {
  readonly nullClears?: true;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The places of optional fields, and objects in which only they are put. */
function* optionals(
  shape: Shape,
  at: string,
  put: (value: unknown) => unknown,
): Generator<[string, unknown]> {
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const place = (value: unknown) => put({ [name]: value });
    if (field.nullClears && field.default === undefined) continue;
    if (field.default !== undefined || !shape.required?.includes(name)) yield [`${at}.${name}`, place(null)];
    yield* optionals(field, `${at}.${name}`, place);
  }
  if (shape.items) yield* optionals(shape.items, `${at}[]`, (value) => put([value]));
  for (const form of shape.anyOf ?? []) yield* optionals(form, at, put);
}

for (const { id, body } of routes.filter((one) => one.body !== null)) {
  test(`${id}: null in every optional field is the same as leaving it out`, () => {
    const validate = createValidator(body!);
    const told = (value: unknown) => [validate(value as Record<string, unknown>), value];
    for (const [place, withNull] of optionals(body as Shape, id, (value) => value)) {
      const without: unknown = JSON.parse(
        JSON.stringify(withNull, (_, value: unknown) => (value === null ? undefined : value)),
      );
      assert.deepEqual(told(withNull), told(without), place);
    }
  });
}

test('paths of every route are written as on the disk, but for answers that repeat them', async () => {
  const folder = temporaryFolder();
  const onDisk = join(folder, 'Café'.normalize('NFD'));
  const sent = onDisk.normalize('NFC');
  writeFileSync(onDisk, '');
  // macOS finds a file by both spellings.
  const spelled = existsSync(sent) ? sent : onDisk;
  const { spell } = validatorsOf(routes.find(({ id }) => id === 'analyze')!);
  const body = {
    cache_dir: '/plain',
    visual_media_paths: [sent, 'relative/Café'],
    transcription_jobs: [{ path: sent }],
  };
  await spell({}, body);
  assert.deepEqual(body, {
    cache_dir: '/plain',
    visual_media_paths: [spelled, 'relative/Café'],
    transcription_jobs: [{ path: spelled }],
  });
  assert.equal(spell({}, { ...body, visual_media_paths: [], transcription_jobs: [] }), null);
  const repeated = ['mediaMetadata', 'transcriptions', 'listSummaries', 'searchSummaries'];
  const unmarked = routes.flatMap(({ id, query, body: schema }) =>
    [query, schema].flatMap((fields) => pathFields(fields).map((name) => [id, name])),
  );
  assert.deepEqual(
    unmarked,
    repeated.map((id) => [id, 'media_paths']),
  );
});

/** Names of the fields of a schema that hold paths and do not get the spelling of the disk. */
function pathFields(schema: unknown, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null || 'spelled' in schema) return [];
  const isPath =
    'type' in schema && schema.type === 'string' && /(path|folder|dir)s?$|^(from|to|under)$/.test(name);
  const inside = Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? Object.entries(value as object).flatMap(([field, of]) => pathFields(of, field))
      : key === 'items' || key === 'anyOf'
        ? [value].flat().flatMap((of) => pathFields(of, name))
        : [],
  );
  return isPath ? [name, ...inside] : inside;
}
