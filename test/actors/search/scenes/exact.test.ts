// What is answered of a film whose edges are exact: every shot, also those between two seconds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { definition } from '../../../../actors/index/actor.ts';
import { sceneRoutes } from '../../../../http/routes/media.ts';
import { momentRoutes, searchRoutes, seenRoutes } from '../../../../http/routes/search.ts';
import { inject } from '../../../http/inject.ts';
import { world } from '../../analysis/fakes.ts';

const w = await world([{ name: 'film.mp4', frames: 10, content: 'aa' }], { index: definition });
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
await w.search.models.load('fake');
await w.run();
const { media } = await w.index.ask('media', { cache_dir });
const begin = { cache_dir, hash_str: 'aa', model_key: 'fake', dimensions: 2 };
const { stage } = await w.index.ask('begin', begin);
const frames = Array.from({ length: 10 }, (_, i) => i);
await w.index.ask('append', {
  ...{ stage, frames, previews: frames.map(() => new Uint8Array(4)) },
  vectors: Float32Array.from(frames.flatMap((i) => [Math.cos(i), Math.sin(i)])),
});
const edges = { seconds: [2.48, 2.8, 5], frames: [62, 70, 125] };
await w.index.ask('commit', { stage, media: media[0]!, edges });
await w.search.load(cache_dir);

const call = inject([...sceneRoutes, ...searchRoutes, ...momentRoutes, ...seenRoutes], { search: w.search });
const ask = async (path: string, body: Record<string, unknown>) => {
  const answer = await call(path, { cache_dir, ...body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Record<string, never>;
};
const shots = [
  { start_seconds: 0, end_seconds: 2.48, start_frame: 0, end_frame: 62 },
  { start_seconds: 2.48, end_seconds: 2.8, start_frame: 62, end_frame: 70 },
  { start_seconds: 2.8, end_seconds: 5, start_frame: 70, end_frame: 125 },
  { start_seconds: 5, end_seconds: 10, start_frame: 125, end_frame: null },
];

test('scenes lie between their edges, and those between two seconds are among them', async () => {
  const { scenes, edges } = await ask('/api/v1/scenes', { hash_str: 'aa' });
  assert.deepEqual({ scenes, edges }, { scenes: shots, edges: 'exact' });
  const part = await ask('/api/v1/scenes', { hash_str: 'aa', start_seconds: 2.5, end_seconds: 2.8 });
  assert.deepEqual(part['scenes'], [shots[1]]);
});

test('things end with the shot of their last second, and begin with that of their first one', async () => {
  const track = { class: 'dog', best: 3, score: 0.9, box: [0, 0, 0.5, 0.5], colours: [] };
  const seen = (start: number, end: number) => ({ ...track, start, end }) as never;
  const tracks = [seen(0, 3), seen(3, 5), seen(4, 7)];
  const stored = { cache_dir, media: media[0]!, model_key: 'fake-things', from_previews: false };
  await w.index.ask('store_result', { ...stored, found: { type: 'things', items: tracks } });
  const { things } = await ask('/api/v1/media/seen', { hash_str: 'aa' });
  const [dog] = things as unknown as { ranges: unknown; tracks: Record<string, number>[] }[];
  const times = dog!.tracks.map((one) => [one['start_seconds'], one['end_seconds']]);
  assert.deepEqual(times, [
    [0, 2.48],
    [2.8, 5],
    [4, 7],
  ]);
  assert.deepEqual(dog!.ranges, [
    [0, 2.48],
    [2.8, 7],
  ]);
});

test('matches and moments have the shot around them; the seconds of a scene stay what they were', async () => {
  const found = await ask('/api/v1/search/text', { query: 'four' });
  const matches = found['matches'] as unknown as Record<string, string>[];
  const [match] = matches.filter((one) => one['timestamp'] === '00:00:04');
  const { scene_start_timestamp, scene_end_timestamp, shot } = match!;
  assert.deepEqual([scene_start_timestamp, scene_end_timestamp], ['00:00:03', '00:00:04']);
  assert.deepEqual(shot, shots[2]);
  const { moments } = await ask('/api/v1/search/moments', { query: 'four', kinds: ['seen'] });
  const all = moments as unknown as { time_seconds: number; start_seconds: number; end_seconds: number }[];
  const [moment] = all.filter(({ time_seconds }) => time_seconds === 4);
  const { start_seconds, end_seconds } = moment!;
  assert.deepEqual({ start_seconds, end_seconds }, { start_seconds: 2.8, end_seconds: 5 });
  assert.deepEqual((moment as unknown as Record<string, unknown>)['shot'], shots[2]);
});
