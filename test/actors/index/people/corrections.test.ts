import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { nameErrors } from '../../../../actors/index/people/person-name.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { cluster, people, storeFaces } from './faces.ts';

const cluster_job_name = 'job';

/** Person 1 in four frames, 2 in three, 3 in two, 4 in one. */
async function clustered(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [
    [1, 2, 3],
    [1, 2, 3, 4],
    [1, 2],
  ]);
  await storeFaces(index, cache_dir, 'bb', [[1]]);
  await cluster(index, cache_dir, ['aa', 'bb']);
  return { cache_dir, index, ids: await idsOf(index, cache_dir) };
}

/** Cluster ids by the person most of whose faces they hold. */
async function idsOf(index: Harness, cache_dir: string): Promise<Map<number, string>> {
  const { clusters } = await people(index, cache_dir);
  return new Map(clusters.map(({ cluster_id, shown }) => [Number(shown[0]!.split(' ')[2]), cluster_id]));
}

async function shown(index: Harness, cache_dir: string): Promise<Record<string, string[]>> {
  const { clusters, noise } = await people(index, cache_dir);
  const all = [...clusters, noise].map(({ cluster_id, shown: faces }) => [cluster_id, faces.toSorted()]);
  return Object.fromEntries(all);
}

const modify = (index: Harness, cache_dir: string, asked: { merges?: object[]; moves?: object[] }) =>
  index.call('modify_clusters', { cache_dir, cluster_job_name, merges: [], moves: [], ...asked } as never);

async function entry(index: Harness, cache_dir: string, cluster_id: string, face: string): Promise<string> {
  const { clusters, noise } = await people(index, cache_dir);
  const of = [...clusters, noise].find((one) => one.cluster_id === cluster_id)!;
  return of.entry_ids[of.shown.indexOf(face)]!;
}

const name = (index: Harness, cache_dir: string, names: Record<string, string>) =>
  index.call('name_clusters', {
    cache_dir,
    cluster_job_name,
    assignments: Object.entries(names).map(([cluster_id, given]) => ({ cluster_id, name: given })),
  });

test('a merge and a move hold when the faces are clustered again, by the same and by another distance', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const [one, two, three] = [1, 2, 3].map((person) => ids.get(person)!) as [string, string, string];
  const moved = await entry(index, cache_dir, two, 'aa 0 2');
  const answer = await modify(index, cache_dir, {
    merges: [{ cluster_ids: [three, one] }],
    moves: [{ from_cluster_id: two, to_cluster_id: one, entry_ids: [moved] }],
  });
  assert.deepEqual(answer, {
    merges: [{ target_cluster_id: one, cluster_ids: [three, one], size: 6 }],
    moves: [{ from: two, to: one, moved: 1 }],
    apart: [],
  });
  const corrected = await shown(index, cache_dir);
  assert.equal(corrected[one]!.length, 7);
  for (const eps of [0.2, 0.25]) {
    const { report } = await cluster(index, cache_dir, [], { eps });
    assert.deepEqual([report.kept_corrections, report.conflicts, report.kept_clusters], [2, [], 2]);
    assert.deepEqual(await shown(index, cache_dir), corrected);
  }
});

test('faces that are somebody else make a cluster, which keeps its faces and its name when all are clustered again', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const one = ids.get(1)!;
  const moved = await Promise.all(['aa 0 1', 'bb 0 1'].map((face) => entry(index, cache_dir, one, face)));
  const somebody = { from_cluster_id: one, to_cluster_id: null, entry_ids: moved };
  const answer = await modify(index, cache_dir, { moves: [somebody] });
  const { to, moved: count } = answer.moves[0]!;
  assert.equal(count, 2);
  assert.ok(![...ids.values()].includes(to));
  await name(index, cache_dir, { [to]: 'Ben' });
  const corrected = await shown(index, cache_dir);
  assert.deepEqual(corrected[to], ['aa 0 1', 'bb 0 1']);
  // By the vectors all of them are one person.
  for (const eps of [0.2, 0.25]) {
    const { report } = await cluster(index, cache_dir, [], { eps });
    assert.deepEqual([report.conflicts, report.lost_names], [[], []]);
    assert.deepEqual(await shown(index, cache_dir), corrected);
    assert.deepEqual((await people(index, cache_dir)).job.names, { [to]: 'Ben' });
  }
  await modify(index, cache_dir, { merges: [{ cluster_ids: [one, to] }] });
  await cluster(index, cache_dir, []);
  assert.equal((await shown(index, cache_dir))[to]!.length, 4, 'the later word counts');
});

