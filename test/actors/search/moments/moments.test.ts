// A search of moments asks little of the index, and who gives it up leaves nothing behind that goes on.
import assert from 'node:assert/strict';
import test from 'node:test';
import { MomentsRequest } from '../../../../actors/search/moments/contract.ts';
import { createMoments } from '../../../../actors/search/moments/moments.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { filled } from '../../../filled.ts';

const request = filled(MomentsRequest, {
  cache_dir: '/analysis',
  query: 'Ann says red',
  search_all: true,
  limit: 10,
});

type Asked = (name: string, signal: AbortSignal | undefined, asked: Record<string, unknown>) => unknown;

/** Everything is loaded; what the index is asked is answered by `input`. */
function moments(input: Asked) {
  const within = async (_: unknown, work: () => unknown) => work();
  const loaded = {
    within,
    settled: async () => {},
    require: async () => {},
    isLoaded: () => true,
    damaged: [],
    outdated: { hashes: [], count: 0 },
  };
  const ask = async (
    name: string,
    request: Record<string, unknown>,
    { signal }: { signal?: AbortSignal } = {},
  ) => input(name, signal, request);
  const state = { model_key: 'model', fallback_from: null };
  const open = async () => ({ model_key: 'model', dimensions: 4 });
  return createMoments({
    index: { ask },
    textEmbedder: {
      ask: async (_: string, request: Record<string, unknown>, { signal }: { signal?: AbortSignal }) =>
        input('texts', signal, request),
    },
    models: { state, active: () => 'model', open },
    visual: loaded,
    transcripts: loaded,
    people: loaded,
  } as never);
}

test('a search that is given up ends every question that it asked', async () => {
  const leaving = new AbortController();
  const going = new Set<string>();
  const all = new Set<string>();
  const { promise: underWay, resolve } = Promise.withResolvers<void>();
  const input: Asked = (name, signal) => {
    if (name === 'people_named') {
      return {
        people: [{ name: 'Ann', clusters: [{ cluster_job_name: 'Cast', cluster_id: 'c1' }] }],
        ...{ excluded: [], parts: [], remainder: 'red' },
      };
    }
    assert.ok(signal, `${name} can be given up`);
    // Pictures are searched where the people are seen.
    if (name === 'seen_in_scenes') return { matches: [] };
    going.add(name);
    all.add(name);
    if (all.size === 5) resolve();
    return new Promise((_, reject) => {
      const end = () => {
        going.delete(name);
        reject(engineErrors.CANCELLED());
      };
      signal.addEventListener('abort', end, { once: true });
    });
  };
  const search = moments(input).search(request, leaving.signal);
  await Promise.race([underWay, search]);
  assert.equal(going.size, 5, [...all].join());
  leaving.abort();
  await assert.rejects(search, engineErrors.CANCELLED.is);
  assert.deepEqual([...going], []);
});

test('one kind that fails ends the questions of the others', async () => {
  const going = new Set<string>();
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  const input: Asked = (name, signal) => {
    if (name === 'people_named') return { people: [], excluded: [], parts: [], remainder: 'red' };
    if (name === 'search_said') return broken;
    going.add(name);
    queueMicrotask(() => fail(new Error('broken')));
    return new Promise((_, reject) => {
      const end = () => {
        going.delete(name);
        reject(engineErrors.CANCELLED());
      };
      signal?.addEventListener('abort', end, { once: true });
    });
  };
  await assert.rejects(moments(input).search(request, new AbortController().signal), /broken/);
  assert.deepEqual([...going], []);
});

/** What the index answers about files that nobody moved; `lists` answers the searches. */
const library =
  (lists: Asked): Asked =>
  (name, signal, asked) => {
    const { paths = [], hashes = [] } = asked as { readonly paths?: string[]; readonly hashes?: string[] };
    if (name === 'people_named') return { people: [], excluded: [], parts: [], remainder: 'red' };
    if (name === 'media_named' || name === 'speakers_named') return { matches: [] };
    if (name === 'search_written') return { done: true, matches: [], media: 0, unreadable: [] };
    if (name === 'scenes') return { lists: hashes.map(() => null) };
    if (name === 'find') return { by_path: paths.map(() => null), by_hash: hashes.map(() => null) };
    if (name === 'places') return { contents: hashes.map(() => ({ last: null, paths: [] })), records: [] };
    return lists(name, signal, asked);
  };

