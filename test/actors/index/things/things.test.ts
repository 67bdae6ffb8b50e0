import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile } from '../../../../actors/index/store/names.ts';
import { seal, table } from '../../../../actors/index/store/table.ts';
import type { ThingTerm } from '../../../../actors/index/things/contract.ts';
import { type SeenFace, shotsOf } from '../../../../actors/index/things/stored-shots.ts';
import type { ThingTrack } from '../../../../actors/things/tracks.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { mediaRecord } from '../footage.ts';
import { type Harness, indexActor, someFootage, store } from '../handlers.ts';

const track = (name: ThingTrack['class'], start: number, score = 0.8): ThingTrack => {
  return { class: name, start, end: start + 1, best: start, score, box: [0, 0, 0.5, 0.5], colours: [] };
};
const dog: ThingTerm = {
  ...{ classes: ['dog'], colours: [], place: null, size: null, shot: null },
  ...{ count: { least: 1, most: null }, negated: false },
};

async function storeTracks(
  index: Harness,
  cache_dir: string,
  hash: string,
  tracks: ThingTrack[],
): Promise<void> {
  const media = mediaRecord(hash);
  const found = { type: 'things' as const, items: tracks };
  await index.call('store_result', { cache_dir, media, model_key: 'm', found, from_previews: false });
}

type Asked = {
  terms?: ThingTerm[];
  hashes?: string[] | null;
  ranges?: Record<string, [number, number][]>;
  max_per_media?: number;
};

/** One step of a search. */
async function step(index: Harness, cache_dir: string, query: Asked = {}) {
  const { terms = [dog], hashes = null, ranges = {}, max_per_media = null } = query;
  const scope = { hashes, ranges, filters: [] };
  const request = { cache_dir, model_key: null, terms, scope, max_per_media, max_results: 100 };
  const answer = await index.call('find_things', request);
  return {
    ...answer,
    places: answer.matches.map(({ hash_str, frame_index }) => `${hash_str}@${frame_index}`),
  };
}

/** On a busy machine what is stored takes several steps to read. */
function found(index: Harness, cache_dir: string, query: Asked = {}) {
  return until(async () => {
    const answer = await step(index, cache_dir, query);
    return answer.done && answer;
  });
}

test('the best come first, within the scope and its ranges, and what is forgotten is found no more', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeTracks(index, cache_dir, 'aa', [track('dog', 0, 0.5), track('dog', 1, 0.9)]);
  await storeTracks(index, cache_dir, 'bb', [track('dog', 0, 0.7), track('cat', 1)]);
  const all = await found(index, cache_dir);
  assert.deepEqual([all.places, all.looked], [['aa@1', 'bb@0', 'aa@0'], 2]);
  assert.deepEqual(all.ranges, { aa: [[0, 2]], bb: [[0, 1]] });
  assert.deepEqual(
    all.matches.map(({ original_index }) => original_index),
    [0, 1, 2],
  );
  assert.deepEqual((await found(index, cache_dir, { hashes: ['bb'] })).places, ['bb@0']);
  assert.deepEqual((await found(index, cache_dir, { ranges: { aa: [[0, 1]] } })).places, ['bb@0', 'aa@0']);
  assert.deepEqual((await found(index, cache_dir, { max_per_media: 1 })).places, ['aa@1', 'bb@0']);
  assert.deepEqual((await found(index, cache_dir, { terms: [] })).places, []);
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  const left = await found(index, cache_dir);
  assert.deepEqual([left.places, left.looked], [['bb@0'], 1]);
});

test('a scene is shown by the largest of its surest sights, and ranked by the surest', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await store(index, cache_dir, 'aa', someFootage(16, 1));
  const sight = (start: number, score: number, box: ThingTrack['box']): ThingTrack => {
    return { ...track('dog', start, score), box };
  };
  const tracks = [
    sight(1, 0.85, [0, 0, 0.2, 0.2]),
    sight(4, 0.81, [0.2, 0.2, 0.5, 0.5]),
    sight(6, 0.5, [0.1, 0.1, 0.8, 0.8]),
  ];
  const media = mediaRecord('aa');
  const film = { ...media, probe: { ...media.probe, grid_frames: 16 } };
  const seen = { type: 'things' as const, items: tracks };
  await index.call('store_result', {
    cache_dir,
    media: film,
    model_key: 'm',
    found: seen,
    from_previews: false,
  });
  const scope = { hashes: null, ranges: {}, filters: [] };
  const request = { cache_dir, model_key: 'model', terms: [dog], scope, max_per_media: null };
  const { matches } = await index.call('find_things', { ...request, max_results: 9 });
  assert.deepEqual(
    matches.map(({ frame_index, score }) => [frame_index, score]),
    [[4, 0.85]],
  );
});

test('tracks are read in steps, and what is damaged does not keep a search from its end', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  for (const hash of ['aa', 'bb', 'cc', 'dd']) await storeTracks(index, cache_dir, hash, [track('dog', 0)]);
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  t.after(() => environment.close());
  environment.transact((writes) => {
    for (const hash of ['bb', 'cc']) writes.put(`things/${hash}`, Buffer.from('no record'));
  });
  let clock = 0;
  t.mock.method(performance, 'now', () => (clock += 1000));
  const steps: boolean[] = [];
  for (let i = 0; i < 3; i++) steps.push((await step(index, cache_dir)).done);
  assert.deepEqual(steps, [false, true, true]);
  assert.deepEqual((await found(index, cache_dir)).places, ['aa@0', 'dd@0']);
});

