import assert from 'node:assert/strict';
import test from 'node:test';
import type { FacetReport, MetadataFilter } from '../../../../actors/index/facets/contract.ts';
import type { FrameRange } from '../../../../actors/index/visual/contract.ts';
import type { FacetRequest } from '../../../../actors/search/contract.ts';
import {
  type FilterScope,
  frameRanges as frameRangesInSteps,
  type Segments,
  scopeErrors,
  withExclusions,
} from '../../../../actors/search/scope/contract.ts';
import {
  facetAnswer,
  facetScope,
  findScope,
  narrow as narrowInSteps,
  type RequestedScope,
  requestedPaths,
} from '../../../../actors/search/scope/scope.ts';
import type { EngineError } from '../../../../runtime/errors.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';

const frameRanges = (segments: Segments) => Object.fromEntries(atOnce(frameRangesInSteps(segments)));
const narrow = (
  paths: readonly string[],
  segments: Readonly<Record<string, FrameRange[]>>,
  ...more: Parameters<typeof narrowInSteps> extends [unknown, unknown, ...infer Rest] ? Rest : never
) => atOnce(narrowInSteps(paths, new Map(Object.entries(segments)), ...more));
const range = (start: number, end: number): FrameRange => [start, end];
const fieldOf = (wanted: string) => (error: unknown) => (error as EngineError).details['field'] === wanted;

test('ranges come as one pair or a list of them, and one that does not ascend is refused', () => {
  assert.deepEqual(frameRanges({ '/x/a': [1, 2], '/x//y/../a': [[4, 5]] }), {
    '/x/a': [
      [1, 2],
      [4, 5],
    ],
  });
  assert.deepEqual(frameRanges({ a: range(0, 5), b: [range(1, 2), range(7, 9)] }), {
    a: [[0, 5]],
    b: [
      [1, 2],
      [7, 9],
    ],
  });
  for (const wrong of [{ a: [] }, { a: range(5, 5) }, { a: [range(0, 1), range(9, 3)] }]) {
    assert.throws(() => frameRanges(wrong), scopeErrors.WRONG_SEGMENTS.is);
    assert.throws(() => frameRanges(wrong), fieldOf('segments_to_frame_indices'));
  }
  assert.throws(
    () => frameRanges({ a: range(5, 5) }),
    /\[5, 5\] is empty: its end must be greater than its start/,
  );
  assert.throws(() => frameRanges({ a: range(9, 3) }), /\[9, 3\] ends before it starts/);
});

const known = new Map([
  ['/a', { hash: 'a', loaded: true }],
  ['/copy', { hash: 'a', loaded: true }],
  ['/b', { hash: 'b', loaded: true }],
  ['b', { hash: 'b', loaded: true }],
  ['/stored', { hash: 's', loaded: false }],
  ['/gone', { hash: null, loaded: false }],
]);

test('many names of one file, and many files of one content, are joined without copying what is there', () => {
  const count = 100_000;
  const spelled = (i: number) =>
    `/films/${'x/../'.repeat(i % 300)}${'./'.repeat(Math.floor(i / 300))}film.mp4`;
  const names = Array.from({ length: count }, (_, i) => [spelled(i), range(i, i + 1)] as const);
  assert.equal(frameRanges(Object.fromEntries(names))['/films/film.mp4']!.length, count);
  const copies = names.map((_, i) => `/films/${i}.mp4`);
  const segments = Object.fromEntries(copies.map((name, i) => [name, [range(i, i + 1)]]));
  const one = new Map(copies.map((name) => [name, { hash: 'a', loaded: true }]));
  const { scope, requested } = narrow([], segments, null, [], one);
  assert.equal(scope.ranges['a']!.length, count);
  assert.equal(requested.get('a')!.length, count);
});

test('a range for each file of a large library is read in steps, between which others are answered', () => {
  const count = 100_000;
  const segments = Object.fromEntries(Array.from({ length: count }, (_, i) => [`/films/${i}`, range(0, 1)]));
  const steps = frameRangesInSteps(segments);
  assert.equal([...steps].length, 50);
  const ranges = atOnce(frameRangesInSteps(segments));
  const one = new Map([...ranges.keys()].map((name, i) => [name, { hash: `${i}`, loaded: true }]));
  assert.ok([...narrowInSteps([], ranges, null, [], one)].length >= 150);
});