test('a new cluster stays with its name where the vectors alone find nobody in it', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const three = ids.get(3)!;
  const moved = await entry(index, cache_dir, three, 'aa 0 3');
  const somebody = { from_cluster_id: three, to_cluster_id: null, entry_ids: [moved] };
  const { to } = (await modify(index, cache_dir, { moves: [somebody] })).moves[0]!;
  await name(index, cache_dir, { [to]: 'Ben' });
  // Two faces are nobody now.
  const { report } = await cluster(index, cache_dir, [], { min_samples: 3 });
  assert.deepEqual([report.conflicts, report.lost_names], [[], []]);
  assert.deepEqual((await people(index, cache_dir)).job.names, { [to]: 'Ben' });
  assert.deepEqual((await shown(index, cache_dir))[to], ['aa 0 3']);
});

test('a new cluster has nothing to do with faces that were nobody then', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const one = ids.get(1)!;
  await storeFaces(index, cache_dir, 'cc', [[4]]);
  await cluster(index, cache_dir, ['cc'], { min_samples: 3 });
  const moved = await entry(index, cache_dir, one, 'bb 0 1');
  const somebody = { from_cluster_id: one, to_cluster_id: null, entry_ids: [moved] };
  const { to } = (await modify(index, cache_dir, { moves: [somebody] })).moves[0]!;
  // Person 4 is a cluster from now on.
  await storeFaces(index, cache_dir, 'dd', [[4], [4]]);
  await cluster(index, cache_dir, ['dd'], { min_samples: 3 });
  assert.deepEqual((await shown(index, cache_dir))[to], ['bb 0 1']);
});

test('faces in no cluster join one or make one, and stay there when all are clustered again', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const one = ids.get(1)!;
  // Three of person 3 or fewer are nobody.
  await cluster(index, cache_dir, [], { min_samples: 3 });
  const before = await shown(index, cache_dir);
  assert.deepEqual(before[''], ['aa 0 3', 'aa 1 3', 'aa 1 4']);
  const [first, second, stranger] = await Promise.all(
    ['aa 0 3', 'aa 1 3', 'aa 1 4'].map((face) => entry(index, cache_dir, '', face)),
  );
  const answer = await modify(index, cache_dir, {
    moves: [
      { from_cluster_id: null, to_cluster_id: null, entry_ids: [first, second] },
      { from_cluster_id: null, to_cluster_id: one, entry_ids: [stranger] },
    ],
  });
  const { to } = answer.moves[0]!;
  assert.deepEqual(answer.moves, [
    { from: null, to, moved: 2 },
    { from: null, to: one, moved: 1 },
  ]);
  await name(index, cache_dir, { [to]: 'Ben' });
  const corrected = await shown(index, cache_dir);
  assert.deepEqual([corrected[to], corrected['']], [['aa 0 3', 'aa 1 3'], []]);
  for (const eps of [0.2, 0.25]) {
    const { report } = await cluster(index, cache_dir, [], { eps, min_samples: 3 });
    assert.deepEqual([report.kept_corrections, report.conflicts, report.lost_names], [2, [], []]);
    assert.deepEqual(await shown(index, cache_dir), corrected);
  }
  const again = { from_cluster_id: null, to_cluster_id: to, entry_ids: [stranger] };
  await assert.rejects(modify(index, cache_dir, { moves: [again] }), peopleErrors.UNKNOWN_FACE.is);
  await index.call('undo_clusters', { cache_dir, cluster_job_name }).catch(() => {});
});

