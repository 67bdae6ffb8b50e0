import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import type { ShotEdges } from '../../../../actors/index/visual/contract.ts';
import {
  allShots,
  edgeFault,
  exactTimes,
  secondsWithin,
  shotAt,
  startsOnGrid,
} from '../../../../actors/index/visual/shots.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { framesUpTo, mediaRecord, preview } from '../footage.ts';
import { everything, type Harness, indexActor, someFootage } from '../handlers.ts';

// The film of ten seconds of `mediaRecord`, at 25 pictures a second.
const edges: ShotEdges = { seconds: [2.48, 2.8, 5, 9.6], frames: [62, 70, 125, 240] };
const shots = [
  { start_seconds: 0, end_seconds: 2.48, start_frame: 0, end_frame: 62 },
  { start_seconds: 2.48, end_seconds: 2.8, start_frame: 62, end_frame: 70 },
  { start_seconds: 2.8, end_seconds: 5, start_frame: 70, end_frame: 125 },
  { start_seconds: 5, end_seconds: 9.6, start_frame: 125, end_frame: 240 },
  { start_seconds: 9.6, end_seconds: 10, start_frame: 240, end_frame: null },
];

interface Storing {
  readonly seconds?: number;
  readonly model_key?: string;
  readonly edges?: ShotEdges;
  readonly from_previews?: boolean;
}

async function store(
  index: Harness,
  cache_dir: string,
  { model_key = 'model', seconds = 10, ...rest }: Storing,
) {
  const { stage } = await index.call('begin', { cache_dir, hash_str: 'aa', model_key, dimensions: 32 });
  const frames = framesUpTo(10);
  const previews = frames.map((frame) => preview(frame));
  await index.call('append', { stage, frames, vectors: someFootage(10, 1), previews });
  const media = mediaRecord('aa');
  const probe = { ...media.probe, duration_seconds: seconds };
  await index.call('commit', { stage, media: { ...media, probe }, ...rest });
}

async function scenesOf(index: Harness, cache_dir: string, model_key = 'model') {
  const { lists } = await index.call('scenes', { cache_dir, model_key, hashes: ['aa'] });
  const { scenes, shots } = lists[0]!;
  return { scenes: [...scenes], shots: shots && allShots(shots) };
}

const searched = (cache_dir: string) => ({
  ...{ cache_dir, model_key: 'model', picture: null, exclude: null, text_weight: 1 },
  ...{ text: someFootage(10, 1).slice(0, 32), scope: everything, max_results: 100 },
});

async function matches(index: Harness, cache_dir: string) {
  await index.load({ cache_dir, model_key: 'model', hashes: null });
  const found = await index.call('search', searched(cache_dir));
  return found.matches.toSorted((a, b) => a.scene_start - b.scene_start);
}

test('edges decide where scenes begin, and matches have the shot that is shown at their second', async (t) => {
  const cache_dir = temporaryFolder(t);
  const first = await indexActor(t);
  await store(first, cache_dir, { edges });
  await first.close();
  const index = await indexActor(t);
  assert.deepEqual(await scenesOf(index, cache_dir), { scenes: [0, 3, 3, 5, 5, 10], shots });
  const seen = await matches(index, cache_dir);
  assert.deepEqual(
    seen.map(({ scene_start, shot }) => [scene_start, shot]),
    [
      [0, shots[0]],
      [3, shots[2]],
      [5, shots[3]],
    ],
  );
  assert.deepEqual(await scenesOf(index, cache_dir), { scenes: [0, 3, 3, 5, 5, 10], shots }, 'when loaded');
});

test('a film of one shot has exact edges too, and one that was stored without any is on the grid', async (t) => {
  const [cache_dir, index] = [temporaryFolder(t), await indexActor(t)];
  await store(index, cache_dir, { edges: { seconds: [], frames: [] } });
  const whole = { start_seconds: 0, end_seconds: 10, start_frame: 0, end_frame: null };
  assert.deepEqual(await scenesOf(index, cache_dir), { scenes: [0, 10], shots: [whole] });
  await store(index, cache_dir, {});
  assert.deepEqual(await scenesOf(index, cache_dir), { scenes: [0, 8, 8, 10], shots: null });
  assert.ok((await matches(index, cache_dir)).every((match) => !('shot' in match)));
});