test('a library that was written anew is asked about in a few rounds, however few are wanted', async () => {
  const [anew, same] = [import.meta.filename, import.meta.dirname];
  const said = (hash_str: string, path: string) => ({
    hash_str,
    path,
    start_seconds: 1,
    end_seconds: 2,
    text: 'red',
  });
  const matches = [
    ...Array.from({ length: 1000 }, (_, i) => said(`anew-${i}`, anew)),
    ...Array.from({ length: 1000 }, (_, i) => said(`same-${i}`, same)),
  ];
  let rounds = 0;
  const found = library(() => ({ matches, media: 2000 }));
  const input: Asked = (name, signal, request) => {
    if (name !== 'places') return found(name, signal, request);
    rounds++;
    const { hashes } = request as { readonly hashes: string[] };
    const contents = hashes.map(() => ({ last: null, paths: [] }));
    return { contents, records: [[anew, { identity: { hash_str: 'another' } }]] };
  };
  const options: MomentsRequest = { ...request, query: 'red', kinds: ['said'], limit: 2 };
  const { moments: shown } = await moments(input).search(options);
  assert.deepEqual(
    shown.map(({ hash_str }) => hash_str),
    ['same-0', 'same-1'],
  );
  assert.ok(rounds <= 10, `${rounds}`);
});

test('with one of each film, what is spoken of is joined by its picture, though another is more alike', async () => {
  const media = { hash_str: 'aa', path: import.meta.dirname };
  const seen = [
    { ...media, frame_index: 1, scene_start: 0, scene_end: 5, original_index: 0 },
    { ...media, frame_index: 6, scene_start: 5, scene_end: 8, original_index: 1 },
  ];
  const input = library((name, _, { max_per_media = seen.length }) => {
    if (name === 'search') return { matches: seen.slice(0, max_per_media as number), searched: 8 };
    if (name === 'search_said')
      return { matches: [{ ...media, start_seconds: 6, end_seconds: 7, text: 'red' }], media: 1 };
    return { vectors: new Float32Array(4), unknown_words: [[]], known_words: [[]], understood: [true] };
  });
  const { moments: shown } = await moments(input).search({ ...request, query: 'red', max_per_media: 1 });
  const told = shown.map(({ time_seconds, reasons }) => [time_seconds, reasons.map(({ kind }) => kind)]);
  assert.deepEqual(told, [[6, ['said', 'seen']]]);
});

test('filters alone ask the index for what they select, and for nothing else that is searched', async () => {
  const asked = new Set<string>();
  const film = import.meta.filename;
  const input = library((name, _, { people, scope, transcripts }) => {
    asked.add(name);
    if (name === 'ready_facets') return { done: true };
    if (name === 'resolve') return { hashes: [], loaded: [] };
    assert.equal(name, 'selected');
    assert.deepEqual((scope as { filters: unknown }).filters, filters.filters);
    assert.equal(transcripts, true);
    const one = { hash_str: 'aa', path: film, scene: null };
    return people === undefined
      ? { matches: [{ ...one, frames: [0, 16], seconds: [0, 16], people: [] }], people_twice: [] }
      : {
          matches: [{ ...one, frames: [3, 5], seconds: [3, 5], scene: [0, 80], people: [0] }],
          people_twice: [],
        };
  });
  const filters = {
    filters: [{ facet_id: 'file.extension', operator: 'is_any_of' as const, values: ['ts'] }],
  };
  const alone = { ...request, query: ' ', metadata_filter_request: filters };
  const { moments: whole, counts } = await moments(input).search(alone);
  const told = whole.map((one) => [one.time_seconds, one.start_seconds, one.end_seconds, one.reasons]);
  assert.deepEqual([told, counts.person], [[[0, 0, 16, []]], 0]);
  const people_filter = [{ person_name: 'Ann', cluster_job_name: 'Cast' }];
  const { moments: scenes } = await moments(input).search({ ...alone, people_filter });
  // A long scene counts by half minutes.
  assert.deepEqual([scenes[0]!.start_seconds, scenes[0]!.end_seconds], [0, 30]);
  assert.deepEqual(scenes[0]!.reasons, [
    {
      kind: 'person',
      rank: 1,
      name: 'Ann',
      cluster_id: '',
      cluster_job_name: 'Cast',
      start_seconds: 3,
      end_seconds: 5,
    },
  ]);
  assert.deepEqual([...asked].sort(), ['ready_facets', 'resolve', 'selected']);
  await assert.rejects(moments(input).search({ ...request, query: ' ' }), /query: give a query/);
});