test('faces that a person put together stay together where a later distance parts them', async (t) => {
  const { cache_dir, index } = await clustered(t);
  await cluster(index, cache_dir, [], { min_samples: 4 });
  const faces = ['aa 0 2', 'aa 1 4'];
  const entry_ids = await Promise.all(faces.map((face) => entry(index, cache_dir, '', face)));
  const moves = [{ from_cluster_id: null, to_cluster_id: null, entry_ids }];
  await modify(index, cache_dir, { moves });
  // Person 2 is a cluster of the vectors alone.
  const { report } = await cluster(index, cache_dir, [], { min_samples: 3 });
  assert.deepEqual(report.conflicts, []);
  const groups = Object.values(await shown(index, cache_dir));
  assert.equal(groups.filter((group) => faces.every((face) => group.includes(face))).length, 1);
});

test('a new cluster is taken back, its id is given to no other, and a whole cluster is none', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const two = ids.get(2)!;
  const before = await shown(index, cache_dir);
  const moved = await entry(index, cache_dir, two, 'aa 0 2');
  const somebody = { from_cluster_id: two, to_cluster_id: null, entry_ids: [moved] };
  const first = await modify(index, cache_dir, { moves: [somebody] });
  await index.call('undo_clusters', { cache_dir, cluster_job_name });
  assert.deepEqual(await shown(index, cache_dir), before);
  const second = await modify(index, cache_dir, { moves: [somebody] });
  assert.notEqual(second.moves[0]!.to, first.moves[0]!.to);
  const alone = { ...somebody, from_cluster_id: second.moves[0]!.to };
  await assert.rejects(modify(index, cache_dir, { moves: [alone] }), peopleErrors.WRONG_CORRECTION.is);
});

test('names stay with people through merges, undoing, and clustering again', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const [one, two] = [ids.get(1)!, ids.get(2)!];
  await name(index, cache_dir, { [two]: 'Ben 🎬' });
  await modify(index, cache_dir, { merges: [{ cluster_ids: [one, two] }] });
  assert.deepEqual((await people(index, cache_dir)).job.names, { [two]: 'Ben 🎬' });
  await name(index, cache_dir, { [two]: 'Benjamin' });
  await index.close();
  const again = await indexActor(t);
  const { job } = await again.call('undo_clusters', { cache_dir, cluster_job_name });
  assert.deepEqual([job.num_clusters, job.names, job.can_undo], [3, { [two]: 'Benjamin' }, false]);
  await assert.rejects(
    again.call('undo_clusters', { cache_dir, cluster_job_name }),
    peopleErrors.NOTHING_TO_UNDO.is,
  );
  const { report } = await cluster(again, cache_dir, []);
  assert.deepEqual([report.kept_names, report.lost_names], [1, []]);
  assert.deepEqual((await people(again, cache_dir)).job.names, { [two]: 'Benjamin' });
});

test('two people in one cluster lose the name of the rarer one until they are told apart again', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const [one, two] = [ids.get(1)!, ids.get(2)!];
  await name(index, cache_dir, { [one]: 'Ada', [two]: 'Ben' });
  const joined = await cluster(index, cache_dir, [], { eps: 1.9 });
  assert.deepEqual([joined.report.clusters, joined.report.lost_names], [1, ['Ben']]);
  assert.deepEqual(joined.names, ['Ada']);
  const apart = await cluster(index, cache_dir, []);
  assert.deepEqual([apart.report.lost_names, apart.names.toSorted()], [[], ['', 'Ada', 'Ben']]);
  const cleared = await cluster(index, cache_dir, [], { clear_names: true });
  assert.deepEqual(cleared.names, ['', '', '']);
});

