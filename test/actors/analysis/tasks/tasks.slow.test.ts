import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { analysisErrors, type WorkOutcome } from '../../../../actors/analysis/contract.ts';
import { progressOf } from '../../../../actors/analysis/progress.ts';
import { stageKinds } from '../../../../actors/analysis/stages/kinds.ts';
import { TaskDetail, TaskSnapshot } from '../../../../actors/analysis/tasks/contract.ts';
import { STOP_WITHIN_MS } from '../../../../actors/analysis/tasks/running-task.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { draws } from '../../../shared.ts';
import { until } from '../../../until.ts';
import { cancelled, home, recordedOf, requestOf, states, whole } from '../fake-runs.ts';

test('a task is recorded before its start is answered, for other engines too', async () => {
  const h = home();
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/x/../a', '/b', '/a']));
  const [seen] = await h.start().tasks.list();
  assert.ok(Check(TaskSnapshot, seen));
  assert.deepEqual([seen.task_id, seen.state, seen.counts.files], [task_id, 'running', 2]);
  assert.deepEqual(one.analysis.last.run.request.paths, ['/a', '/b']);
  assert.equal(one.analysis.last.run.request.decode, 'exact');
  await assert.rejects(one.tasks.start(requestOf([])), analysisErrors.NO_FILES.is);
  assert.equal((await states(one))[task_id], 'running');
  h.end();
});

test('a task needs its model from the moment it is asked for, started anew or resumed', async () => {
  const h = home();
  const one = h.start();
  assert.equal(one.tasks.busy, false);
  const starting = one.tasks.start(requestOf(['/a']));
  assert.deepEqual([one.tasks.busy, one.tasks.running], [true, null]);
  const { task_id } = await starting;
  await h.settle(one.tasks.cancel());
  assert.equal(one.tasks.busy, false);
  const resuming = one.tasks.resume(task_id);
  assert.deepEqual([one.tasks.busy, one.tasks.running], [true, null]);
  await resuming;
  one.analysis.last.finish();
  await assert.rejects(one.tasks.resume('unknown'), analysisErrors.TASK_UNKNOWN.is);
  assert.equal(one.tasks.busy, false);
  h.end();
});

test('what a task tells begins with its start, ends with its end, and agrees with its record', async () => {
  const h = home();
  const one = h.start();
  one.tasks.subscribe(() => {
    throw new Error('a bad listener');
  });
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b']));
  one.analysis.last.tell('/a', 'failed');
  one.analysis.last.finish();
  await one.analysis.last.ended;
  await new Promise(setImmediate);
  assert.deepEqual(
    one.events.map(([, event]) => event.type),
    ['start', 'result', 'result', 'end'],
  );
  const detail = await one.tasks.get(task_id, whole);
  assert.ok(Check(TaskDetail, detail));
  assert.deepEqual([detail.state, detail.progress, detail.ended], ['completed', 100, 1_000_000]);
  assert.deepEqual(detail.results, [recordedOf('/a', 'failed'), recordedOf('/b', 'analyzed')]);
  assert.deepEqual([detail.counts.done, detail.counts.failed, detail.counts.analyzed], [2, 1, 1]);
  assert.ok(h.lines.some(({ message }) => message === 'a listener failed'));
  h.end();
});

test('a task of which every file failed ends failed and says why; one that did anything does not', async () => {
  const h = home();
  const one = h.start();
  const run = async (outcomes: readonly WorkOutcome[]) => {
    const { task_id } = await one.tasks.start(requestOf(outcomes.map((_, i) => `/${i}`)));
    for (const outcome of outcomes) one.analysis.last.next(outcome);
    one.analysis.last.finish();
    await until(() => !one.tasks.busy);
    return one.tasks.get(task_id, whole);
  };
  const failed = await run(['failed', 'failed']);
  const error = {
    code: 'ALL_FAILED',
    error: 'Every file of the task failed',
    message: 'All 2 files failed. First error: /0: why',
  };
  assert.deepEqual([failed.state, failed.error], ['failed', error]);
  const end = one.events.findLast(([, event]) => event.type === 'end');
  assert.deepEqual(end?.[1], { type: 'end', state: 'failed', error });
  for (const more of ['analyzed', 'stored', 'not_applicable'] as const)
    assert.deepEqual((await run(['failed', more])).state, 'completed');
  h.end();
});

