// Tasks that wait for their turn: their order, their places in the line, and what ends their waiting.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import fc from 'fast-check';
import { analysisErrors, type JobOptions } from '../../../../actors/analysis/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { until } from '../../../until.ts';
import { home, states, whole } from '../fake-runs.ts';

function engine(t: TestContext, mostWaiting?: number) {
  const h = home();
  t.after(h.end);
  const one = h.start(undefined, undefined, mostWaiting);
  const asking =
    (tasks: typeof one.tasks) =>
    async (name: string, options: JobOptions = {}, path = name) => {
      const request = { cache_dir: h.folder, hash_str: name, media_path: `/${path}`, max_side: 640 };
      return tasks.begin('proxy', request, options);
    };
  const ask = asking(one.tasks);
  const line = async ({ tasks } = one) =>
    (await tasks.list())
      .filter(({ state }) => state === 'queued')
      .sort((a, b) => (a.queue_position ?? 0) - (b.queue_position ?? 0))
      .map(({ task_id, queue_position, waits_for }) => [task_id, queue_position, waits_for]);
  const began = () => one.analysis.runs.map(({ run }) => run.request.proxy_request?.hash_str);
  const told = (id: string) => one.events.filter(([of]) => of === id).map(([, event]) => event);
  return { ...h, ...one, asking, ask, line, began, told };
}

test('tasks run one after the other in the order of asking; each says where it waits and for whom', async (t) => {
  const e = engine(t);
  const first = (await e.ask('a')).task_id;
  const [b, c] = [await e.ask('b'), await e.ask('c')];
  assert.deepEqual([b.queue_position, c.queue_position], [1, 2]);
  assert.deepEqual(await e.line(), [
    [b.task_id, 1, first],
    [c.task_id, 2, first],
  ]);
  const { state, started, created, elapsed_seconds, ended } = await e.tasks.get(b.task_id, whole);
  assert.deepEqual([state, started, elapsed_seconds, ended], ['queued', created, 0, null]);
  e.clock.advance(60_000);
  e.analysis.last.finish();
  await until(() => e.began().length === 2);
  assert.deepEqual(await e.line(), [[c.task_id, 1, b.task_id]]);
  const running = await e.tasks.get(b.task_id, whole);
  assert.deepEqual([running.state, running.queue_position, running.waits_for], ['running', null, null]);
  assert.ok(
    running.started - running.created > 59 && running.elapsed_seconds < 1,
    'what it waited is no work',
  );
  e.analysis.last.finish();
  await until(() => e.began().length === 3);
  e.analysis.last.finish();
  await until(async () => Object.values(await states(e)).every((one) => one === 'completed'));
  assert.deepEqual(e.began(), ['a', 'b', 'c']);
  const kinds = e
    .told(c.task_id)
    .map((event) => (event.type === 'queued' ? event.queue_position : event.type));
  assert.deepEqual(kinds, [2, 1, 'start', 'end']);
  const ends = e.events.map(([id, { type }]) => `${type} ${id}`).filter((one) => /^(start|end)/.test(one));
  const ids = e.analysis.runs.map(({ run }) => run.task_id);
  assert.deepEqual(
    ends,
    ids.flatMap((id) => [`start ${id}`, `end ${id}`]),
  );
});

test('asked at once they come in the order of asking, whichever is recorded first, and the higher priority first', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 6 }),
      async (all) => {
        const e = engine(t);
        await e.ask('first');
        await Promise.all(all.map((priority, i) => e.ask(`${i}`, { priority })));
        for (let run = 1; run <= all.length + 1; run++) {
          await until(() => e.analysis.runs.length === run);
          e.analysis.last.finish();
        }
        const expected = [...all.keys()].sort((a, b) => all[b]! - all[a]! || a - b);
        assert.deepEqual(e.began(), ['first', ...expected.map(String)]);
      },
    ),
    { numRuns: 8 },
  );
});

test('one that waits is cancelled at once, the others move up, and it can be resumed: then it waits again', async (t) => {
  const e = engine(t);
  await e.ask('a');
  const [b, c] = [(await e.ask('b')).task_id, (await e.ask('c')).task_id];
  assert.deepEqual(await e.tasks.cancel(b), { stopped: true, task_id: b });
  const { state, ended, error, queue_position, counts } = await e.tasks.get(b, whole);
  assert.deepEqual([state, error, queue_position, counts.jobs_done], ['cancelled', null, null, 0]);
  assert.notEqual(ended, null);
  assert.deepEqual(e.told(b).at(-1), { type: 'end', state: 'cancelled', error: null });
  assert.deepEqual(
    (await e.line()).map(([id, at]) => [id, at]),
    [[c, 1]],
  );
  assert.deepEqual(await e.tasks.resume(b), { task_id: b, queue_position: 2 });
  await assert.rejects(e.tasks.resume(b), analysisErrors.TASK_RUNNING.is);
  e.analysis.last.finish();
  await until(() => e.began().length === 2);
  await e.settle(e.tasks.cancel(c));
  await until(() => e.began().length === 3);
  assert.deepEqual(e.began(), ['a', 'c', 'b'], 'one that is cancelled while it runs lets the next begin');
  e.analysis.last.finish();
});

