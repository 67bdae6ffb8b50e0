// Many clips as a task of a real service: killed in the middle, and resumed.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { clips as films } from '../actors/decoder/footage/clips.ts';
import { until } from '../until.ts';
import { SLOW_MS } from './command-line.ts';
import { startService } from './service.ts';

const COUNT = 40;

test('a task of clips goes on after a kill, and writes none of them twice', {
  timeout: SLOW_MS,
}, async (t) => {
  const media_path = await films.find(({ name }) => name === 'H.264, GOP 12')!.make();
  const first = await startService();
  const { home } = first;
  const output_dir = join(home.folder, 'cut');
  const clips = Array.from({ length: COUNT }, (_, i) => ({
    media_path,
    start_seconds: i / 20,
    end_seconds: i / 20 + 2,
    output_name: `clip ${i}`,
  }));
  const { task_id } = await first.ok<{ task_id: string }>('/export/clips', { output_dir, clips, task: true });
  await until(async () => (await first.ok<TaskDetail>(`/tasks/${task_id}`)).counts.jobs_done >= 3);
  first.process.child.kill('SIGKILL');
  await first.process.ended;

  const second = await startService(['--no-guardian'], home);
  t.after(second.end);
  const left = await second.ok<TaskDetail>(`/tasks/${task_id}`);
  assert.equal(left.state, 'interrupted');
  const written = left.results.flatMap(({ clip }) => clip?.output_path ?? []);
  assert.ok(written.length >= 3 && written.length < COUNT, `${written.length} were written`);
  const before = new Map(written.map((path) => [path, statSync(path).mtimeMs]));

  await second.ok(`/tasks/${task_id}/resume`, undefined, 'POST');
  const events = await second.follow(task_id);
  assert.deepEqual(
    [events.at(-1)?.type, events.at(-1)?.done, events.at(-1)?.error],
    ['clips', true, undefined],
  );
  const { state, counts, results } = await second.ok<TaskDetail>(`/tasks/${task_id}`);
  assert.deepEqual(
    [state, counts.jobs, counts.jobs_done, counts.jobs_failed],
    ['completed', COUNT, COUNT, 0],
  );
  for (const [path, time] of before) assert.equal(statSync(path).mtimeMs, time, path);
  const texts = results.map(({ clip }) => basename(clip?.output_path ?? ''));
  const lying = readdirSync(output_dir);
  assert.equal(new Set(texts).size, COUNT);
  // What was named when the process was killed may lie there beside the clip that took its place.
  assert.deepEqual(
    lying.filter((name) => name.endsWith('.part')),
    [],
  );
  assert.ok(
    texts.every((name) => lying.includes(name)) && lying.length <= COUNT + 4,
    `${lying.length} files`,
  );
});