test('a new task asks the one before it to stop, and is refused while that unwinds', async () => {
  const h = home();
  const one = h.start();
  const first = await one.tasks.start(requestOf(['/a']));
  const second = await h.settle(one.tasks.start(requestOf(['/b'])));
  assert.deepEqual(await states(one), { [first.task_id]: 'cancelled', [second.task_id]: 'running' });
  one.analysis.willing = false;
  const before = h.clock.now();
  await assert.rejects(h.settle(one.tasks.start(requestOf(['/c']))), analysisErrors.ANOTHER_TASK.is);
  assert.equal(h.clock.now() - before, STOP_WITHIN_MS);
  assert.equal((await states(one))[second.task_id], 'stopping');
  one.analysis.last.finish();
  const third = await h.settle(one.tasks.start(requestOf(['/c'])));
  assert.equal((await states(one))[third.task_id], 'running');
  h.end();
});

test('of starts at the same time exactly one wins', async () => {
  const h = home();
  const one = h.start();
  const running = await one.tasks.start(requestOf(['/0']));
  const ends = await h.settle(
    Promise.allSettled(['/a', '/b', '/c'].map((path) => one.tasks.start(requestOf([path])))),
  );
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
  assert.equal(one.analysis.active.length, 1);
  const all = Object.values(await states(one));
  assert.deepEqual([all.length, all.filter((state) => state === 'running').length], [2, 1]);
  assert.equal((await states(one))[running.task_id], 'cancelled');
  h.end();
});

test('cancel says whether the task has stopped', async () => {
  const h = home();
  const one = h.start();
  assert.deepEqual(await one.tasks.cancel(), { stopped: true, task_id: null });
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b']));
  one.analysis.willing = false;
  assert.deepEqual(await h.settle(one.tasks.cancel()), { stopped: false, task_id });
  assert.deepEqual(await h.settle(one.tasks.cancel()), { stopped: false, task_id });
  const ending = one.tasks.cancel();
  one.analysis.last.finish();
  assert.deepEqual(await ending, { stopped: true, task_id });
  const detail = await one.tasks.get(task_id, whole);
  assert.deepEqual([detail.state, detail.counts.cancelled, detail.total_results], ['cancelled', 2, 2]);
  h.end();
});

test('a task that had finished every file when it was told to stop is completed', async () => {
  const h = home();
  const one = h.start();
  one.analysis.willing = false;
  const { task_id } = await one.tasks.start(requestOf(['/a']));
  one.analysis.last.next();
  const ending = one.tasks.cancel();
  one.analysis.last.finish();
  await ending;
  assert.equal((await states(one))[task_id], 'completed');
  h.end();
});

test('a task that ends with an error says which', async () => {
  const h = home();
  const one = h.start();
  const failed = await one.tasks.start(requestOf(['/a']));
  one.analysis.last.fail(storeErrors.STORE_FULL('/cache: full'));
  await until(async () => (await states(one))[failed.task_id] !== 'running');
  const error = { code: 'STORE_FULL', error: storeErrors.STORE_FULL.meaning, message: '/cache: full' };
  assert.deepEqual((await one.tasks.get(failed.task_id, whole)).error, error);
  assert.deepEqual(one.events.at(-1), [failed.task_id, { type: 'end', state: 'failed', error }]);
  // Stopped before it had a model: nothing is wrong, and nothing is done.
  one.analysis.willing = false;
  const early = await one.tasks.start(requestOf(['/a']));
  const ending = one.tasks.cancel();
  one.analysis.last.fail(cancelled());
  await ending;
  assert.equal((await states(one))[early.task_id], 'cancelled');
  h.end();
});

