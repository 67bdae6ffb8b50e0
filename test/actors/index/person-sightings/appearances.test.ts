import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { filterErrors, type MetadataFilter } from '../../../../actors/index/facets/contract.ts';
import type { PeopleFilter } from '../../../../actors/index/people/contract.ts';
import { hasNamePart, namesInText } from '../../../../actors/index/people/names-in-text.ts';
import { appearancesInScenes, common } from '../../../../actors/index/person-sightings/handlers.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import type { VisualScope } from '../../../../actors/index/visual/contract.ts';
import { loadInSteps } from '../../../../actors/search/loaded-data.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { record } from '../facets/media.ts';
import { everything, indexActor, someFootage, store } from '../handlers.ts';
import { FakeClusterings } from '../people/clusterings.ts';
import { cluster, storeFaces } from '../people/faces.ts';

test('faces of people with a name are told for each content, whichever clustering names them', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  await storeFaces(index, cache_dir, 'aa', [[1], [1, 2], [], [2]]);
  await storeFaces(index, cache_dir, 'bb', [[2]]);
  const of = async (job: string) => (await cluster(index, cache_dir, ['aa', 'bb'], {}, job)).cluster_ids;
  // The largest first.
  const [ben, ann] = (await of('first')) as [string, string];
  await of('second');
  const name = (cluster_job_name: string, cluster_id: string, to: string) =>
    index.call('name_clusters', { cache_dir, cluster_job_name, assignments: [{ cluster_id, name: to }] });
  const named = async (...hashes: string[]) => {
    const { people, unreadable } = await index.call('named_faces', { cache_dir, hashes });
    assert.deepEqual(unreadable, []);
    return people.map((all) => all.map((one) => [one.name, one.faces.map(({ frame }) => frame)]));
  };
  assert.deepEqual(await named('aa', 'bb', 'cc'), [[], [], []]);
  await name('first', ann, 'Ann');
  await name('first', ben, 'Ben');
  assert.deepEqual(await named('bb', 'aa'), [
    [['Ben', [0]]],
    [
      ['Ann', [0, 1]],
      ['Ben', [1, 3]],
    ],
  ]);
  // One face that two clusterings call by different names has both.
  await name('second', ben, 'Benjamin');
  assert.deepEqual(await named('bb'), [
    [
      ['Ben', [0]],
      ['Benjamin', [0]],
    ],
  ]);
  const { people } = await index.call('named_faces', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(
    people[0]![0]!.faces[0]!.box.map((side) => Math.round(side * 1000) / 1000),
    [0.125, 0, 0.1, 0.1],
  );
});

test('people are named by whole words, whatever the case, and the rest is left', () => {
  const names = ['Ann', 'Ann Lee', 'Bob', 'José', 'Jean-Luc'];
  for (const [text, found, remainder] of [
    ['Ann with a red car', ['Ann'], 'a red car'],
    ['a red car and ann', ['Ann'], 'a red car'],
    ["ANN's red car", ['Ann'], 'red car'],
    ['Ann Lee at night', ['Ann Lee'], 'at night'],
    ['Ann and Bob', ['Ann', 'Bob'], ''],
    ['Anna in the rain', [], 'Anna in the rain'],
    ['bob, ann & a dog, running', ['Bob', 'Ann'], 'a dog, running'],
    ['José dances', ['José'], 'dances'],
    ['jean luc on a bridge', ['Jean-Luc'], 'on a bridge'],
    ['and with', [], 'and with'],
    ['', [], ''],
  ] as const) {
    assert.deepEqual(namesInText(text, names), { names: found, excluded: [], parts: [], remainder }, text);
  }
});

