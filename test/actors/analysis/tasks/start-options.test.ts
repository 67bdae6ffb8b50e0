import assert from 'node:assert/strict';
import test from 'node:test';
import { analysisErrors, type StartOptions } from '../../../../actors/analysis/contract.ts';
import type { Preflight } from '../../../../actors/analysis/tasks/preflight.ts';
import { until } from '../../../until.ts';
import { home, requestOf, states, unchecked } from '../fake-runs.ts';

/** An engine whose first task runs. `admit`: of those whose turn comes later. */
async function busy(admit?: Preflight['admit']) {
  const h = home();
  const one = h.start(undefined, admit && { ...unchecked, admit });
  const { task_id } = await one.tasks.start(requestOf(['/first']));
  const ask = (path: string | null, admission: StartOptions = {}) =>
    one.tasks.start(requestOf(path === null ? [] : [path]), { whenBusy: 'wait', ...admission });
  /** Files of the tasks that ran, in the order in which they began. */
  const ran = () => one.analysis.runs.flatMap(({ run }) => run.request.paths);
  const finishAll = async (count: number) => {
    for (let run = 1; run <= count; run++) {
      await until(() => one.analysis.runs.length >= run);
      one.analysis.runs[run - 1]!.finish();
    }
    await until(() => !one.tasks.busy);
  };
  return { ...h, ...one, task_id, ask, ran, finishAll };
}

test('analyses that wait run one after the other, the higher priority first', async () => {
  const e = await busy();
  const waiting = [e.ask('/low'), e.ask('/high', { priority: 5 }), e.ask('/high too', { priority: 5 })];
  const places = await Promise.all(waiting);
  assert.ok(places.every(({ queue_position }) => queue_position !== undefined));
  assert.deepEqual([e.ran(), e.tasks.busy], [['/first'], true]);
  await e.finishAll(4);
  assert.deepEqual(e.ran(), ['/first', '/high', '/high too', '/low']);
  e.end();
});

test('one that is refused while another runs changes nothing', async () => {
  const e = await busy();
  await assert.rejects(e.ask('/b', { whenBusy: 'refuse' }), analysisErrors.ANOTHER_TASK.is);
  assert.deepEqual(await states(e), { [e.task_id]: 'running' });
  await e.finishAll(1);
  await e.ask('/b', { whenBusy: 'refuse' });
  assert.deepEqual(e.ran(), ['/first', '/b']);
  e.end();
});

test('a task that takes the place of another goes before those that wait', async () => {
  const e = await busy();
  await e.ask('/waits');
  const { task_id } = await e.settle(e.ask('/replaces', { whenBusy: 'replace' }));
  assert.equal((await states(e))[e.task_id], 'cancelled');
  assert.equal(e.tasks.running, task_id);
  await e.finishAll(3);
  assert.deepEqual(e.ran(), ['/first', '/replaces', '/waits']);
  e.end();
});

test('one whose turn has come and that cannot begin any more fails, and lets the next one go', async () => {
  const e = await busy(async () => {
    throw analysisErrors.OTHER_MODEL('another model is in use');
  });
  await assert.rejects(e.ask(null), analysisErrors.NO_FILES.is);
  const { task_id } = await e.ask('/waits');
  e.analysis.last.finish();
  await until(() => !e.tasks.busy);
  assert.deepEqual([e.ran(), (await states(e))[task_id]], [['/first'], 'failed']);
  e.end();
});

test('who goes away while the task waits keeps the task', async () => {
  const e = await busy();
  const gone = new AbortController();
  await e.ask('/waits', { signal: gone.signal });
  gone.abort();
  await e.finishAll(2);
  assert.deepEqual(e.ran(), ['/first', '/waits']);
  e.end();
});

test('an engine that stops interrupts the analyses that wait, and takes none', async () => {
  const e = await busy();
  const waiting = await Promise.all([e.ask('/a'), e.ask('/b', { priority: 1 })]);
  await assert.rejects(e.tasks.resume(e.task_id, { whenBusy: 'wait' }), analysisErrors.TASK_RUNNING.is);
  await e.settle(e.tasks.stop());
  const ends = await states(e);
  for (const { task_id } of waiting) assert.equal(ends[task_id], 'interrupted');
  await assert.rejects(e.ask('/c'), analysisErrors.STOPPING.is);
  assert.deepEqual([e.ran(), e.tasks.busy], [['/first'], false]);
  e.end();
});

test('one that takes the place of a task that does not stop fails, and who waits still gets its turn', async () => {
  const e = await busy();
  e.analysis.willing = false;
  await e.ask('/waits');
  await assert.rejects(e.settle(e.ask('/replaces', { whenBusy: 'replace' })), analysisErrors.ANOTHER_TASK.is);
  await e.finishAll(2);
  assert.deepEqual(e.ran(), ['/first', '/waits']);
  e.end();
});
