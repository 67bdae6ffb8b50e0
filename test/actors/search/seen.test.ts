import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { definition } from '../../../actors/index/actor.ts';
import type { WrittenLine } from '../../../actors/index/written/contract.ts';
import type { ThingTrack } from '../../../actors/things/tracks.ts';
import { seenRoutes } from '../../../http/routes/search.ts';
import { inject } from '../../http/inject.ts';
import { world } from '../analysis/fakes.ts';

const w = await world([{ name: 'film.mp4', frames: 8, content: 'aa' }], { index: definition });
await w.search.models.load('fake');
await w.run();
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
const [film] = w.paths as [string];
const call = inject(seenRoutes, { search: w.search });
const ask = (body: Record<string, unknown>) => call('/api/v1/media/seen', { cache_dir, ...body });

const track = (name: ThingTrack['class'], start: number, end: number, score = 0.8): ThingTrack => {
  return { class: name, start, end, best: start, score, box: [0.4, 0.4, 0.1, 0.1], colours: [] };
};

test('a film is told with what is believed to be in it, also when it is gone', async () => {
  const nothing = {
    things_from: null,
    things: [],
    shots: [],
    lines_from: null,
    lines: [],
    faces: [],
    sounds: null,
  };
  const known = { hash_str: 'aa', media_path: film };
  assert.deepEqual((await ask({ media_path: film })).body, { ...known, ...nothing });
  const media = (await w.index.ask('find', { cache_dir, paths: [film], hashes: [] })).by_path[0]!;
  const tracks = [
    ...[track('dog', 0, 3), track('dog', 2, 5, 0.9), track('dog', 6, 7)],
    ...[track('toaster', 0, 8), track('person', 1, 2), track('car', 0, 8, 0.49)],
  ];
  const lines: WrittenLine[] = [
    { text: 'EXIT', score: 0.7, box: [0, 0, 0.1, 0.1], best: 2, start: 1, end: 4 },
  ];
  const stored = { cache_dir, media, model_key: 'm' };
  await w.index.ask('store_result', {
    ...stored,
    found: { type: 'things', items: tracks },
    from_previews: false,
  });
  await w.index.ask('store_result', {
    ...stored,
    found: { type: 'text', items: lines },
    from_previews: true,
  });
  const { body } = await ask({ hash_str: 'aa' });
  assert.deepEqual(body, {
    ...known,
    sounds: null,
    things_from: 'file',
    things: [
      { class: 'toaster', measured: false, score: 0.8, ranges: [[0, 8]], tracks: placed([0, 8]) },
      {
        ...{ class: 'dog', measured: true, score: 0.9 },
        ranges: [
          [0, 5],
          [6, 7],
        ],
        tracks: placed([0, 3], [2, 5], [6, 7]),
      },
      { class: 'person', measured: true, score: 0.8, ranges: [[1, 2]], tracks: placed([1, 2]) },
    ],
    shots: [{ size: 'wide', start_seconds: 1, end_seconds: 2 }],
    lines_from: 'previews',
    lines: [{ text: 'EXIT', score: 0.7, start_seconds: 1, end_seconds: 4, box: [0, 0, 0.1, 0.1] }],
    faces: [],
  });
  rmSync(film);
  assert.deepEqual((await ask({ media_path: film })).body, body);
});

const placed = (...ranges: [number, number][]) =>
  ranges.map(([start_seconds, end_seconds]) => ({ start_seconds, end_seconds, box: [0.4, 0.4, 0.1, 0.1] }));

test('a file is named once, and an unknown one is a 404', async () => {
  assert.equal((await ask({})).status, 400);
  assert.equal((await ask({ media_path: film, hash_str: 'aa' })).status, 400);
  assert.equal((await ask({ hash_str: 'bb' })).status, 404);
});