test('a part of a second at the end is a scene of its own only between exact edges', async (t) => {
  const [cache_dir, index] = [temporaryFolder(t), await indexActor(t)];
  const scenes = async (storing: Storing) => {
    await store(index, cache_dir, storing);
    return (await scenesOf(index, cache_dir)).scenes;
  };
  assert.deepEqual(await scenes({ seconds: 9 }), [0, 8, 8, 10]);
  assert.deepEqual(await scenes({ seconds: 8.9 }), [0, 10]);
  const late = { seconds: [8], frames: [200] };
  assert.deepEqual(await scenes({ seconds: 8.9, edges: late }), [0, 8, 8, 10]);
});

test('what is made of stored previews keeps the edges that were found in the file', async (t) => {
  const [cache_dir, index] = [temporaryFolder(t), await indexActor(t)];
  await store(index, cache_dir, { model_key: 'A model of mine', edges });
  await store(index, cache_dir, { model_key: 'new', from_previews: true });
  assert.deepEqual((await scenesOf(index, cache_dir, 'new')).shots, shots);
  await store(index, cache_dir, { model_key: 'other' });
  assert.equal((await scenesOf(index, cache_dir, 'other')).shots, null);
});

test('an engine that follows a library takes the edges over', async (t) => {
  const [base, library] = [temporaryFolder(t), 'a library'];
  const [made, replica] = [join(base, 'made'), join(base, 'replica')];
  const other = await indexActor(t);
  await store(other, made, { edges });
  await other.close();
  const index = await indexActor(t);
  await index.call('follow', { cache_dir: replica, library });
  await index.call('apply', { cache_dir: replica, library, seq: 1, at_ms: 1000, from: made, write: null });
  assert.deepEqual((await scenesOf(index, replica)).shots, shots);
});

test('edges that are found later are those of a commit, in every stage of the content', async (t) => {
  const [grid, exact] = [temporaryFolder(t), temporaryFolder(t)];
  const index = await indexActor(t);
  for (const model_key of ['model', 'A model of mine']) {
    await store(index, grid, { model_key });
    await store(index, exact, { model_key, edges });
  }
  const seen = (await matches(index, grid)).map(({ scene_start, shot }) => [scene_start, shot]);
  assert.deepEqual(seen, [
    [0, undefined],
    [8, undefined],
  ]);
  const other = { seconds: [7], frames: [175] };
  assert.deepEqual(await index.call('set_edges', { cache_dir: grid, hash_str: 'aa', edges: other }), {
    vectors: 20,
  });
  assert.deepEqual((await scenesOf(index, grid)).scenes, [0, 7, 7, 10]);
  await index.call('set_edges', { cache_dir: grid, hash_str: 'aa', edges });
  const found = await index.call('search', searched(grid));
  const inOrder = found.matches.toSorted((a, b) => a.scene_start - b.scene_start);
  assert.deepEqual(
    inOrder.map(({ scene_start, shot }) => [scene_start, shot]),
    [
      [0, shots[0]],
      [3, shots[2]],
      [5, shots[3]],
    ],
    'what is loaded follows',
  );
  await index.close();
  const records = (folder: string) => {
    const of = new Store(folder);
    t.after(() => of.close());
    return ['model', 'A model of mine'].map((key) => {
      const { revision, file, stored_ms, ...record } = of.visual.stage(key, 'aa')!;
      return record;
    });
  };
  assert.deepEqual(records(grid), records(exact));
});

test('edges of a content without a visual analysis, and those that do not ascend, change nothing', async (t) => {
  const [cache_dir, index] = [temporaryFolder(t), await indexActor(t)];
  const set = (hash_str: string, edges: ShotEdges) => index.call('set_edges', { cache_dir, hash_str, edges });
  await assert.rejects(set('aa', edges), storeErrors.NOT_ANALYZED.is);
  await index.call('remember', { cache_dir, media: mediaRecord('aa') });
  await assert.rejects(set('aa', edges), storeErrors.NOT_ANALYZED.is);
  await store(index, cache_dir, {});
  await assert.rejects(set('aa', { seconds: [2, 2], frames: [50, 60] }), engineErrors.INVALID_MESSAGE.is);
  assert.equal((await scenesOf(index, cache_dir)).shots, null);
});

