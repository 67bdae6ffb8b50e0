import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import type { EndState } from '../../../../actors/analysis/tasks/contract.ts';
import { until } from '../../../until.ts';
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