test('what is stored anew takes the place of what was, also for another process', async (t) => {
  const [index, other] = [await indexActor(t), await indexActor(t)];
  const cache_dir = temporaryFolder(t);
  await storeTracks(index, cache_dir, 'aa', [track('dog', 0)]);
  assert.deepEqual((await found(other, cache_dir)).places, ['aa@0']);
  await storeTracks(index, cache_dir, 'aa', [track('cat', 0), track('dog', 1)]);
  for (const one of [index, other]) assert.deepEqual((await found(one, cache_dir)).places, ['aa@1']);
  const { stored } = await other.call('results_stored', { cache_dir, type: 'things', hashes: ['aa', 'bb'] });
  assert.deepEqual(stored, [{ model_key: 'm', count: 2, from_previews: false }, null]);
  const { tracks } = await other.call('things_of', { cache_dir, hash_str: 'aa' });
  assert.deepEqual(tracks, [track('cat', 0), track('dog', 1)]);
});

test('of each frame what is seen there, nothing of a medium that nobody looked at', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await storeTracks(index, cache_dir, 'aa', [track('dog', 0), track('dog', 1), track('cat', 1)]);
  const frames = [
    { hash_str: 'aa', frame_index: 1 },
    { hash_str: 'bb', frame_index: 1 },
  ];
  const { seen } = await index.call('things_at', { cache_dir, terms: [dog], frames });
  assert.deepEqual(seen, [[track('dog', 1)], []]);
});

const person = (box: ThingTrack['box'], more: Partial<ThingTrack> = {}): ThingTrack => {
  return { class: 'person', start: 0, end: 1, best: 0, score: 0.8, box, colours: [], ...more };
};
/** Upright, and so high from brow to chin, as a share of the picture; `aspect` 2. */
function face(height: number, frame = 0, score = 0.9): SeenFace {
  const [eyes, mouth] = [0.3, 0.3 + height / 2.8];
  return { frame, score, landmarks: [0.4, eyes, 0.5, eyes, 0.45, 0.35, 0.42, mouth, 0.48, mouth] };
}
const sizesOf = (tracks: ThingTrack[], faces: SeenFace[] = []) =>
  shotsOf(tracks, faces, 2).map(({ size }) => size);

test('the largest face says how large people are, whatever its tilt', () => {
  assert.deepEqual(sizesOf([], [face(0.35)]), ['close_up']);
  assert.deepEqual(sizesOf([], [face(0.32), face(0.05)]), ['medium']);
  assert.deepEqual(sizesOf([], [face(0.14)]), ['medium']);
  assert.deepEqual(sizesOf([], [face(0.12)]), ['wide']);
  // Lies on its side: from left to right it is 0.18 of the width of a picture twice as wide as high.
  const lying = { ...face(0), landmarks: [0.4, 0.4, 0.4, 0.6, 0.5, 0.5, 0.58, 0.4, 0.58, 0.6] };
  assert.deepEqual(sizesOf([], [lying]), ['close_up']);
  assert.deepEqual(sizesOf([person([0, 0, 0.2, 1])], [face(0.5)]), ['close_up']);
});

test('without a face it is the shape of a person who is cut off at the lower edge', () => {
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.5, 0.9])]), ['close_up']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.3, 0.9])]), ['medium']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.15, 0.9])]), ['wide']);
  assert.deepEqual(sizesOf([person([0.2, 0.1, 0.3, 0.8])]), ['wide'], 'seen whole');
  assert.deepEqual(sizesOf([person([0.2, 0.5, 0.2, 0.5])]), ['wide'], 'small');
  assert.deepEqual(sizesOf([person([0.2, 0, 0.2, 0.3])]), [], 'a hand from above');
  assert.deepEqual(sizesOf([person([0.8, 0.3, 0.2, 0.3])]), [], 'half of somebody');
});

test('nothing is said without people', () => {
  assert.deepEqual(sizesOf([person([0, 0, 1, 1], { class: 'dog' })]), []);
});

test('frames in a row are one shot, with the frame that shows it best', () => {
  const whole = person([0.2, 0.1, 0.15, 0.8], { start: 0, end: 3 });
  const faces = [face(0.4, 3, 0.7), face(0.4, 4, 0.9), face(0.4, 6, 0.8)];
  assert.deepEqual(shotsOf([whole], faces, 2), [
    { size: 'wide', start: 0, end: 3, score: 0.8, best: 0 },
    { size: 'close_up', start: 3, end: 5, score: 0.9, best: 4 },
    { size: 'close_up', start: 6, end: 7, score: 0.8, best: 6 },
  ]);
});

test('what an earlier version stored is read, counted and listed', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const tracks = [track('dog', 0), track('dog', 4, 0.1)];
  await storeTracks(index, cache_dir, 'aa', []);
  const earlier = table('FHTH', {
    ...{ hash_str: 'string', model_key: 'string', tracks_json: 'string' },
    ...{ stored_ms: 'double', from_previews: 'uint' },
  });
  const row = { hash_str: 'aa', model_key: 'old', tracks_json: JSON.stringify(tracks) };
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  const sealed = seal(earlier, 'things/aa', { ...row, stored_ms: 5, from_previews: 1 });
  environment.transact((writes) => writes.put('things/aa', sealed));
  await environment.close();
  const { stored } = await index.call('results_stored', { cache_dir, type: 'things', hashes: ['aa'] });
  assert.deepEqual(stored, [{ model_key: 'old', count: 1, from_previews: true }]);
  assert.deepEqual((await index.call('things_of', { cache_dir, hash_str: 'aa' })).tracks, tracks);
});
