import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import { stageKinds as kinds } from '../../../../actors/analysis/stages/kinds.ts';
import type { EndState } from '../../../../actors/analysis/tasks/contract.ts';
import { TaskRecords } from '../../../../actors/analysis/tasks/records.ts';
import { readFailures } from '../../../../actors/analysis/tasks/results.ts';
import { newTask } from '../../../../actors/analysis/tasks/run-tally.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { noPaths } from '../../library/fake-roots.ts';
import { home, requestOf, states, whole } from '../fake-runs.ts';

/**
 * A task of three files that is to begin nothing more: of the first the result is there, the second is worked
 * on.
 */
async function finishing(t: TestContext) {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c']));
  const run = one.analysis.last;
  run.tell('/a', 'analyzed');
  one.tasks.finish(task_id);
  const outcomes = async () =>
    Object.fromEntries(
      (await one.tasks.get(task_id, whole)).results.map(({ path, outcome }) => [path, outcome]),
    );
  return { ...h, ...one, start: h.start, task_id, run, outcomes };
}

const endsOf = ({ events }: Awaited<ReturnType<typeof finishing>>): EndState[] =>
  events.flatMap(([, event]) => (event.type === 'end' ? [event.state] : []));

test('a task that is to be finished goes on with what it has begun, and can be resumed with the rest', async (t) => {
  const e = await finishing(t);
  assert.deepEqual([e.run.draining.aborted, e.run.signal.aborted], [true, false]);
  assert.deepEqual(await states(e), { [e.task_id]: 'running' });
  assert.deepEqual([...(await e.tasks.unfinished())!.paths], ['/b', '/c']);
  e.run.tell('/b', 'analyzed');
  e.run.finish();
  await until(() => !e.tasks.busy);
  assert.deepEqual(await states(e), { [e.task_id]: 'cancelled' });
  assert.deepEqual(await e.outcomes(), { '/a': 'analyzed', '/b': 'analyzed', '/c': 'cancelled' });
  await e.tasks.resume(e.task_id);
  const { earlier } = e.analysis.last.run;
  assert.deepEqual(
    ['/a', '/b', '/c'].map((path) => earlier?.finished('video', path)),
    [true, true, false],
  );
  e.analysis.last.finish();
  await until(() => !e.tasks.busy);
  assert.deepEqual(await states(e), { [e.task_id]: 'completed' });
});

test('one of which nothing was cut short is completed, and finishing it once more changes nothing', async (t) => {
  const e = await finishing(t);
  for (const path of ['/b', '/c']) e.run.tell(path, 'analyzed');
  e.tasks.finish(e.task_id);
  e.run.finish();
  await until(() => !e.tasks.busy);
  e.tasks.finish(e.task_id);
  assert.deepEqual(await states(e), { [e.task_id]: 'completed' });
});

test('finishing a task that does not run reaches no other', async (t) => {
  const e = await finishing(t);
  e.run.finish();
  await until(() => !e.tasks.busy);
  await e.tasks.start(requestOf(['/next']));
  e.tasks.finish(e.task_id);
  e.tasks.finish('nobody');
  assert.equal(e.analysis.last.draining.aborted, false);
  e.analysis.last.finish();
});

for (const [what, state] of [
  ['cancel', 'cancelled'],
  ['stop', 'interrupted'],
] as const) {
  test(`a ${what} ends at once a task that is being finished`, async (t) => {
    const e = await finishing(t);
    await e.settle<unknown>(e.tasks[what]());
    assert.deepEqual([await states(e), endsOf(e)], [{ [e.task_id]: state }, [state]]);
  });
}

const watched = { source: 'watch_folder', whenBusy: 'refuse' } as const;

for (const isFinishing of [false, true]) {
  const how = isFinishing ? 'is being finished' : 'runs';
  test(`a request takes the place of a watched task that ${how}`, async (t) => {
    const h = home();
    t.after(h.end);
    const one = h.start();
    const { task_id: first } = await one.tasks.start(requestOf(['/w1', '/w2']), watched);
    one.analysis.last.tell('/w1', 'analyzed');
    if (isFinishing) one.tasks.finish(first);
    const { task_id } = await h.settle(one.tasks.start(requestOf(['/mine'])));
    assert.deepEqual(await states(one), { [first]: 'cancelled', [task_id]: 'running' });
    // And no watched task takes the place of the request.
    await assert.rejects(one.tasks.start(requestOf(['/w2']), watched), analysisErrors.ANOTHER_TASK.is);
    assert.equal(one.tasks.running, task_id);
    one.analysis.last.finish();
  });
}