test('after a crash a task is interrupted with the results it had, and resuming goes on', async () => {
  const h = home();
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c', '/d'], { force: true }));
  one.analysis.last.tell('/a', 'analyzed');
  one.analysis.last.tell('/b', 'failed');
  const task = progressOf(stageKinds, {
    types: ['video'],
    files: 4,
    files_done: 2,
    surveyed: true,
    percentage: 57.38,
    elapsed_seconds: 1,
    amounts: {},
  });
  one.analysis.last.emit({ type: 'task', task });
  one.analysis.last.emit({ type: 'task', task: { ...task, percentage: 57.94 } });
  one.crash();
  // The line of the file that was being written when it died.
  appendFileSync(join(h.folder, 'tasks', `${task_id}.results.ndjson`), '{"path":"/c","outc');
  const two = h.start();
  const left = await two.tasks.get(task_id, whole);
  assert.deepEqual([left.state, left.counts.done, left.counts.failed], ['interrupted', 2, 1]);
  assert.deepEqual(left.results, [recordedOf('/a', 'analyzed'), recordedOf('/b', 'failed')]);

  assert.deepEqual(await two.tasks.resume(task_id), { task_id });
  const { run } = two.analysis.last;
  // The percentage goes on where it stood, also before anything is told, and below nothing that was told.
  assert.deepEqual([left.progress, run.earlier?.percentage], [57.94, 57.94]);
  assert.equal((await two.tasks.get(task_id, whole)).progress, 57.94);
  assert.deepEqual(run.request.paths, ['/a', '/b', '/c', '/d']);
  assert.deepEqual(
    run.request.paths.map((path) => run.earlier?.finished('video', path)),
    [true, false, false, false],
  );
  await assert.rejects(two.tasks.resume(task_id), analysisErrors.TASK_RUNNING.is);
  two.analysis.last.tell('/a', 'stored');
  two.analysis.last.tell('/b', 'analyzed');
  assert.equal((await two.tasks.get(task_id, whole)).total_results, 2);
  two.analysis.last.finish();
  await until(async () => (await states(two))[task_id] !== 'running');
  const done = await two.tasks.get(task_id, whole);
  // It goes on as if it had never been interrupted.
  assert.deepEqual([done.state, done.counts.analyzed, done.created], ['completed', 4, left.created]);
  assert.deepEqual(
    done.results,
    ['/a', '/b', '/c', '/d'].map((path) => recordedOf(path, 'analyzed')),
  );
  assert.deepEqual((await two.tasks.get(task_id, { offset: 1, limit: 2 })).results, done.results.slice(1, 3));
  h.end();
});

test('an engine that stops interrupts its task, gives no result to what it cut short and admits no other', async () => {
  const h = home();
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b']));
  one.analysis.last.next();
  await h.settle(one.tasks.stop());
  const detail = await one.tasks.get(task_id, whole);
  assert.deepEqual([detail.state, detail.counts.done, detail.counts.cancelled], ['interrupted', 1, 0]);
  assert.deepEqual(detail.results, [recordedOf('/a', 'analyzed')]);
  await assert.rejects(one.tasks.start(requestOf(['/c'])), analysisErrors.STOPPING.is);
  await assert.rejects(one.tasks.resume(task_id), analysisErrors.STOPPING.is);
  const two = h.start();
  await two.tasks.resume(task_id);
  assert.equal((await states(two))[task_id], 'running');
  h.end();
});

test('a start that an ending engine overtakes leaves no task behind', async () => {
  const h = home();
  const stops: Promise<void>[] = [];
  const one = h.start((records) => {
    const create = records.create.bind(records);
    return Object.assign(records, {
      create: (...request: Parameters<typeof create>) => {
        stops.push(one.tasks.stop());
        return create(...request);
      },
    });
  });
  await assert.rejects(one.tasks.start(requestOf(['/a'])), analysisErrors.STOPPING.is);
  await Promise.all(stops);
  assert.equal(stops.length, 1);
  assert.deepEqual([one.analysis.runs.length, readdirSync(join(h.folder, 'tasks'))], [0, []]);
  h.end();
});