test('people are named by some words of a name, unless these say nothing or only count as a whole name', () => {
  const names = [
    'Barack Obama',
    'Michelle Obama',
    'Joe Biden',
    'Ann',
    'Ann Lee',
    "Sinéad O'Connor",
    'Will Brown',
  ];
  for (const [text, found, parts, remainder] of [
    ['Obama', ['Barack Obama', 'Michelle Obama'], ['obama'], ''],
    ['obama in a suit', ['Barack Obama', 'Michelle Obama'], ['obama'], 'in a suit'],
    ['Barack Obama in a suit', ['Barack Obama'], [], 'in a suit'],
    ['Barack and Joe', ['Barack Obama', 'Joe Biden'], ['barack', 'joe'], ''],
    ['Ann', ['Ann'], [], ''],
    ['Lee at night', ['Ann Lee'], ['lee'], 'at night'],
    ['O’Connor sings', ["Sinéad O'Connor"], ['o', 'connor'], 'sings'],
    ['what will they say', [], [], 'what will they say'],
    ['a brown dog', [], [], 'a brown dog'],
    ['Will Brown with a dog', ['Will Brown'], [], 'a dog'],
  ] as const) {
    const wanted = { names: found, excluded: [], parts, remainder };
    assert.deepEqual(namesInText(text, names, new Set(['brown'])), wanted, text);
  }
  assert.deepEqual(
    [
      hasNamePart('Barack Obama', 'obama'),
      hasNamePart('Barack Obama', 'Obama Care'),
      hasNamePart('Ann', 'a'),
    ],
    [true, false, false],
  );
});

test('people after a word such as not, or a minus sign, are excluded', () => {
  const names = ['Barack Obama', 'Joe Biden', 'Ann'];
  for (const [text, found, excluded, remainder] of [
    ['Biden, not Obama', ['Joe Biden'], ['Barack Obama'], ''],
    ['Biden -Obama', ['Joe Biden'], ['Barack Obama'], ''],
    ['Biden but without Obama or Ann', ['Joe Biden'], ['Barack Obama', 'Ann'], ''],
    ['Biden ohne Obama am Strand', ['Joe Biden'], ['Barack Obama'], 'am Strand'],
    ['a beach, no Ann', [], ['Ann'], 'a beach'],
    ['no dog, Ann', ['Ann'], [], 'no dog'],
    ['Jean-Ann', ['Ann'], [], 'Jean'],
  ] as const) {
    const { parts: _, ...told } = namesInText(text, names);
    assert.deepEqual(told, { names: found, excluded, remainder }, text);
  }
});

test('somebody is seen scene by scene, longest first, and pieces by time where there are no scenes', () => {
  const seen = new Map([
    ['aa', Uint32Array.of(2, 4, 6, 7, 9, 15)],
    ['bb', Uint32Array.of(0, 1, 3, 4, 10, 12)],
  ]);
  const scenes = new Map([['aa', Int32Array.of(0, 8, 8, 12, 13, 20)]]);
  const found = appearancesInScenes(seen, ['aa', 'bb'], (hash) => scenes.get(hash) ?? null);
  assert.deepEqual(
    found.map(({ hash, start, end, seconds, scene }) => [hash, start, end, seconds, scene]),
    [
      ['aa', 2, 7, 3, [0, 8]],
      ['aa', 9, 12, 3, [8, 12]],
      ['aa', 13, 15, 2, [13, 20]],
      ['bb', 0, 4, 2, null],
      ['bb', 10, 12, 2, null],
      ['aa', 12, 13, 1, null],
    ],
  );
  assert.deepEqual([...common(Uint32Array.of(0, 5, 8, 9), Uint32Array.of(3, 8, 8, 20))], [3, 5, 8, 9]);
});

const model_key = 'model';

/** Films of 16 s, two of them recorded on different days; and one that is not loaded. */
async function loaded(t: TestContext) {
  const clusterings = new FakeClusterings();
  const cast = [
    ['aa', 2, 'c1'],
    ['aa', 3, 'c1'],
    ['aa', 9, 'c2'],
    ['bb', 5, 'c1'],
    ['cc', 7, 'c2'],
  ] as const;
  clusterings.store('cast', cast, { c1: 'Anna', c2: 'Ben' });
  const [index, cache_dir] = [await indexActor(t, { clusterings: () => clusterings }), temporaryFolder(t)];
  for (const hash of ['aa', 'bb', 'cc', 'dd']) await store(index, cache_dir, hash, someFootage(16, 1));
  const media = { duration_seconds: 15.4, camera_model: 'FX3' };
  for (const one of [
    record('aa', '/f/a.mp4', { ...media, creation_date: '2026-05-12T09:00:00Z' }),
    record('bb', '/f/b.mp4', { ...media, creation_date: '2026-05-13T09:00:00+02:00' }),
    record('cc', '/f/c.mp4', media),
    record('dd', '/e/d.mp4', { duration_seconds: 15.4, camera_model: 'A7' }),
    record('ee', '/e/e.mp4', media),
  ])
    await index.call('remember', { cache_dir, media: one });
  await index.load({ cache_dir, model_key, hashes: null });
  const step = (load: number | null) => index.call('load_people', { cache_dir, load });
  await loadInSteps(step, () => {});
  const select = async (scope: Partial<VisualScope>, people?: PeopleFilter, max_results = 100) => {
    const where = { scope: { ...everything, ...scope }, ...(people && { people }) };
    const asked = { cache_dir, model_key, transcripts: false, max_results, ...where };
    return index.call('selected', asked);
  };
  const told = async (...asked: Parameters<typeof select>) =>
    (await select(...asked)).matches.map(
      ({ hash_str, frames, people }) => `${hash_str} ${frames.join('-')}${people.map((one) => ` p${one}`)}`,
    );
  return { index, cache_dir, select, told };
}

