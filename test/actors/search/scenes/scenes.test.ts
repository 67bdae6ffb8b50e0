import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { definition } from '../../../../actors/index/actor.ts';
import { sceneRanges } from '../../../../actors/index/visual/catalog.ts';
import { scenesOnGrid } from '../../../../actors/search/scenes/scenes.ts';
import { mediaRoutes, sceneRoutes } from '../../../../http/routes/media.ts';
import { searchRoutes } from '../../../../http/routes/search.ts';
import { inject } from '../../../http/inject.ts';
import { world } from '../../analysis/fakes.ts';

test('scenes end where a film does, and a still is a second', () => {
  const film = { kind: 'video', duration_seconds: 9.5 } as const;
  const none = { start_frame: null, end_frame: null };
  assert.deepEqual(scenesOnGrid(Int32Array.of(0, 4, 4, 10), film), [
    { start_seconds: 0, end_seconds: 4, ...none },
    { start_seconds: 4, end_seconds: 9.5, ...none },
  ]);
  const still = { kind: 'image', duration_seconds: 0 } as const;
  assert.deepEqual(scenesOnGrid(Int32Array.of(0, 1), still), [{ start_seconds: 0, end_seconds: 1, ...none }]);
});

test('seconds that could not be decoded belong to no scene', () => {
  const media = { frames: Int32Array.of(0, 1, 5, 6, 9), scenes: Int32Array.of(0, 2) };
  assert.deepEqual([...sceneRanges(media)], [0, 2, 5, 10]);
  assert.deepEqual([...sceneRanges({ frames: new Int32Array(0), scenes: new Int32Array(0) })], []);
});

const w = await world([{ name: 'film.mp4', frames: 8, content: 'aa' }], { index: definition });
await w.search.models.load('fake');
await w.run();
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
const [film] = w.paths as [string];
const call = inject([...sceneRoutes, ...mediaRoutes, ...searchRoutes], { search: w.search });
const ask = async (body: Record<string, unknown>) => {
  const answer = await call('/api/v1/scenes', { cache_dir, ...body });
  return {
    ...answer,
    body: answer.body as Record<string, unknown> & { scenes: { start_seconds: number }[] },
  };
};

test('scenes are told before anything is loaded, are those of matches, and outlive the film', async () => {
  const { status, body } = await ask({ media_path: film });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body['hash_str'], body['kind'], body['model_key']], ['aa', 'video', 'fake']);
  assert.equal(body['edges'], 'exact');
  await w.search.load(cache_dir);
  const loaded = await ask({ hash_str: 'aa' });
  assert.deepEqual(loaded.body, body);
  const found = await call('/api/v1/search/text', { cache_dir, query: 'four' });
  const [match] = (found.body as { matches: { scene_start_timestamp: string }[] }).matches;
  const starts = body.scenes.map(({ start_seconds }) => `00:00:0${start_seconds}`);
  assert.ok(starts.includes(match!.scene_start_timestamp));
  const all = body.scenes.length;
  assert.equal((await ask({ hash_str: 'aa', start_seconds: 100 })).body.scenes.length, 0);
  assert.equal((await ask({ hash_str: 'aa', end_seconds: 0.5 })).body.scenes.length, Math.min(1, all));
  const facts = async () => {
    const answer = await call('/api/v1/media/facts', { cache_dir, hash_str: 'aa' });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const here = (await facts()) as Record<string, unknown>;
  assert.deepEqual([here['available'], here['media_path'], here['kind']], [true, film, 'video']);
  assert.equal(here['duration_seconds'], body['duration_seconds']);
  rmSync(film);
  assert.deepEqual(await facts(), { ...here, available: false });
  assert.deepEqual((await ask({ media_path: film })).body, body);
});

test('a file is named once, the times ascend, and an unknown one is a 404', async () => {
  for (const [body, status, field] of [
    [{}, 400, 'media_path'],
    [{ media_path: film, hash_str: 'aa' }, 400, 'media_path'],
    [{ hash_str: 'aa', start_seconds: 5, end_seconds: 5 }, 400, 'end_seconds'],
    [{ hash_str: 'bb' }, 404, 'hash_str'],
  ] as const) {
    const answer = await ask(body);
    assert.equal(answer.status, status);
    assert.match(JSON.stringify(answer.body), new RegExp(field));
  }
});