test('what is named, what has ranges and what filters speak of narrow each other', () => {
  for (const [paths, keys, speaksOf, hashes] of [
    [[], [], null, null],
    [['/a', '/b'], [], null, ['a', 'b']],
    [['/a', '/gone'], [], null, ['a']],
    [[], ['/b'], null, ['b']],
    [[], ['b'], null, ['b']],
    [['/a', '/b'], ['/b'], null, ['b']],
    // The same content by another of its paths.
    [['/copy'], ['/a'], null, ['a']],
    [['/a'], [], ['/copy'], ['a']],
    [['/a'], [], ['b'], []],
    [[], [], [], []],
    // Named but not analysed: inside the scope, and nothing to find.
    [['/gone'], ['/gone'], null, []],
  ] as const) {
    const segments = Object.fromEntries(keys.map((key) => [key, [range(0, 1)]]));
    const entries = speaksOf?.map((path) => ({ path, hash: null })) ?? null;
    const found = narrow(paths, segments, entries, [], known);
    assert.deepEqual(found.scope.hashes, hashes, JSON.stringify([paths, keys, speaksOf]));
  }
  const twice = narrow([], { '/a': [range(0, 1)], '/copy': [range(5, 6)] }, null, [], known);
  assert.deepEqual(twice.scope.ranges, {
    a: [
      [0, 1],
      [5, 6],
    ],
  });
  const told = narrow(['/gone', '/stored', '/a'], {}, null, [], known);
  assert.deepEqual([told.missing, told.unloaded], [['/gone'], ['/stored']]);
});

test('the path that was asked for is the one that is answered, of copies the one whose range it is', () => {
  const entry = (path: string, hash: string | null = null) => ({ path, hash });
  for (const [paths, segments, speaksOf, at, answered] of [
    [['/copy'], {}, null, 0, ['/copy']],
    [['/copy', '/a'], {}, null, 0, ['/copy', '/a']],
    // Ranges alone name their files, and a hash names none.
    [[], { '/copy': [range(0, 5)] }, null, 3, ['/copy']],
    [[], { '/a': [range(0, 5)], '/copy': [range(5, 9)] }, null, 3, ['/a', '/copy']],
    [[], { '/a': [range(0, 5)], '/copy': [range(5, 9)] }, null, 5, ['/copy', '/a']],
    [['/a', '/copy'], { '/copy': [range(5, 9)] }, null, 5, ['/copy', '/a']],
    [['/a'], { '/copy': [range(5, 9)] }, null, 5, ['/a']],
    [[], {}, [entry('/copy')], 0, ['/copy']],
    [[], {}, [entry('/copy', '/a')], 0, ['/copy']],
  ] as const) {
    const ranges = Object.fromEntries(Object.entries(segments).map(([key, pairs]) => [key, [...pairs]]));
    const { requested } = narrow(paths, ranges, speaksOf, [], known);
    assert.deepEqual(
      requestedPaths(requested, 'a', [at, at + 1]),
      answered,
      JSON.stringify([paths, segments, at]),
    );
  }
  assert.deepEqual(
    requestedPaths(narrow([], { b: [range(0, 1)] }, null, [], known).requested, 'b', [0, 1]),
    [],
  );
});

test('the scope of a filter request limits a search without any filter too, and one that names nothing does not', async () => {
  const resolve = async (_: string, { names }: { names: string[] }) => ({
    hashes: names.map((name) => known.get(name)?.hash ?? null),
    loaded: names.map((name) => known.get(name)?.loaded ?? false),
  });
  const parts = { index: { ask: resolve } } as unknown as Parameters<typeof findScope>[0];
  const none = { mode: 'paths', media_type: 'any', media_paths: [], hash_strs: [] } as const;
  for (const [scope, hashes] of [
    [{ media_paths: ['/a'] }, ['a']],
    [{ hash_strs: ['b'] }, ['b']],
    [{}, null],
    [{ mode: 'global' }, null],
    [{ media_type: 'visual' }, null],
    [{ media_type: 'speech' }, []],
    [{ mode: 'global', media_type: 'speech' }, []],
  ] as const) {
    const whole = { ...none, ...scope } as unknown as FilterScope;
    const request = { cache_dir: '/c', media_paths: [], search_all: false, ranges: {} };
    const options = { ...request, metadata_filter_request: { scope: whole, filters: [] } };
    const searched = { model_key: 'm', field: 'segments_to_frame_indices' };
    const found = await findScope(parts, options, searched, undefined);
    assert.deepEqual(found.scope.hashes, hashes, JSON.stringify(scope));
  }
});

test('a key outside of what is searched is refused: not named, not loaded, or not known', () => {
  for (const [paths, key] of [
    [['/a'], '/b'],
    [[], '/stored'],
    [[], '/gone'],
    [[], '__proto__'],
  ] as const) {
    const segments = Object.fromEntries([[key, [range(0, 1)]]]);
    assert.throws(() => narrow(paths, segments, null, [], known), scopeErrors.UNKNOWN_MEDIA.is, key);
  }
});