test('engines that share a home leave the tasks of each other alone, and one takes an interrupted one', async () => {
  const h = home();
  const [one, two, three] = [h.start(), h.start(), h.start()];
  const { task_id } = await one.tasks.start(requestOf(['/a']));
  assert.equal((await states(two))[task_id], 'running');
  await assert.rejects(two.tasks.resume(task_id), analysisErrors.TASK_RUNNING.is);
  assert.deepEqual(await two.tasks.cancel(), { stopped: true, task_id: null });
  one.crash();
  const ends = await Promise.allSettled([two.tasks.resume(task_id), three.tasks.resume(task_id)]);
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(two.analysis.active.length + three.analysis.active.length, 1);
  h.end();
});

test('what nobody knows is unknown, whatever its name', async () => {
  const h = home();
  const one = h.start();
  for (const id of ['gone', '../tasks', 'a/b', 'task-1.1', '', 'x'.repeat(300), '\0']) {
    await assert.rejects(one.tasks.get(id, whole), analysisErrors.TASK_UNKNOWN.is);
    await assert.rejects(one.tasks.resume(id), analysisErrors.TASK_UNKNOWN.is);
  }
  h.end();
});

test('whatever is asked in whatever order, at most one task runs and every state is true', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('start' as const), files: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('resume' as const), which: fc.nat(5) }),
    fc.record({
      do: fc.constantFrom(
        'cancel' as const,
        'file' as const,
        'finish' as const,
        'fail' as const,
        'crash' as const,
        'stop' as const,
      ),
    }),
    fc.record({ do: fc.constant('will' as const), willing: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const h = home();
      let engine = h.start();
      /** State of each task, as seen from outside. */
      const truth = new Map<string, string>();
      let current: string | null = null;
      const ended = (id: string, state: string) => {
        truth.set(id, state);
        if (current === id) current = null;
      };
      const follow = () =>
        engine.tasks.subscribe((id, event) => {
          if (event.type === 'end') ended(id, event.state);
          if (event.type !== 'start') return;
          assert.equal(current, null, 'a task began while another one was running');
          truth.set(id, 'running');
          current = id;
        });
      follow();
      const renew = () => {
        engine.crash();
        if (current) ended(current, 'interrupted');
        engine = h.start();
        follow();
      };
      for (const at of steps) {
        const running = engine.analysis.active.at(-1);
        if (at.do === 'start') {
          const paths = Array.from({ length: at.files }, (_, i) => `/${i}`);
          await h.settle(engine.tasks.start(requestOf(paths))).catch((error: unknown) => {
            assert.ok(analysisErrors.ANOTHER_TASK.is(error), String(error));
          });
        } else if (at.do === 'resume') {
          const id = [...truth.keys()][at.which];
          const was = id && truth.get(id);
          const error = await h.settle(engine.tasks.resume(id ?? 'none')).then(
            () => null,
            (error: unknown) => error,
          );
          if (!id) assert.ok(analysisErrors.TASK_UNKNOWN.is(error));
          else if (was === 'running' || was === 'stopping') assert.ok(analysisErrors.TASK_RUNNING.is(error));
          else assert.ok(error === null || analysisErrors.ANOTHER_TASK.is(error), String(error));
        } else if (at.do === 'cancel') await h.settle(engine.tasks.cancel());
        else if (at.do === 'file') running?.next();
        else if (at.do === 'finish') running?.finish();
        else if (at.do === 'fail') running?.fail(storeErrors.STORE_FULL('full'));
        else if (at.do === 'will') engine.analysis.willing = at.willing;
        else if (at.do === 'crash') renew();
        else {
          await h.settle(engine.tasks.stop());
          renew();
        }
        await new Promise(setImmediate);
        const listed = await engine.tasks.list();
        const live = listed.filter(({ ended }) => ended === null);
        assert.ok(live.length <= 1 && live[0]?.task_id === (current ?? undefined));
        assert.equal(engine.analysis.active.length, live.length);
        for (const { task_id, state, counts } of listed) {
          const said = truth.get(task_id);
          assert.equal(state === 'stopping' ? 'running' : state, said, `${task_id} after ${at.do}`);
          const sum = counts.analyzed + counts.stored + counts.no_picture + counts.failed + counts.cancelled;
          assert.equal(counts.done, sum);
          if (state === 'completed') assert.equal(counts.done, counts.files);
        }
      }
      h.end();
    }),
    { numRuns: draws(40) },
  );
});
