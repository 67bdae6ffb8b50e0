import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stageKinds as kinds } from '../../../../actors/analysis/stages/kinds.ts';
import { TaskRecords } from '../../../../actors/analysis/tasks/records.ts';
import { newTask } from '../../../../actors/analysis/tasks/run-tally.ts';
import { createLog } from '../../../../runtime/log.ts';
import { noPaths } from '../../library/fake-roots.ts';

const request = {
  cache_dir: '/c',
  paths: [],
  speech: [],
  face_jobs: [],
  summary_jobs: [],
  model_key: null,
  decode: 'exact',
  force: false,
} as const;

test('what came with a request lies beside its record, for its owner only, and goes with it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const self = { pid: 1, started: '', host: 'here', token: 'one' };
  const log = createLog('test', () => {});
  let seconds = 1000;
  const records = new TaskRecords({ folder, kinds, self, now: () => ++seconds, log, paths: noPaths });
  const query = { ...request, paths: [], speech: [], face_jobs: [], summary_jobs: [] };
  const attachments = () => readdirSync(folder).filter((name) => name.includes('attachment'));
  const bytes = [new Uint8Array([1, 2]), new Uint8Array([3])];

  const create = (id: string, some: readonly Uint8Array[]) =>
    records.create(id, { request: query, attachments: some, source: 'request' }, 'running');
  const task = (id: string, now: number) =>
    newTask(kinds, { task_id: id, request: query, source: 'request', state: 'running', now });
  const given = await create('given', bytes);
  assert.deepEqual([...readFileSync(given.attachment(1))], [3]);
  if (process.platform !== 'win32') assert.equal(statSync(given.attachment(0)).mode & 0o777, 0o600);
  const other = await create('given-2', bytes);
  other.discard();
  assert.deepEqual(attachments().sort(), ['given.attachment-0', 'given.attachment-1']);

  given.end({ ...task('given', 1), state: 'completed', ended: 2 });
  for (let i = 0; i < 200; i++) {
    const later = await create(`later-${i}`, []);
    later.end({ ...task(`later-${i}`, 10 + i), state: 'completed', ended: 11 + i });
  }
  await records.prune();
  assert.deepEqual(attachments(), []);
});
