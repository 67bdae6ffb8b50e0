import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { PeopleFilter, PersonRef } from '../../../../actors/index/people/contract.ts';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { stepFaces } from '../../../../actors/index/people/loaded-job.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import type { ThingTerm } from '../../../../actors/index/things/contract.ts';
import type { VisualScope } from '../../../../actors/index/visual/contract.ts';
import { loadInSteps } from '../../../../actors/search/loaded-data.ts';
import type { ThingTrack } from '../../../../actors/things/tracks.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, seeded } from '../footage.ts';
import { everything, type Harness, indexActor, someFootage, store } from '../handlers.ts';
import { FakeClusterings, type FakeFace } from './clusterings.ts';

const model_key = 'model';
const cast: FakeFace[] = [
  ['aa', 2, 'c1'],
  ['aa', 3, 'c1'],
  ['aa', 3, 'c2'],
  ['aa', 10, 'c2'],
  ['bb', 0, 'c2'],
  ['bb', 1, null],
];
const names = { c1: 'Anna', c2: 'Ben' };
const anna: PersonRef = { cluster_job_name: 'cast', person_name: 'Anna' };
const ben: PersonRef = { cluster_job_name: 'cast', person_name: 'Ben' };

/** Two films of 16 s and a still are loaded, with the people who are seen in them. */
async function loaded(t: TestContext) {
  const clusterings = new FakeClusterings();
  clusterings.store('cast', cast, names);
  const [index, cache_dir] = [await indexActor(t, { clusterings: () => clusterings }), temporaryFolder(t)];
  await store(index, cache_dir, 'aa', someFootage(16, 1));
  await store(index, cache_dir, 'bb', someFootage(16, 2));
  await store(index, cache_dir, 'ee', someFootage(1, 3));
  await index.load({ cache_dir, model_key, hashes: null });
  const load = () => loadPeople(index, cache_dir);
  await load();
  const find = async (
    people: readonly PersonRef[],
    mode: PeopleFilter['mode'] = 'and',
    scope: VisualScope = everything,
  ) => {
    const text = someFootage(1, 9);
    const { matches, people_twice } = await index.call('search', {
      ...{ cache_dir, model_key, text, picture: null, text_weight: 1, exclude: null },
      ...{ scope, max_results: 100, people: { mode, people: [...people] } },
    });
    // One match a scene: what is found is told by scenes, and each frame by searching it alone.
    return {
      frames: matches.map(({ hash_str, frame_index }) => `${hash_str}${frame_index}`).sort(),
      people_twice,
    };
  };
  /** Every frame that a search may look at. */
  const allowed = async (people: readonly PersonRef[], mode: PeopleFilter['mode'] = 'and') => {
    const found: string[] = [];
    for (const hash of ['aa', 'bb', 'ee'])
      for (let frame = 0; frame < 16; frame++) {
        const scope = {
          hashes: [hash],
          ranges: { [hash]: [[frame, frame + 1] as [number, number]] },
          filters: [],
        };
        found.push(...(await find(people, mode, scope)).frames);
      }
    return found;
  };
  return { index, cache_dir, clusterings, load, find, allowed };
}

function loadPeople(index: Harness, cache_dir: string) {
  return loadInSteps(
    (load) => index.call('load_people', { cache_dir, load }),
    () => {},
  );
}

test('only frames that show all of them are searched, or any of them', async (t) => {
  const { allowed } = await loaded(t);
  assert.deepEqual(await allowed([anna]), ['aa2', 'aa3']);
  assert.deepEqual(await allowed([anna, ben]), ['aa3']);
  assert.deepEqual(await allowed([anna, ben], 'or'), ['aa2', 'aa3', 'aa10', 'bb0']);
  assert.deepEqual(await allowed([{ cluster_id: 'c2' }]), ['aa3', 'aa10', 'bb0']);
});

test('people, files and ranges all have to hold, and one without faces has no match', async (t) => {
  const { find } = await loaded(t);
  const within = (hashes: string[] | null, ranges: Record<string, [number, number][]> = {}) =>
    find([ben], 'and', { hashes, ranges, filters: [] });
  assert.deepEqual((await within(['bb'])).frames, ['bb0']);
  assert.deepEqual((await within(['aa'], { aa: [[4, 16]] })).frames, ['aa10']);
  assert.deepEqual((await within(null, { aa: [[4, 9]], bb: [[0, 1]] })).frames, ['bb0']);
  assert.deepEqual((await within(['ee'])).frames, []);
});

