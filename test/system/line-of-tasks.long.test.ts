// Proxies that are asked for while an export runs, over the API of a real service: they wait, one is
// cancelled before its turn, and the others are made in the order of asking.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { ProgressEvent } from '../../events/protocol.ts';
import { clips as films } from '../actors/decoder/footage/clips.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { startService } from './service.ts';

const names = ['23.976 frames a second', 'HEVC, closed GOP', 'H.264, GOP 12'];

interface Asked {
  readonly task_id: string;
  readonly hash_str: string;
  readonly queue_position?: number;
  readonly message: string;
}

test('proxies of several films wait behind an export, and are made in the order of asking', {
  timeout: SLOW_MS,
}, async (t) => {
  const service = await startService();
  t.after(service.end);
  const { ok, call, home } = service;
  const folder = join(home.folder, 'films');
  mkdirSync(folder);
  const paths = names.map((_, i) => join(folder, `${i}.mp4`));
  for (const [i, name] of names.entries()) await films.find((one) => one.name === name)!.write(paths[i]!);
  const cache_dir = join(home.folder, 'analysis');
  await service.modelReady();
  const analysis = await ok<{ task_id: string }>('/analyze', { cache_dir, visual_media_paths: paths });
  await service.follow(analysis.task_id);

  const clips = Array.from({ length: 300 }, (_, i) => ({
    media_path: paths[2]!,
    start_seconds: (i % 20) / 10,
    end_seconds: (i % 20) / 10 + 2,
    output_name: `clip ${i}`,
  }));
  const output_dir = join(home.folder, 'cut');
  const cutting = await ok<Asked>('/export/clips', { output_dir, clips, task: true });
  assert.deepEqual([cutting.message, cutting.queue_position], ['Export started', undefined]);
  const ask = (media_path: string) => ok<Asked>('/media/proxy', { cache_dir, media_path, max_side: 320 });
  const [first, second, third] = [await ask(paths[0]!), await ask(paths[1]!), await ask(paths[2]!)];
  assert.deepEqual(
    [first, second, third].map(({ queue_position, message }) => [queue_position, message]),
    [1, 2, 3].map((place) => [place, 'The proxy is queued']),
  );
  assert.equal((await ask(paths[1]!)).task_id, second.task_id);
  const seen: ProgressEvent[] = [];
  const followed = service.follow(third.task_id, (event) => seen.push(event));
  await until(() => seen.length > 0);
  assert.deepEqual(
    [seen[0]?.queue_position, seen[0]?.waits_for, seen[0]?.type],
    [3, cutting.task_id, 'proxy'],
  );

  const { status } = await call(`/tasks/${second.task_id}/cancel`, undefined, 'POST');
  assert.equal(status, 200);
  const { tasks } = await ok<{ tasks: TaskDetail[] }>('/tasks');
  const standing = tasks.map(({ task_id, state, queue_position, waits_for }) => {
    return [task_id, state, queue_position, waits_for];
  });
  assert.deepEqual(standing, [
    [third.task_id, 'queued', 2, cutting.task_id],
    [second.task_id, 'cancelled', null, null],
    [first.task_id, 'queued', 1, cutting.task_id],
    [cutting.task_id, 'running', null, null],
    [analysis.task_id, 'completed', null, null],
  ]);
  await call(`/tasks/${cutting.task_id}/cancel`, undefined, 'POST');

  await service.follow(first.task_id);
  const events = await followed;
  assert.deepEqual([events.at(-1)?.done, events.at(-1)?.error], [true, undefined]);
  const [a, b, c] = await Promise.all(
    [first, second, third].map(({ task_id }) => ok<TaskDetail>(`/tasks/${task_id}`)),
  );
  assert.deepEqual([a!.state, b!.state, c!.state], ['completed', 'cancelled', 'completed']);
  assert.ok(a!.ended! <= c!.started, 'one after the other');
  for (const [path, isReady] of [
    [paths[0], true],
    [paths[1], false],
    [paths[2], true],
  ] as const) {
    const link = await call('/media/link', { cache_dir, media_path: path, proxy: true });
    assert.equal(link.status === 200, isReady, path);
  }

  // It waits again, and the end of the service is not the end of it.
  const anew = await ok<Asked>(`/tasks/${cutting.task_id}/resume`, undefined, 'POST');
  assert.equal(anew.queue_position, undefined);
  const waits = await ok<Asked>(`/tasks/${second.task_id}/resume`, undefined, 'POST');
  assert.deepEqual([waits.queue_position, waits.message], [1, 'The task is queued']);
  assert.equal(await service.stop(), 0);
  const next = await startService(['--no-guardian'], home);
  t.after(next.end);
  assert.equal((await next.ok<TaskDetail>(`/tasks/${second.task_id}`)).state, 'interrupted');
  await next.ok(`/tasks/${second.task_id}/resume`, undefined, 'POST');
  await next.follow(second.task_id);
  assert.equal((await next.ok<TaskDetail>(`/tasks/${second.task_id}`)).state, 'completed');
});
