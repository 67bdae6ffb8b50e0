import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { AnalysisEvent, WorkResult } from '../../../../actors/analysis/contract.ts';
import { modelErrors } from '../../../../actors/models/contract.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { type Change, runs } from './runs.ts';

const films: FakeFile[] = Array.from({ length: 6 }, (_, i) => ({ name: `f${i}`, frames: 3 + i }));

/** A stage that counts after the pictures, and what had its result when each file was begun. */
function afterPictures() {
  const told = new Map<string, WorkResult>();
  const begun: { path: string; pictures: string | undefined }[] = [];
  const onEvent = (event: AnalysisEvent) => {
    if (event.type === 'result' && event.result.type === 'video') told.set(event.result.path, event.result);
  };
  const change: Change = {
    needs: ['video'],
    session: ({ work }) => ({
      work: (file) => {
        const { path } = file.item;
        begun.push({ path, pictures: told.get(path)?.outcome });
        return work(file);
      },
    }),
  };
  return { change, begun, onEvent };
}

test('a stage begins a file when the one it needs has its result of that file', async (t) => {
  const { change, begun, onEvent } = afterPictures();
  const { run, w, store } = await runs(t, films, change, { decoders: 2 });
  const { error, done } = await run({ onEvent });
  assert.equal(error, null);
  assert.deepEqual(done, { files: 13, all: 13 });
  assert.deepEqual(
    begun.map(({ path, pictures }) => [path, pictures]).toSorted(),
    w.paths.map((path) => [path, 'analyzed']),
  );
  assert.equal(store.totals.get('all'), 33);
  assert.equal(w.pool.free, w.pool.count);
});

test('it does not wait for files that the other stage was not asked for', async (t) => {
  const { change, begun, onEvent } = afterPictures();
  const { run, w } = await runs(t, films, change);
  const [first] = w.paths;
  const { error, done } = await run({ looked: [first!], onEvent });
  assert.equal(error, null);
  assert.deepEqual([begun.length, done], [6, { files: 8, all: 8 }]);
  assert.deepEqual(
    begun.filter(({ pictures }) => pictures).map(({ path }) => path),
    [first],
  );
});

test('a file that failed in the needed stage still comes to the one that waits, which decides', async (t) => {
  const seen: (string | undefined)[] = [];
  const { run, w, store } = await runs(
    t,
    [
      { name: 'good', frames: 4 },
      { name: 'bad', frames: 6, failAt: 2, error: 'decode' },
    ],
    {
      needs: ['video'],
      session: ({ work }, { results }) => ({
        work: async (file) => {
          const pictures = await results.result('video', file.item.path);
          seen.push(pictures?.outcome);
          return pictures?.outcome === 'failed' ? { finished: Promise.resolve(null) } : work(file);
        },
      }),
    },
  );
  const { error, ends } = await run();
  assert.equal(error, null);
  assert.deepEqual(seen.toSorted(), ['analyzed', 'failed']);
  assert.deepEqual(ends, [
    'count all analyzed',
    'count bad not_applicable',
    'count good analyzed',
    'video bad failed',
    'video good analyzed',
  ]);
  assert.equal(store.totals.get('all'), 4);
  assert.equal(w.pool.free, w.pool.count);
});

test('a needed stage that cannot be opened ends the task, and nobody waits for it', async (t) => {
  const { change, begun } = afterPictures();
  const { run, w } = await runs(t, films, change);
  const use = w.search.models.use.bind(w.search.models);
  w.search.models.use = async () => {
    throw modelErrors.MODEL_LOAD_FAILED('fake');
  };
  const { error, ends, done } = await run();
  w.search.models.use = use;
  assert.ok(modelErrors.MODEL_LOAD_FAILED.is(error));
  assert.deepEqual([begun, done], [[], { files: 13, all: 13 }]);
  assert.ok(ends.every((end) => end.endsWith('cancelled')));
});

test('a task that is cancelled while files wait ends each of them', async (t) => {
  const { change, begun } = afterPictures();
  const { run, w } = await runs(t, films, change);
  const gate = Promise.withResolvers<void>();
  w.state.hold = gate.promise;
  const stop = new AbortController();
  const running = run({ signal: stop.signal });
  await until(() => w.decoded.length === 1);
  stop.abort();
  gate.resolve();
  const { error, done, ends } = await running;
  assert.equal(error, null);
  assert.deepEqual([begun, done], [[], { files: 13, all: 13 }]);
  assert.ok(ends.every((end) => end.endsWith('cancelled')));
  await until(() => w.pool.free === w.pool.count);
});

test('one decoder serves both in turn, with batches larger than the slots', async (t) => {
  const { change, onEvent } = afterPictures();
  const long = films.map(({ name }) => ({ name, frames: 40 }));
  const { run, w, store } = await runs(t, long, change, { decoders: 1, batch: 200 });
  assert.equal((await run({ onEvent })).error, null);
  assert.equal(store.totals.get('all'), 240);
  assert.equal(w.pool.free, w.pool.count);
});

test('files that wait cost the signal of the task no listener each', async (t) => {
  const signals: AbortSignal[] = [];
  const stills = Array.from({ length: 200 }, (_, i) => ({
    name: `s${i}`,
    frames: 1,
    kind: 'image' as const,
  }));
  const { run, w } = await runs(t, stills, {
    needs: ['video'],
    open: async ({ signal }) => void signals.push(signal),
  });
  const gate = Promise.withResolvers<void>();
  w.state.hold = gate.promise;
  const running = run();
  await until(() => w.decoded.length === 1);
  const waiting = getEventListeners(signals[0]!, 'abort').length;
  gate.resolve();
  assert.equal((await running).error, null);
  assert.ok(waiting < 20, `${waiting} listeners`);
});