test('the same wish is the same task, while it runs, while it waits and when it comes twice at once', async (t) => {
  const e = engine(t);
  const a = await e.ask('a');
  assert.deepEqual(await e.ask('a', {}, 'a copy of it'), { task_id: a.task_id });
  const [b, again] = await Promise.all([e.ask('b'), e.ask('b')]);
  assert.deepEqual(b, again);
  await e.ask('c');
  assert.deepEqual(await e.ask('b', {}, 'elsewhere'), b);
  assert.equal((await e.tasks.list()).length, 3);
  await e.tasks.cancel(b.task_id);
  const anew = await e.ask('b');
  assert.notEqual(anew.task_id, b.task_id);
  e.analysis.willing = false;
  const stopping = e.tasks.cancel(a.task_id);
  assert.notEqual((await e.ask('a')).task_id, a.task_id, 'one that stops does nothing for anybody');
  e.analysis.last.finish();
  await stopping;
});

test('of too many the last one is refused until one has left, and a record of it is not there', async (t) => {
  const e = engine(t, 3);
  await e.ask('runs');
  const all = await Promise.allSettled(Array.from({ length: 4 }, (_, i) => e.ask(`${i}`)));
  const refused = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.equal(refused.length, 1);
  const { reason } = refused[0]!;
  assert.ok(analysisErrors.LINE_FULL.is(reason) && reason.retryable && reason.status === 503);
  assert.match(reason.message, /3 tasks are already queued/);
  const tasks = await e.tasks.list();
  assert.equal(tasks.length, 4);
  await e.tasks.cancel(tasks.find(({ queue_position }) => queue_position === 2)!.task_id);
  assert.equal((await e.ask('late')).queue_position, 3);
  await e.settle(e.tasks.stop());
});

test('a task that fails at its turn fails alone, and the next one begins', async (t) => {
  const e = engine(t);
  const a = (await e.ask('a')).task_id;
  const [b, c] = [(await e.ask('b')).task_id, (await e.ask('c')).task_id];
  e.analysis.last.fail(storeErrors.STORE_FULL('full'));
  await until(() => e.began().length === 2);
  e.analysis.last.fail(storeErrors.STORE_FULL('full'));
  await until(() => e.began().length === 3);
  assert.deepEqual(await states(e), { [a]: 'failed', [b]: 'failed', [c]: 'running' });
  e.analysis.last.finish();
  await until(async () => (await states(e))[c] === 'completed');
});

test('an engine that stops interrupts those that wait; after a kill it is the same, and a resume queues them', async (t) => {
  for (const way of ['stop', 'kill']) {
    const e = engine(t);
    const ids = [(await e.ask('a')).task_id, (await e.ask('b')).task_id, (await e.ask('c')).task_id];
    if (way === 'kill') e.crash();
    else {
      const events = e.events.length;
      await e.settle(e.tasks.stop());
      const last = e.events.slice(events).map(([id, event]) => [id, event.type]);
      assert.deepEqual(last.sort(), ids.map((id) => [id, 'end']).sort(), 'nobody moves up meanwhile');
      await assert.rejects(e.ask('late'), analysisErrors.STOPPING.is);
    }
    const two = e.start();
    const left = await two.tasks.list();
    for (const { state, ended, queue_position, waits_for } of left)
      assert.deepEqual([state, ended !== null, queue_position, waits_for], ['interrupted', true, null, null]);
    assert.deepEqual(left.map(({ task_id }) => task_id).sort(), [...ids].sort());
    const [a, b, c] = ids as [string, string, string];
    assert.deepEqual(await two.tasks.resume(b), { task_id: b });
    assert.deepEqual(await two.tasks.resume(a), { task_id: a, queue_position: 1 });
    assert.deepEqual(await two.tasks.resume(c), { task_id: c, queue_position: 2 });
    for (let run = 1; run <= 3; run++) {
      await until(() => two.analysis.runs.length === run);
      two.analysis.last.finish();
    }
    await until(async () => Object.values(await states(two)).every((one) => one === 'completed'));
    assert.equal(e.analysis.runs.length, 1, 'those that waited never began in the first engine');
  }
});

test('other processes see a task wait, cannot cancel it, and see it run when its turn has come', async (t) => {
  const e = engine(t);
  await e.ask('a');
  const b = (await e.ask('b')).task_id;
  const other = e.start();
  assert.deepEqual(
    (await e.line(other)).map(([id, at]) => [id, at]),
    [[b, 1]],
  );
  await assert.rejects(other.tasks.cancel(b), analysisErrors.TASK_RUNNING.is);
  await assert.rejects(other.tasks.resume(b), analysisErrors.TASK_RUNNING.is);
  e.analysis.last.finish();
  await until(() => e.began().length === 2);
  assert.equal((await states(other))[b], 'running');
  e.analysis.last.finish();
});

test('what earlier runs did counts for a resumed task that is cancelled before its turn', async (t) => {
  const e = engine(t);
  const a = (await e.ask('a')).task_id;
  const result = { path: '/a', type: 'proxy', hash_str: null, outcome: 'failed', reason: null } as const;
  const why = { code: 'X', message: 'why' };
  e.analysis.last.emit({
    type: 'result',
    result: { ...result, facts: { proxy: null }, duration_seconds: 0, error: why, closing: true },
  });
  e.analysis.last.finish();
  await until(async () => (await states(e))[a] === 'failed');
  await e.ask('b');
  assert.deepEqual(await e.tasks.resume(a), { task_id: a, queue_position: 1 });
  await e.tasks.cancel(a);
  const { state, counts, results } = await e.tasks.get(a, whole);
  assert.deepEqual([state, counts.jobs_done, counts.jobs_failed, results.length], ['cancelled', 1, 1, 1]);
  e.analysis.last.finish();
});
