import assert from 'node:assert/strict';
import test from 'node:test';
import { analysisErrors, type StartOptions } from '../../../../actors/analysis/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { until } from '../../../until.ts';
import { home, requestOf, states } from '../fake-runs.ts';

/** An engine whose first task runs. */
async function busy() {
  const h = home();
  const one = h.start();
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

test('tasks that wait run one after the other, the higher priority first', async () => {
  const e = await busy();
  const waiting = [e.ask('/low'), e.ask('/high', { priority: 5 }), e.ask('/high too', { priority: 5 })];
  await new Promise(setImmediate);
  assert.deepEqual([e.ran(), e.tasks.busy], [['/first'], true]);
  await e.finishAll(4);
  await Promise.all(waiting);
  assert.deepEqual(e.ran(), ['/first', '/high', '/high too', '/low']);
  const ends = e.events.map(([id, { type }]) => `${type} ${id}`).filter((told) => /^(start|end)/.test(told));
  const ids = e.analysis.runs.map(({ run }) => run.task_id);
  assert.deepEqual(
    ends,
    ids.flatMap((id) => [`start ${id}`, `end ${id}`]),
  );
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
  const waiting = e.ask('/waits');
  await new Promise(setImmediate);
  const { task_id } = await e.settle(e.ask('/replaces', { whenBusy: 'replace' }));
  assert.equal((await states(e))[e.task_id], 'cancelled');
  assert.equal(e.tasks.running, task_id);
  await e.finishAll(3);
  await waiting;
  assert.deepEqual(e.ran(), ['/first', '/replaces', '/waits']);
  e.end();
});

test('one whose turn has come and that cannot begin lets the next one go', async () => {
  const e = await busy();
  const nothing = e.ask(null);
  const next = e.ask('/next');
  await new Promise(setImmediate);
  e.analysis.last.finish();
  await assert.rejects(nothing, analysisErrors.NO_FILES.is);
  await next;
  assert.deepEqual(e.ran(), ['/first', '/next']);
  e.end();
});

test('who goes away while waiting has no task, also when its turn has just come', async () => {
  const e = await busy();
  const [early, late] = [new AbortController(), new AbortController()];
  const gone = e.ask('/gone', { signal: early.signal });
  const woken = e.ask('/woken', { signal: late.signal });
  const next = e.ask('/next');
  await new Promise(setImmediate);
  early.abort();
  await assert.rejects(gone, engineErrors.CANCELLED.is);
  e.tasks.subscribe((_, event) => event.type === 'end' && late.abort());
  e.analysis.last.finish();
  await assert.rejects(woken, engineErrors.CANCELLED.is);
  await next;
  assert.deepEqual(e.ran(), ['/first', '/next']);
  e.end();
});

test('an engine that stops sends everybody away who waits', async () => {
  const e = await busy();
  const waiting = [
    e.ask('/a'),
    e.ask('/b', { priority: 1 }),
    e.tasks.resume(e.task_id, { whenBusy: 'wait' }),
  ];
  const ends = Promise.allSettled(waiting);
  await new Promise(setImmediate);
  await e.settle(e.tasks.stop());
  const [a, b, running] = await ends;
  for (const end of [a, b]) assert.ok(end?.status === 'rejected' && analysisErrors.STOPPING.is(end.reason));
  assert.ok(running?.status === 'rejected' && analysisErrors.TASK_RUNNING.is(running.reason));
  await assert.rejects(e.ask('/c'), analysisErrors.STOPPING.is);
  assert.deepEqual([e.ran(), e.tasks.busy], [['/first'], false]);
  e.end();
});

test('one that takes the place of a task that does not stop fails, and who waits still gets its turn', async () => {
  const e = await busy();
  e.analysis.willing = false;
  const waiting = e.ask('/waits');
  await new Promise(setImmediate);
  await assert.rejects(e.settle(e.ask('/replaces', { whenBusy: 'replace' })), analysisErrors.ANOTHER_TASK.is);
  e.analysis.last.finish();
  await waiting;
  assert.deepEqual(e.ran(), ['/first', '/waits']);
  e.end();
});