test('a request goes before a watched task that does not stop within the limit, or is told so', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  one.analysis.willing = false;
  const { task_id: first } = await one.tasks.start(requestOf(['/w1']), watched);
  one.tasks.finish(first);
  await assert.rejects(h.settle(one.tasks.start(requestOf(['/mine']))), analysisErrors.ANOTHER_TASK.is);
  assert.deepEqual(await states(one), { [first]: 'stopping' });
  one.analysis.last.finish();
  await until(() => !one.tasks.busy);
  await one.tasks.start(requestOf(['/mine']));
  one.analysis.last.finish();
});

test('of two watched tasks that start at once one wins, and the other is refused', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const both = await Promise.allSettled([
    one.tasks.start(requestOf(['/w1']), watched),
    one.tasks.start(requestOf(['/w2']), watched),
  ]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  assert.ok(analysisErrors.ANOTHER_TASK.is(refused.reason));
  assert.deepEqual([one.analysis.runs.length, Object.values(await states(one))], [1, ['running']]);
  one.analysis.last.finish();
});

test('a cancel by id stops that task, and none that has taken its place', async (t) => {
  const e = await finishing(t);
  await assert.rejects(e.tasks.cancel('nobody'), analysisErrors.TASK_UNKNOWN.is);
  assert.deepEqual(await e.settle(e.tasks.cancel(e.task_id)), { stopped: true, task_id: e.task_id });
  const { task_id } = await e.tasks.start(requestOf(['/next']));
  assert.deepEqual(await e.tasks.cancel(e.task_id), { stopped: true, task_id: null });
  assert.deepEqual(await states(e), { [e.task_id]: 'cancelled', [task_id]: 'running' });
  e.analysis.last.finish();
});

test('a task of another process cannot be cancelled from here, and says so', async (t) => {
  const e = await finishing(t);
  const other = e.start();
  await assert.rejects(other.tasks.cancel(e.task_id), analysisErrors.TASK_RUNNING.is);
  assert.deepEqual(await states(e), { [e.task_id]: 'running' });
  e.run.finish();
});

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
  const folder = temporaryFolder(t);
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

test('failures are those that stand, whatever became of others, and no more than are asked for', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a.results.ndjson');
  const line = (path: string, type: string, outcome: string) =>
    `${JSON.stringify({ path, type, outcome })}\n`;
  const lines = [
    line('/a', 'video', 'failed'),
    line('/b', 'video', 'failed'),
    line('/b', 'speech', 'failed'),
    '{"path":"/damaged"\u0000\n',
    line('/a', 'video', 'analyzed'),
    line('/c', 'video', 'stored'),
    line('/d', 'video', 'failed'),
    '{"path":"/cut","type":"video","outco',
  ];
  writeFileSync(file, lines.join(''));
  const never = new AbortController().signal;
  const found = async (most: number) =>
    (await readFailures(file, most, never)).map(({ path, type }) => `${path} ${type}`);
  assert.deepEqual(await found(10), ['/b video', '/b speech', '/d video']);
  assert.equal((await found(2)).length, 2);
  assert.deepEqual(await readFailures(join(folder, 'none'), 10, never), []);
  await assert.rejects(readFailures(file, 10, AbortSignal.abort()), engineErrors.CANCELLED.is);
});

const query = {
  cache_dir: '/c',
  paths: [],
  speech: [],
  face_jobs: [],
  summary_jobs: [],
  model_key: null,
  force: false,
};
const recordRequest = { ...query, decode: 'exact' } as const;

test('a task that another process resumes while old records are removed keeps its own', async (t) => {
  const folder = temporaryFolder(t);
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
  const query = { request: recordRequest, attachments: [], source: 'request' } as const;
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