test('a replica takes over edges that were found later', async (t) => {
  const [base, library] = [temporaryFolder(t), 'a library'];
  const [made, replica] = [join(base, 'made'), join(base, 'replica')];
  const other = await indexActor(t);
  await store(other, made, {});
  await other.close();
  const index = await indexActor(t);
  await index.call('follow', { cache_dir: replica, library });
  const write = [{ name: 'set_edges', request: { hash_str: 'aa', edges } }];
  const change = { cache_dir: replica, library, at_ms: 1000 };
  await index.call('apply', { ...change, seq: 1, from: made, write: null });
  const written = await index.call('apply', { ...change, seq: 2, from: null, write });
  assert.deepEqual(written, { answer: { vectors: 10 }, refusal: null });
  assert.deepEqual((await scenesOf(index, replica)).shots, shots);
});

test('edges that do not ascend are refused, and the stage is forgotten', async (t) => {
  const [cache_dir, index] = [temporaryFolder(t), await indexActor(t)];
  for (const wrong of [
    { seconds: [2], frames: [50, 60] },
    { seconds: [2, 2], frames: [50, 60] },
    { seconds: [2, 3], frames: [60, 60] },
    { seconds: [0], frames: [1] },
    { seconds: [Number.NaN], frames: [1] },
  ]) {
    assert.notEqual(edgeFault(wrong), null);
    await assert.rejects(store(index, cache_dir, { edges: wrong }), engineErrors.INVALID_MESSAGE.is);
  }
  await store(index, cache_dir, { edges });
});

test('frames of one scene lie in one shot, whatever the edges and the frames', () => {
  const ascending = (value: fc.Arbitrary<number>) =>
    fc.uniqueArray(value, { maxLength: 30 }).map((all) => all.sort((a, b) => a - b));
  const second = fc.integer({ min: 1, max: 6000 }).map((hundredth) => hundredth / 100);
  fc.assert(
    fc.property(ascending(second), ascending(fc.integer({ min: 0, max: 60 })), (seconds, frames) => {
      const film = {
        ...{ seconds: Float64Array.from(seconds), end: 61 },
        frames: Uint32Array.from(seconds, (at) => at * 100),
      };
      const starts = startsOnGrid(seconds, frames);
      assert.equal(new Set(starts).size, starts.length);
      for (const [i, frame] of frames.entries()) {
        const shot = shotAt(film, frame);
        assert.ok(shot.start_seconds <= frame && frame < shot.end_seconds);
        const begins = i === 0 || shotAt(film, frames[i - 1]!).start_seconds !== shot.start_seconds;
        assert.equal(starts.includes(i), begins, `frame ${frame}`);
      }
    }),
  );
});

test('what is seen in whole seconds ends with its shot, and begins with it in its first second', () => {
  const film = { seconds: Float64Array.of(2.48, 2.8, 5), frames: Uint32Array.of(62, 70, 125), end: 8.4 };
  const cases: readonly (readonly [readonly [number, number], readonly [number, number]])[] = [
    [
      [0, 3],
      [0, 2.48],
    ],
    [
      [1, 2],
      [1, 2],
    ],
    [
      [3, 5],
      [2.8, 5],
    ],
    [
      [4, 6],
      [4, 6],
    ],
    [
      [3, 9],
      [2.8, 8.4],
    ],
    [
      [8, 9],
      [8, 8.4],
    ],
  ];
  for (const [range, exact] of cases) {
    assert.deepEqual(exactTimes(film, ...range), exact);
    assert.deepEqual(exactTimes(null, ...range), range);
  }
  assert.deepEqual(secondsWithin(2.8, 5), [3, 5]);
  assert.deepEqual(secondsWithin(2.48, 2.8), [3, 3]);
  assert.deepEqual(secondsWithin(4.9999999, 6), [5, 6]);
});