test('what is excluded from things ranks them by its opposite', async () => {
  const media = { hash_str: 'aa', path: import.meta.filename };
  const match = { ...media, frame_index: 3, scene_start: 0, scene_end: 9, original_index: 0, score: 0.8 };
  const asked: string[][] = [];
  const input: Asked = (name, signal, request) => {
    if (name === 'people_named') return { people: [], excluded: [], parts: [], remainder: request['text'] };
    if (name === 'resolve') return { hashes: [], loaded: [] };
    if (name === 'search_said') return { matches: [], media: 0 };
    if (name === 'find_things') return { done: true, matches: [match], ranges: { aa: [[3, 4]] }, looked: 1 };
    if (name === 'search') return { matches: [match], unsearched: 0 };
    if (name !== 'texts') return library(() => assert.fail(name))(name, signal, request);
    const texts = request['texts'] as string[];
    asked.push(texts);
    const each = texts.map((text) => text.replace('not ', ''));
    return {
      vectors: new Float32Array(4 * texts.length),
      unknown_words: each.map((text) => (text === 'red' ? [] : [text])),
      known_words: each.map((text) => (text === 'red' ? ['red'] : [])),
      understood: each.map((text) => text === 'red'),
    };
  };
  const { moments: shown } = await moments(input).search({ ...request, query: 'car -red' });
  assert.equal(shown.length, 1);
  assert.deepEqual(asked[1], ['not red', 'red']);
});

test('what detectors have seen is found among the people asked for, though no vector understands the words', async () => {
  const media = { hash_str: 'aa', path: import.meta.filename };
  const match = { ...media, frame_index: 3, scene_start: 0, scene_end: 9, original_index: 0, score: 0.8 };
  const asked: unknown[] = [];
  const answers: Readonly<Record<string, unknown>> = {
    resolve: { hashes: [], loaded: [] },
    things_at: { seen: [[]] },
    search_said: { matches: [], media: 0 },
    texts: {
      vectors: new Float32Array(4),
      unknown_words: [['person']],
      known_words: [[]],
      understood: [false],
    },
  };
  const input: Asked = (name, signal, request) => {
    if (name === 'people_named') return { people: [], excluded: [], parts: [], remainder: request['text'] };
    if (name !== 'find_things')
      return answers[name] ?? library(() => assert.fail(name))(name, signal, request);
    const { terms, people } = request as { readonly terms: unknown[]; readonly people: unknown };
    if (terms.length > 0) asked.push(people);
    return { done: true, matches: [match], ranges: { aa: [[3, 4]] }, looked: 1 };
  };
  const people_filter = [{ person_name: 'Ann', cluster_job_name: 'Cast' }];
  for (const query of ['person', 'man', 'tie', 'two people', 'no dog']) {
    const { moments: shown } = await moments(input).search({ ...request, query, people_filter });
    assert.deepEqual(
      shown.map(({ time_seconds, reasons }) => [time_seconds, reasons.map(({ kind }) => kind)]),
      [[3, ['seen']]],
      query,
    );
  }
  assert.deepEqual(new Set(asked.map((people) => JSON.stringify(people))).size, 1);
  assert.deepEqual(asked[0], { mode: 'and', people: people_filter });
});