const camera = (...values: string[]): MetadataFilter => ({
  facet_id: 'source.camera_model',
  operator: 'is_any_of',
  values,
});

test('whole media are selected: recorded last first, without a date last, then by path; only what is loaded', async (t) => {
  const { told, select } = await loaded(t);
  assert.deepEqual(await told({ filters: [camera('FX3', 'A7')] }), [
    'bb 0-16',
    'aa 0-16',
    'dd 0-16',
    'cc 0-16',
  ]);
  assert.deepEqual(await told({ filters: [camera('FX3')] }, undefined, 2), ['bb 0-16', 'aa 0-16']);
  const day = { facet_id: 'time.creation_date', operator: 'is_any_of', values: ['2026-05-12'] } as const;
  assert.deepEqual(await told({ filters: [camera('FX3'), { ...day, values: [...day.values] }] }), [
    'aa 0-16',
  ]);
  assert.deepEqual(await told({ hashes: ['aa', 'cc', 'ee'] }), ['aa 0-16', 'cc 0-16']);
  assert.deepEqual((await select({ hashes: ['aa'] })).matches[0]!.path, '/f/a.mp4');
});

test('ranges are matches of their own, within the media and in order of time', async (t) => {
  const { told } = await loaded(t);
  const ranges: VisualScope['ranges'] = {
    aa: [
      [9, 12],
      [2, 4],
      [3, 5],
      [14, 90],
    ],
    bb: [[50, 60]],
  };
  assert.deepEqual(await told({ hashes: ['aa', 'bb'], ranges }), ['aa 2-5', 'aa 9-12', 'aa 14-16']);
});

test('people select the scenes that show them, with which of them it is', async (t) => {
  const { told, select } = await loaded(t);
  const anna = { person_name: 'Anna' };
  const ben = { person_name: 'Ben' };
  assert.deepEqual(await told({}, { mode: 'and', people: [anna] }), ['bb 5-6 p0', 'aa 2-4 p0']);
  assert.deepEqual(await told({ ranges: { aa: [[3, 16]] } }, { mode: 'and', people: [anna] }), [
    'bb 5-6 p0',
    'aa 3-4 p0',
  ]);
  const both = await select({}, { mode: 'or', people: [ben, anna] });
  assert.deepEqual(
    both.matches.map(({ hash_str, people }) => `${hash_str} ${people}`),
    ['bb 1', 'aa 1', 'aa 0', 'cc 0'],
  );
  const twice = await select({}, { mode: 'and', people: [anna, anna] });
  assert.deepEqual([twice.matches, twice.people_twice], [[], ['Anna']]);
});

test('a wrong facet is told with what was probably meant, and so is that nothing is loaded', async (t) => {
  const { index, cache_dir, select } = await loaded(t);
  const nothing = { cache_dir, model_key: 'other', transcripts: false, scope: everything, max_results: 1 };
  await assert.rejects(index.call('selected', nothing), storeErrors.NOT_LOADED.is);
  const wrong = select({ filters: [{ ...camera('FX3'), facet_id: 'source.camera_modl' }] });
  await assert.rejects(wrong, (error: Error) => {
    assert.ok(filterErrors.UNKNOWN_FACET.is(error));
    assert.match(error.message, /did you mean source\.camera_model\?$/);
    return true;
  });
});
