import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clips, ClipsRequest } from '../../../actors/exporter/clips/contract.ts';
import { clipRoutes, taskRoutes } from '../../../http/routes/tasks.ts';
import { home } from '../../actors/analysis/fake-runs.ts';
import { inject } from '../inject.ts';

test('an export with task is accepted at once and goes on by itself; without, it is answered when it is done', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
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
  assert.equal((await call('/api/v1/export/clips', { ...body, clips: [], task: true })).status, 400);
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
