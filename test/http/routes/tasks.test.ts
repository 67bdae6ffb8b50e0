import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Clips, ClipsRequest } from '../../../actors/exporter/clips/contract.ts';
import { createMediaExports } from '../../../actors/exporter/exporter.ts';
import { granted } from '../../../http/license/decision.ts';
import { linkRoutes } from '../../../http/routes/media.ts';
import { clipRoutes, proxyRoutes, taskRoutes } from '../../../http/routes/tasks.ts';
import { createMediaLinks } from '../../../http/service.ts';
import { home } from '../../actors/analysis/fake-runs.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { inject } from '../inject.ts';

test('an export with task is accepted at once and goes on by itself; without, it is answered when it is done', async (t) => {
  const folder = temporaryFolder(t);
  const h = home();
  t.after(h.end);
  const { tasks, analysis } = h.start();
  const input: ClipsRequest[] = [];
  const clips: Clips = {
    counts: { encoded: new Map(), failed: new Map() },
    export: async (request) => {
      input.push(request);
      return {
        results: [],
        summary: { total: 0, succeeded: 0, failed: 0 },
        output_dir: request.output_dir,
      };
    },
    begin: () => Promise.reject(new Error('the analysis of this test cuts nothing')),
  };
  const call = inject([...clipRoutes, ...taskRoutes], { tasks, clips });
  const output_dir = join(folder, 'out');
  const clip = { media_path: join(folder, 'a.mp4'), start_seconds: 0, end_seconds: 1 };
  const body = { output_dir: `${output_dir}/../out/`, clips: [clip, clip], mode: 'copy' };

  const plain = await call('/api/v1/export/clips', body);
  assert.deepEqual([plain.status, input.length, analysis.runs.length], [200, 1, 0]);

  const accepted = await call('/api/v1/export/clips', { ...body, task: true });
  const { task_id, message } = accepted.body as { task_id: string; message: string };
  assert.deepEqual([accepted.status, typeof message, input.length], [202, 'string', 1]);
  const { request } = analysis.last.run;
  assert.deepEqual([request.cache_dir, request.clip_export?.mode], [output_dir, 'copy']);
  assert.deepEqual(
    request.clip_export?.clips.map(({ name }) => name),
    ['1: a.mp4 0-1', '2: a.mp4 0-1'],
  );
  const same = await call('/api/v1/export/clips', { ...body, task: true });
  assert.deepEqual([same.status, (same.body as { task_id: string }).task_id], [202, task_id]);
  const other = await call('/api/v1/export/clips', { ...body, clips: [clip], task: true });
  const waiting = other.body as { task_id: string; queue_position?: number };
  assert.deepEqual([other.status, waiting.queue_position], [202, 1]);
  assert.notEqual(waiting.task_id, task_id);
  for (const task of [false, true]) {
    const empty = await call('/api/v1/export/clips', { ...body, clips: [], task });
    const refusal = { error: 'Invalid clips', message: 'clips must not be empty' };
    assert.deepEqual([empty.status, empty.body], [400, refusal]);
  }
  const nowhere = join(folder, 'no', 'where');
  const missing = await call('/api/v1/export/clips', { ...body, output_dir: nowhere, task: true });
  assert.equal(missing.status, 400);
  assert.match(
    (missing.body as { message: string }).message,
    /the folder .*no does not exist; set create_folders/,
  );
  const made = { ...body, output_dir: nowhere, create_folders: true, task: true };
  assert.equal((await call('/api/v1/export/clips', made)).status, 202);
  // A clip of a path that is not absolute fails by itself.
  const relative = { ...clip, media_path: 'a.mp4' };
  assert.equal((await call('/api/v1/export/clips', { ...body, clips: [clip, relative] })).status, 200);
  assert.equal(input.at(-1)?.clips[1]?.media_path, 'a.mp4');
  // A folder is made when there is a clip for it.
  assert.equal(existsSync(output_dir), false);

  const stopped = await h.settle(call(`/api/v1/tasks/${task_id}/cancel`, undefined, { method: 'POST' }));
  assert.equal(stopped.status, 200);
});

// The route that makes proxies, and links to their bytes.

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
  const { proxies } = createMediaExports({ ...w, clipWriters: [w.prober], proxies_gb: 1 });
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
