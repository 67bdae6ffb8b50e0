// The route that makes proxies, and links to their bytes.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createMediaExports } from '../../../actors/exporter/media-exports.ts';
import { granted } from '../../../http/license/decision.ts';
import { linkRoutes } from '../../../http/routes/media.ts';
import { proxyRoutes } from '../../../http/routes/tasks.ts';
import { createMediaLinks } from '../../../http/service.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { inject } from '../inject.ts';

async function served(t: TestContext) {
  const w = await world([{ name: 'abc', frames: 4 }]);
  t.after(w.end);
  await w.run();
  const begun: unknown[] = [];
  const tasks = {
    begin: async (type: string, request: unknown) => {
      begun.push([type, request]);
      return { task_id: 'made' };
    },
  };
  const { proxies } = createMediaExports({ ...w, clipWriters: [], proxies_gb: 1 });
  const mediaLinks = createMediaLinks(
    () => Date.UTC(2026, 0, 1),
    () => granted,
  );
  const call = inject([...linkRoutes, ...proxyRoutes], {
    search: w.search,
    tasks: tasks as never,
    proxies,
    mediaLinks,
  });
  const cache_dir = join(w.folder, 'cache');
  const folder = join(cache_dir, 'proxies');
  /** As if it had been made. */
  const put = (name: string, bytes: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), bytes);
  };
  const media_path = w.paths[0]!;
  const ask = (body: object) => call('/api/v1/media/proxy', { cache_dir, ...body });
  const link = (body: object) => call('/api/v1/media/link', { cache_dir, ...body });
  return { w, call, cache_dir, folder, put, media_path, ask, link, begun };
}

test('a proxy is made by a task, unless one that is large enough is there', async (t) => {
  const { ask, begun, media_path, cache_dir, put } = await served(t);
  const { status, body } = await ask({ media_path });
  const { hash_str } = body as { hash_str: string };
  assert.deepEqual([status, body], [202, { message: 'The proxy is being made', task_id: 'made', hash_str }]);
  assert.deepEqual(begun, [['proxy', { cache_dir, hash_str, max_side: 1280, media_path }]]);
  put(`${hash_str}.640.mp4`, 'small');
  assert.equal((await ask({ media_path })).status, 202);
  assert.deepEqual((await ask({ hash_str, max_side: 640 })).body, { ready: true, hash_str });
  assert.equal((await ask({ media_path: '/nowhere.mp4' })).status, 404);
  assert.equal((await ask({})).status, 400);
});

test('the bytes of a proxy are read by a link, whole and in part, as those of the same file each time', async (t) => {
  const { link, put, media_path, call, folder } = await served(t);
  const missing = await link({ media_path, proxy: true });
  assert.equal(missing.status, 404);
  assert.match(JSON.stringify(missing.body), /create one with POST \/media\/proxy/);
  const { hash_str, url: own } = (await link({ media_path })).body as { hash_str: string; url: string };
  put(`${hash_str}.1280.mp4`, 'whole film');
  const { body } = await link({ media_path, proxy: true });
  const { url, size_bytes, content_type, playable_type } = body as Record<string, string>;
  assert.notEqual(url, own);
  assert.deepEqual([size_bytes, content_type], [10, 'video/mp4']);
  assert.equal(playable_type, 'video/mp4; codecs="avc1.640028"');
  const read = (headers = {}) => call(url!, undefined, { headers: { 'x-license-key': '', ...headers } });
  const first = await read({ range: 'bytes=0-4' });
  assert.deepEqual([first.status, first.bytes.toString()], [206, 'whole']);
  const etag = first.headers['etag']!;
  const next = await read({ range: 'bytes=6-9', 'if-range': etag });
  assert.deepEqual([next.status, next.bytes.toString()], [206, 'film']);
  rmSync(folder, { recursive: true });
  const gone = await read();
  assert.equal(gone.status, 404);
  assert.doesNotMatch(JSON.stringify(gone.body), /proxies\//);
});

test('by its hash the proxy of a film that is gone is still read', async (t) => {
  const { link, put, media_path } = await served(t);
  const { hash_str } = (await link({ media_path })).body as { hash_str: string };
  put(`${hash_str}.1280.mp4`, 'whole film');
  rmSync(media_path);
  assert.equal((await link({ hash_str })).status, 404);
  assert.equal((await link({ hash_str, proxy: true })).status, 200);
});
