import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { ErrorBody } from '../../../http/route.ts';
import { mediaRoutes, thumbnailRoutes } from '../../../http/routes/media.ts';
import type { FakeFile } from '../../actors/analysis/fake-file.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { inject } from '../inject.ts';

async function served(files: readonly FakeFile[]) {
  const w = await world(files);
  const call = inject([...mediaRoutes, ...thumbnailRoutes], { analysis: w.analysis, search: w.search });
  const cache_dir = join(w.folder, 'cache');
  mkdirSync(cache_dir);
  return { ...w, call, cache_dir };
}

const jpeg = (at: number) => Buffer.from([0xff, 0xd8, at]).toString('base64');

test('metadata is answered by the path as it was sent, with the files that cannot be read beside it', async () => {
  const w = await served([{ name: 'a', frames: 3 }]);
  const { cache_dir, folder } = w;
  const odd = `${folder}/x/../a`;
  const gone = join(folder, 'gone');
  const { status, body } = await w.call('/api/v1/media/metadata', { cache_dir, media_paths: [odd, gone] });
  assert.equal(status, 200);
  const { media_properties, unreadable } = body as Record<string, Record<string, { media_path: string }>>;
  assert.deepEqual([Object.keys(media_properties!), Object.keys(unreadable!)], [[odd], [gone]]);
  assert.equal(media_properties![odd]?.media_path, join(folder, 'a'));
  await w.end();
});

test('thumbnails, strips and cache paths are answered as they are declared', async () => {
  const w = await served([
    { name: 'a', frames: 3 },
    { name: 'sound', frames: 3, kind: 'audio' },
  ]);
  const { cache_dir } = w;
  const [media_path, sound] = w.paths as [string, string];
  const requests = [
    { media_path, time_seconds: 2 },
    { media_path, time_seconds: 50 },
  ];
  assert.deepEqual((await w.call('/api/v1/thumbnails', { cache_dir, requests })).body, {
    thumbnails: [{ thumbnail: jpeg(2) }, { thumbnail: null }],
  });
  const range = { cache_dir, start_time: '00:00:01', end_time: '00:00:02' };
  assert.deepEqual((await w.call('/api/v1/thumbnails/scene', { ...range, media_path })).body, {
    scene_thumbnails: [
      [jpeg(1), '00:00:01'],
      [jpeg(2), '00:00:02'],
    ],
  });
  assert.deepEqual((await w.call('/api/v1/thumbnails/scene', { ...range, media_path: sound })).body, {
    scene_thumbnails: null,
  });
  await w.run();
  assert.deepEqual((await w.call('/api/v1/cache-paths', { cache_dir, media_path })).body, {
    visual_cache_path: join(cache_dir, 'vectors'),
    audio_cache_path: null,
  });
  await w.end();
});

test('bad input is a 400 that names the field', async () => {
  const w = await served([{ name: 'a', frames: 3 }]);
  const { cache_dir } = w;
  const media_path = w.paths[0]!;
  const scene = { cache_dir, media_path, start_time: '00:00:00', end_time: '00:00:01' };
  const one = { media_path, time_seconds: 0 };
  for (const [path, body, field] of [
    ['media/metadata', { cache_dir: 'x', media_paths: [media_path] }, 'cache_dir'],
    ['media/metadata', { cache_dir, media_paths: [media_path, 'a.mp4'] }, 'media_paths[1]'],
    ['media/metadata', { cache_dir, media_paths: [] }, 'media_paths'],
    ['media/metadata', { cache_dir, media_paths: ['/no/such'] }, '/no/such'],
    ['media/metadata', { cache_dir }, 'media_paths'],
    ['cache-paths', { cache_dir }, 'media_path'],
    ['cache-paths', { cache_dir, media_path, hash_str: 'aa' }, 'hash_str'],
    ['cache-paths', { cache_dir, hash_str: '../x' }, 'hash_str'],
    ['cache-paths', { cache_dir, media_path: 'a' }, 'media_path'],
    ['thumbnails', { cache_dir, requests: [{ ...one, time_seconds: -1 }] }, 'requests[0].time_seconds'],
    ['thumbnails', { cache_dir, requests: [one, { ...one, media_path: 'a' }] }, 'requests[1].media_path'],
    ['thumbnails', { cache_dir, requests: Array(1001).fill(one) }, 'requests'],
    ['thumbnails', { cache_dir, requests: Array(63).fill(one), max_size: 1920 }, 'requests'],
    ['thumbnails', { cache_dir, requests: [one], max_size: 63 }, 'max_size'],
    ['thumbnails/scene', { ...scene, start_time: '0:00' }, 'start_time'],
    ['thumbnails/scene', { ...scene, end_time: '00:00:61' }, 'end_time'],
    ['thumbnails/scene', { ...scene, start_time: '00:00:02' }, 'end_time'],
    ['thumbnails/scene', { ...scene, hash_str: 'bb' }, 'hash_str'],
  ] as const) {
    const answer = await w.call(`/api/v1/${path}`, body);
    const { error, message } = answer.body as { error: string; message: string };
    assert.equal(answer.status, 400, `${path} ${field}: ${error}`);
    assert.ok(`${error} ${message}`.includes(field), `${path} ${field}: ${error} ${message}`);
  }
  await w.end();
});

test('an analysis folder: that cannot be read is a 503, and a film that is nowhere a 400', async () => {
  const w = await served([{ name: 'a', frames: 3 }]);
  const { cache_dir, paths } = w;
  w.state.unavailable = true;
  const metadata = await w.call('/api/v1/media/metadata', { cache_dir, media_paths: paths });
  assert.equal(metadata.status, 503);
  assert.ok(metadata.headers['retry-after']);
  const media_path = join(w.folder, 'gone');
  const range = { start_time: '00:00:00', end_time: '00:00:01' };
  const nowhere = await w.call('/api/v1/thumbnails/scene', { cache_dir, media_path, ...range });
  assert.equal(nowhere.status, 400);
  assert.match((nowhere.body as ErrorBody).error, /media_path/);
  writeFileSync(media_path, 'no media');
  assert.equal((await w.call('/api/v1/thumbnails/scene', { cache_dir, media_path, ...range })).status, 400);
  await w.end();
});