test('what contradicts a later correction is told, and the later one holds', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const [one, two, three] = [1, 2, 3].map((person) => ids.get(person)!) as [string, string, string];
  const moved = await entry(index, cache_dir, two, 'aa 0 2');
  const to = (from: string, into: string) => ({
    from_cluster_id: from,
    to_cluster_id: into,
    entry_ids: [moved],
  });
  await modify(index, cache_dir, { moves: [to(two, one)] });
  await modify(index, cache_dir, { moves: [to(one, three)] });
  const { report } = await cluster(index, cache_dir, []);
  assert.deepEqual(
    [report.kept_corrections, report.conflicts],
    [1, [`A face moved from ${two} to ${one} did not stay there; it was moved again later`]],
  );
  assert.ok((await shown(index, cache_dir))[three]!.includes('aa 0 2'));
  await modify(index, cache_dir, { merges: [{ cluster_ids: [one, three], target_cluster_id: three }] });
  const later = await cluster(index, cache_dir, []);
  assert.deepEqual(later.report.conflicts, [
    `A face moved from ${one} to ${three} is together with ${one} again, because both are now one cluster`,
  ]);
});

test('a correction is refused whole when a part of it is wrong, and names the field', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const [one, two, three] = [1, 2, 3].map((person) => ids.get(person)!) as [string, string, string];
  const before = await shown(index, cache_dir);
  const own = await entry(index, cache_dir, two, 'aa 0 2');
  const move = (more: object) => ({
    moves: [{ from_cluster_id: two, to_cluster_id: one, entry_ids: [own], ...more }],
  });
  const { UNKNOWN_CLUSTER, UNKNOWN_FACE, WRONG_CORRECTION } = peopleErrors;
  const cases = [
    [{}, WRONG_CORRECTION, 'merges'],
    [{ merges: [{ cluster_ids: [one, 'c99'] }] }, UNKNOWN_CLUSTER, 'merges[0].cluster_ids[1]'],
    [{ merges: [{ cluster_ids: [one, one] }] }, WRONG_CORRECTION, 'merges[0].cluster_ids'],
    [
      { merges: [{ cluster_ids: [one, two], target_cluster_id: three }] },
      WRONG_CORRECTION,
      'merges[0].target_cluster_id',
    ],
    [move({ to_cluster_id: two }), WRONG_CORRECTION, 'moves[0].to_cluster_id'],
    [move({ to_cluster_id: 'c99' }), UNKNOWN_CLUSTER, 'moves[0].to_cluster_id'],
    [move({ from_cluster_id: three }), UNKNOWN_FACE, 'moves[0].entry_ids[0]'],
    [move({ entry_ids: [own, 'no id'] }), UNKNOWN_FACE, 'moves[0].entry_ids[1]'],
    [
      { merges: [{ cluster_ids: [one, two], target_cluster_id: one }], ...move({}) },
      UNKNOWN_CLUSTER,
      'moves[0].from_cluster_id',
    ],
  ] as const;
  for (const [asked, error, field] of cases) {
    await assert.rejects(modify(index, cache_dir, asked as never), (thrown) => {
      return error.is(thrown) && thrown.details['field'] === field;
    });
  }
  assert.deepEqual(await shown(index, cache_dir), before);
});

test('a name has at most 200 characters, and one that is empty takes the name away', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const one = ids.get(1)!;
  const longest = '😀'.repeat(200);
  assert.deepEqual((await name(index, cache_dir, { [one]: longest })).changes, { [one]: longest });
  await assert.rejects(name(index, cache_dir, { [one]: `${longest}a` }), nameErrors.BAD_NAME.is);
  await assert.rejects(name(index, cache_dir, { [one]: 'A\nnn' }), nameErrors.BAD_NAME.is);
  await assert.rejects(name(index, cache_dir, { [one]: 'x', c99: 'y' }), peopleErrors.UNKNOWN_CLUSTER.is);
  assert.deepEqual((await name(index, cache_dir, { [one]: longest })).changes, {});
  assert.deepEqual((await name(index, cache_dir, { [one]: '' })).changes, { [one]: '' });
  assert.deepEqual((await people(index, cache_dir)).job.names, {});
});