test('of frames scattered over the films the best of each scene is found, and none beside them', async (t) => {
  const { clusterings, find } = await loaded(t);
  const everywhere = await find([anna, ben], 'or');
  assert.ok(everywhere.frames.length > 0);
  const random = seeded(5);
  for (let round = 0; round < 20; round++) {
    const faces = ['aa', 'bb'].flatMap((hash) =>
      Array.from({ length: 16 }, (_, frame): FakeFace => [hash, frame, random() < 0.3 ? 'c1' : null]),
    );
    clusterings.store('cast', faces, names);
    const shown = faces.flatMap(([hash, frame, id]) => (id === null ? [] : [`${hash}${frame}`]));
    const { frames } = await find([{ cluster_id: 'c1' }]);
    assert.deepEqual(
      frames.filter((one) => !shown.includes(one)),
      [],
    );
    // Two shots of eight frames in each film.
    const shots = (list: readonly string[]) =>
      new Set(list.map((one) => `${one.slice(0, 2)} ${Math.floor(Number(one.slice(2)) / 8)}`));
    assert.deepEqual([...shots(frames)].sort(), [...shots(shown)].sort());
  }
});

test('things are found only where the people are seen, and whoever is recognized is a person', async (t) => {
  const { index, cache_dir } = await loaded(t);
  const track = (name: ThingTrack['class'], start: number, end: number): ThingTrack => {
    return { class: name, start, end, best: start, score: 0.8, box: [0, 0, 0.5, 0.5], colours: [] };
  };
  const tracks = [track('tie', 1, 3), track('person', 9, 11), track('dog', 3, 9)];
  const film = mediaRecord('aa');
  const media = { ...film, probe: { ...film.probe, grid_frames: 16 } };
  const found = { type: 'things' as const, items: tracks };
  await index.call('store_result', { cache_dir, media, model_key: 'm', found, from_previews: false });
  const any = { colours: [], place: null, size: null, shot: null, negated: false };
  const term = (name: ThingTrack['class'], least = 1): ThingTerm => {
    return { ...any, classes: [name], count: { least, most: null } };
  };
  const within = async (terms: ThingTerm[], people: PersonRef[], scope: VisualScope = everything) => {
    const request = { cache_dir, model_key: null, terms, scope, people: { mode: 'and' as const, people } };
    const limits = { max_per_media: null, max_results: 100 };
    const found = await index.call('find_things', { ...request, ...limits });
    return { ...found, frames: found.ranges.aa ?? [] };
  };
  assert.deepEqual((await within([term('tie')], [anna])).frames, [[2, 3]]);
  assert.deepEqual((await within([term('tie')], [ben])).matches, []);
  assert.deepEqual((await within([term('person')], [ben])).frames, [
    [3, 4],
    [10, 11],
  ]);
  const noDog = { ...term('dog'), negated: true };
  assert.deepEqual((await within([noDog], [anna])).frames, [[2, 3]]);
  assert.deepEqual((await within([term('person', 2)], [anna])).frames, [], 'two are more than one');
  const late = { hashes: null, ranges: { aa: [[4, 16] as [number, number]] }, filters: [] };
  assert.deepEqual((await within([term('person')], [ben], late)).frames, [[10, 11]]);
  const twice = await within([term('tie')], [anna, { cluster_id: 'c1' }]);
  assert.deepEqual([twice.matches, twice.people_twice], [[], ['Anna']]);
  const nobody = [{ cluster_job_name: 'cast', person_name: 'Nobody' }];
  await assert.rejects(within([term('tie')], nobody), peopleErrors.UNKNOWN_PERSON.is);
});

test('the same person asked for twice matches nothing, which is told', async (t) => {
  const { find } = await loaded(t);
  const twice = await find([anna, { cluster_id: 'c1' }]);
  assert.deepEqual(twice, { frames: [], people_twice: ['Anna'] });
  const either = await find([anna, anna], 'or');
  assert.equal(either.people_twice, undefined);
  assert.notDeepEqual(either.frames, []);
});

test('a still is searched by the people in it', async (t) => {
  const { clusterings, allowed } = await loaded(t);
  clusterings.store('still', [['ee', 0, 's1']], { s1: 'Cleo' });
  assert.deepEqual(await allowed([{ person_name: 'Cleo' }]), ['ee0']);
});

test('what is renamed, clustered again, made or removed is searched at once, without a load', async (t) => {
  const { clusterings, allowed, find } = await loaded(t);
  clusterings.store('cast', cast, { c1: 'Anna', c2: 'Benedict' });
  await assert.rejects(find([ben]), peopleErrors.UNKNOWN_PERSON.is);
  assert.deepEqual(await allowed([{ ...ben, person_name: 'Benedict' }]), ['aa3', 'aa10', 'bb0']);
  clusterings.store('cast', [['aa', 7, 'c1']], names);
  assert.deepEqual(await allowed([anna]), ['aa7']);
  clusterings.store('crew', [['bb', 5, 'd1']], { d1: 'Dora' });
  assert.deepEqual(await allowed([{ person_name: 'Dora' }]), ['bb5']);
  clusterings.remove('cast');
  await assert.rejects(find([anna]), /no face clustering named cast/);
});

