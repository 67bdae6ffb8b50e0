import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stageKinds as kinds } from '../../../../actors/analysis/stages/kinds.ts';
import { TaskRecords } from '../../../../actors/analysis/tasks/records.ts';
import { newTask } from '../../../../actors/analysis/tasks/run-tally.ts';
import { createLog } from '../../../../runtime/log.ts';
import { noPaths } from '../../library/fake-roots.ts';

const query = {
  cache_dir: '/c',
  paths: [],
  speech: [],
  face_jobs: [],
  summary_jobs: [],
  model_key: null,
  force: false,
};
const request = { ...query, decode: 'exact' } as const;

test('a task that another process resumes while old records are removed keeps its own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = createLog('test', () => {});
  let seconds = 1000;
  const now = () => ++seconds;
  const records = (token: string, hasEnded: () => boolean) =>
    new TaskRecords({
      folder,
      kinds,
      self: { pid: 1, started: '', host: 'here', token },
      now,
      log,
      paths: noPaths,
      hasEnded,
    });
  const one = records('one', () => false);
  const query = { request, attachments: [], source: 'request' } as const;
  for (let i = 0; i < 201; i++) {
    const task_id = `task-${i}`;
    const run = await one.create(task_id, query, 'running');
    const task = newTask(kinds, { task_id, ...query, state: 'running', now: i });
    run.end({ ...task, state: 'completed', ended: i });
  }
  await one.create('running', query, 'running');
  const two = records('two', () => {
    // The records are being read: at this moment the oldest task is resumed.
    const running = readFileSync(join(folder, 'running.1.json'), 'utf8').replaceAll('running"', 'task-0"');
    writeFileSync(join(folder, 'task-0.2.json'), running.replace('"state":"task-0"', '"state":"running"'));
    return false;
  });
  await two.prune();
  const { state, total_results } = await one.get('task-0', { offset: 0, limit: 1 });
  assert.deepEqual([state, total_results], ['running', 0]);
  assert.ok(readFileSync(join(folder, 'task-0.request.json'), 'utf8').length > 0);
});