test('what searches read is the clustering as it is, by another number after each change', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  const reading = new Store(cache_dir);
  t.after(() => reading.close());
  const before = reading.people.readClusters('job')!;
  assert.deepEqual(reading.people.clusterings(), ['job']);
  assert.deepEqual([...before.media], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  assert.deepEqual([...before.frames], [0, 0, 0, 1, 1, 1, 1, 2, 2, 0]);
  assert.equal(before.version, reading.people.version('job'));
  await name(index, cache_dir, { [ids.get(2)!]: 'Ben' });
  const after = reading.people.readClusters('job')!;
  assert.notEqual(after.version, before.version);
  assert.equal(after.names[after.cluster_ids.indexOf(ids.get(2)!)], 'Ben');
  assert.deepEqual([after.clusters, reading.people.readClusters('none')], [before.clusters, null]);
});

test('where people are seen is told in ranges of frames', async (t) => {
  const { cache_dir, index, ids } = await clustered(t);
  await name(index, cache_dir, { [ids.get(1)!]: 'Ada' });
  const request = { cache_dir, cluster_job_name };
  const { people: named } = await index.call('appearances', { ...request, clusters: null });
  assert.deepEqual(named, [
    {
      cluster_id: ids.get(1),
      name: 'Ada',
      media: [
        { hash_str: 'aa', media_path: '/footage/aa.mp4', faces: 3, ranges: [[0, 3]] },
        { hash_str: 'bb', media_path: '/footage/bb.mp4', faces: 1, ranges: [[0, 1]] },
      ],
    },
  ]);
  const wrong = index.call('appearances', { ...request, clusters: ['c99'] });
  await assert.rejects(wrong, peopleErrors.UNKNOWN_CLUSTER.is);
});

test('merges and moves of one request say the same as one after the other', async (t) => {
  const results = [];
  for (const together of [true, false]) {
    const cache_dir = temporaryFolder(t);
    const index = await indexActor(t);
    const cast = Array.from({ length: 4 }, () => [1, 2, 3, 4, 5]);
    await storeFaces(index, cache_dir, 'aa', cast);
    await cluster(index, cache_dir, ['aa']);
    const { clusters } = await people(index, cache_dir);
    const idOf = (person: number) =>
      clusters.find(({ shown }) => shown[0]!.endsWith(` ${person}`))!.cluster_id;
    const entryOf = (text: string) =>
      clusters.flatMap(({ shown, entry_ids }) => entry_ids.filter((_, i) => shown[i] === text))[0]!;
    const [one, two, three, four, five] = [1, 2, 3, 4, 5].map(idOf) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const merges = [
      { cluster_ids: [one, two], target_cluster_id: two },
      { cluster_ids: [two, three], target_cluster_id: three },
    ];
    const moves = [
      { from_cluster_id: three, to_cluster_id: four, entry_ids: [entryOf('aa 0 1'), entryOf('aa 1 2')] },
      { from_cluster_id: four, to_cluster_id: five, entry_ids: [entryOf('aa 0 1'), entryOf('aa 2 4')] },
    ];
    const modify = (some: object) =>
      index.call('modify_clusters', { cache_dir, cluster_job_name, merges: [], moves: [], ...some });
    if (together) await modify({ merges, moves });
    else {
      for (const merge of merges) await modify({ merges: [merge] });
      for (const move of moves) await modify({ moves: [move] });
    }
    const shownNow = async () =>
      (await people(index, cache_dir)).clusters.map(({ shown }) => shown.toSorted()).sort();
    const corrected = await shownNow();
    const { kept_corrections, conflicts } = (await cluster(index, cache_dir, ['aa'])).report;
    const said = [kept_corrections, conflicts.length];
    results.push({ corrected, said, again: await shownNow() });
  }
  assert.deepEqual(results[0], results[1]);
  assert.deepEqual(results[0]!.corrected.map(({ length }) => length).sort(), [10, 4, 6].sort());
  assert.deepEqual(results[0]!.again, results[0]!.corrected);
});