test('a clustering is read again only when it changed', async (t) => {
  const { clusterings, find, load } = await loaded(t);
  assert.deepEqual(clusterings.reads, ['cast']);
  await find([anna]);
  await load();
  assert.deepEqual(clusterings.reads, ['cast']);
  clusterings.store('cast', cast, { c1: 'Anna' });
  await find([anna]);
  await find([anna]);
  assert.deepEqual(clusterings.reads, ['cast', 'cast']);
});

test('a load counts clusterings, faces and people, and leaves a damaged one out and names it', async (t) => {
  const { index, cache_dir, clusterings, load, find } = await loaded(t);
  const { load: _, ...report } = await load();
  const counts = { jobs: 1, faces: 6, people: 2, named: 2 };
  assert.deepEqual(report, { done: true, ...counts, unreadable: [] });
  clusterings.store(
    'other',
    [
      ['aa', 1, 'x'],
      ['aa', 2, 'y'],
      ['aa', 3, 'z'],
    ],
    { x: 'Eve', y: 'Eve' },
  );
  clusterings.store('bad', [['aa', 1, 'x']]);
  clusterings.damage('bad');
  const { load: __, ...more } = await load();
  assert.deepEqual(more, { done: true, jobs: 2, faces: 9, people: 4, named: 3, unreadable: ['bad'] });
  assert.ok(index.lines.some(({ message }) => message === 'Face clusterings cannot be read'));
  await assert.rejects(
    find([{ cluster_job_name: 'bad', cluster_id: 'x' }]),
    /bad is damaged; cluster its media again/,
  );
  assert.deepEqual((await find([anna])).people_twice, undefined);
  clusterings.put({ ...clusterings.readClusters('cast')!, name: 'bad', version: 99 });
  assert.equal((await loadPeople(index, cache_dir)).unreadable.length, 0);
});

test('columns that do not fit together are damage', async (t) => {
  const { clusterings, load } = await loaded(t);
  const whole = clusterings.readClusters('cast')!;
  clusterings.put({ ...whole, name: 'short', frames: whole.frames.slice(1) });
  clusterings.put({ ...whole, name: 'wild', clusters: whole.clusters.map(() => 7) });
  assert.deepEqual((await load()).unreadable, ['short', 'wild']);
});

test('nothing is searched by people before they are loaded, nor by those of another folder', async (t) => {
  const clusterings = new FakeClusterings();
  clusterings.store('cast', cast, names);
  const [index, cache_dir, other] = [
    await indexActor(t, { clusterings: () => clusterings }),
    temporaryFolder(t),
    temporaryFolder(t),
  ];
  await store(index, cache_dir, 'aa', someFootage(8, 1));
  await index.load({ cache_dir, model_key, hashes: null });
  const ask = () =>
    index.call('resolve', {
      cache_dir,
      model_key,
      names: [],
      filters: [],
      people: { mode: 'or', people: [anna] },
    });
  await assert.rejects(ask(), storeErrors.NOT_LOADED.is);
  await loadPeople(index, cache_dir);
  await ask();
  await loadPeople(index, other);
  await assert.rejects(ask(), storeErrors.NOT_LOADED.is);
});

test('a large clustering is put in order over several steps, between which others are asked for', async (t) => {
  const { index, cache_dir, clusterings, allowed } = await loaded(t);
  const faces = 2 * stepFaces + 10;
  clusterings.put({
    ...{ name: 'large', version: 50, hashes: ['aa'], cluster_ids: ['x', 'y'], names: ['', 'Yves'] },
    ids: new Uint8Array(faces * 16),
    media: new Uint32Array(faces),
    frames: Uint32Array.from({ length: faces }, (_, i) => i),
    clusters: Int32Array.from({ length: faces }, (_, i) => (i % 5 === 4 ? 1 : 0)),
  });
  let steps = 0;
  await loadInSteps(
    async (load) => {
      const step = await index.call('load_people', { cache_dir, load });
      steps++;
      if (!step.done) assert.deepEqual(await allowed([anna]), ['aa2', 'aa3']);
      return step;
    },
    () => {},
  );
  // One to read it, three to count and three to sort its faces.
  assert.equal(steps, 7);
  assert.deepEqual(await allowed([{ person_name: 'Yves' }]), ['aa4', 'aa9', 'aa14']);
});