const flat: FacetRequest = {
  cache_dir: '/cache',
  media_type: 'any',
  search_all: false,
  media_paths: [],
  hash_strs: [],
  filters: [],
};
const scoped = (scope: Partial<FilterScope>): FacetRequest => ({
  ...flat,
  scope: { mode: 'paths', media_type: 'any', media_paths: [], hash_strs: [], ...scope },
});

test('the scope of facets is the one that is given, or what the flat fields say', () => {
  const global = { mode: 'global', media_type: 'visual', model_key: 'm' };
  for (const [request, scope] of [
    [
      { ...flat, media_paths: ['/a', '/b'] },
      { mode: 'paths', hashes: [null, null] },
    ],
    [
      { ...flat, media_paths: ['/a', '/b'], hash_strs: ['a', ''] },
      { mode: 'paths', hashes: ['a', null] },
    ],
    [
      { ...flat, hash_strs: ['a'] },
      { mode: 'paths', hashes: ['a'] },
    ],
    [{ ...flat, search_all: true, media_type: 'visual' }, global],
    [scoped({ hash_strs: ['a'] }), { mode: 'paths', hashes: ['a'] }],
    [
      { ...scoped({ hash_strs: ['a'] }), search_all: true },
      { mode: 'paths', hashes: ['a'] },
    ],
    [scoped({ mode: 'global', media_type: 'visual' }), global],
  ] as const) {
    assert.deepEqual(facetScope(request as FacetRequest, 'm').scope, scope, JSON.stringify(request));
  }
  assert.equal(facetScope(scoped({ expected_count: 9 }), null).expected, 9);
});

test('a scope that does not fit together is refused by the name of its field', () => {
  for (const [request, field] of [
    [{ ...flat, media_paths: ['/a'], hash_strs: ['a', 'b'] }, 'hash_strs'],
    [scoped({ media_paths: ['/a', '/b'], hash_strs: ['a'] }), 'scope.hash_strs'],
  ] as const) {
    assert.throws(() => facetScope(request as FacetRequest, null), fieldOf(field), field);
  }
});

const size: MetadataFilter = { facet_id: 'file.size_class', operator: 'is_any_of', values: ['under_10mb'] };

test('the answer tells coverage against what was expected, and warns of what is missing, damaged or cut short', () => {
  const report: FacetReport = { facets: [], scope_count: 3, indexed_count: 3, unreadable: [], shortened: [] };
  const paths: RequestedScope = { scope: { mode: 'paths', hashes: [] }, expected: 0 };
  assert.deepEqual(facetAnswer(report, paths, [size, { ...size, facet_id: 'camera.movement' }]), {
    success: true,
    facets: [],
    coverage: { scope_count: 3, indexed_count: 3, missing_count: 0 },
    active_filter_count: 2,
    warning: 'Filters were ignored, because their facets no longer exist: camera.movement',
  });
  const short = facetAnswer(
    { ...report, indexed_count: 2, unreadable: ['aa'], shortened: ['file.folder'] },
    { ...paths, expected: 10 },
    [],
  );
  assert.deepEqual(short.coverage, { scope_count: 10, indexed_count: 2, missing_count: 8 });
  assert.match(short.warning ?? '', /7 of 10 files.*aa.*file\.folder/);
  const hashless: RequestedScope = { scope: { mode: 'paths', hashes: [null, 'a'] }, expected: 0 };
  assert.match(
    facetAnswer({ ...report, indexed_count: 2 }, hashless, []).warning ?? '',
    /1 paths were sent without a hash/,
  );
  const none: RequestedScope = { scope: { mode: 'global', media_type: 'any', model_key: null }, expected: 0 };
  assert.match(
    facetAnswer({ ...report, scope_count: 0, indexed_count: 0 }, none, []).warning ?? '',
    /loaded/,
  );
});

test('a word with a minus is excluded, and a dash elsewhere is none', () => {
  const read = (query: string, exclude: readonly string[] = []) => {
    const { query: rest, exclude: all } = withExclusions({ query, exclude });
    return [rest, ...all];
  };
  assert.deepEqual(read('car -person'), ['car', 'person']);
  assert.deepEqual(read('red car –dog −"black cat", snow', ['dog']), ['red car , snow', 'dog', 'black cat']);
  assert.deepEqual(read('Haus -Straße.'), ['Haus .', 'Straße']);
  assert.deepEqual(read('-person -car'), ['no person, no car'], 'what does not show them');
  for (const same of ['x-ray', 'Vor- und Nachteile', 'a - b', '-5 degrees', 'a -- b', 'take -2'])
    assert.deepEqual(read(same), [same]);
});
