import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { FileWork, StageRun } from '../../../../actors/analysis/stages/stage.ts';
import { draws } from '../../../shared.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { type Change, runs } from './runs.ts';

const films: FakeFile[] = ['a', 'b', 'c'].map((name, i) => ({ name, frames: 5 + i }));

interface Moment {
  readonly name: string;
  /** When to begin nothing more. */
  change?(drain: () => void): Change;
  readonly from?: 'start' | 'survey';
  /** Files that are finished, whichever came first. */
  readonly finished: number;
}

/** What happens when work on so many files has begun. */
const atWork =
  (count: number) =>
  (drain: () => void): Change => {
    let begun = 0;
    return {
      session: ({ work }) => ({
        work: (file: FileWork) => {
          if (++begun === count) drain();
          return work(file);
        },
      }),
    };
  };

const atClosing = (drain: () => void): Change => ({
  session: ({ closing }) => ({
    closing: {
      ...(closing as NonNullable<StageRun['closing']>),
      work: (...step) => {
        drain();
        return (closing as NonNullable<StageRun['closing']>).work(...step);
      },
    },
  }),
});

const moments: readonly Moment[] = [
  { name: 'before it begins', from: 'start', finished: 0 },
  { name: 'when a stage opens', change: (drain) => ({ open: async () => drain() }), finished: 0 },
  { name: 'while files are surveyed', from: 'survey', finished: 0 },
  { name: 'while the first file is worked on', change: atWork(1), finished: 1 },
  { name: 'while one in the middle is worked on', change: atWork(2), finished: 2 },
  { name: 'while the last file is worked on', change: atWork(3), finished: 3 },
  { name: 'in the closing step', change: atClosing, finished: 3 },
];

/** A run that begins nothing more from a moment on. */
async function drained(t: TestContext, { change, from }: Pick<Moment, 'change' | 'from'>) {
  const drain = new AbortController();
  const engine = await runs(t, films, change?.(() => drain.abort()) ?? {}, { decoders: 1 });
  const { w, run } = engine;
  if (from === 'start') drain.abort();
  const gate = Promise.withResolvers<void>();
  if (from === 'survey') w.state.holdProbes = gate.promise;
  const running = run({ draining: drain.signal });
  if (from === 'survey') {
    await until(() => w.probing.now > 0);
    drain.abort();
    gate.resolve();
  }
  return { ...engine, ended: await running };
}

for (const moment of moments) {
  test(`nothing more is begun ${moment.name}: what was begun is finished, the rest is cancelled`, async (t) => {
    const { ended, w, store } = await drained(t, moment);
    const { report, error, results, done } = ended;
    assert.equal(error, null);
    const { finished } = moment;
    // Two are surveyed side by side, and either may come first.
    assert.equal(w.decoded.length, finished);
    const outcomeOf = (name: string) => (w.decoded.includes(name) ? 'analyzed' : 'cancelled');
    const files = Object.fromEntries(films.map(({ name }) => [name, outcomeOf(name)]));
    const of = (type: string) =>
      Object.fromEntries(
        results.filter((one) => one.type === type).map(({ path, outcome }) => [basename(path), outcome]),
      );
    const closed = finished > 0 ? 'analyzed' : 'cancelled';
    assert.deepEqual([of('video'), of('count')], [files, { ...files, all: closed }]);
    assert.deepEqual([results.length, done], [7, { files: 7, all: 7 }]);
    assert.equal(report?.cancelled, finished < 3);
    const frames = films.filter(({ name }) => w.decoded.includes(name)).map((film) => film.frames);
    const total = finished > 0 ? frames.reduce((sum, of) => sum + of, 0) : undefined;
    assert.equal(store.totals.get('all'), total);
    assert.equal(w.pool.free, w.pool.count);
  });
}

test('a file that waits for another stage is not begun when nothing more is', async (t) => {
  const drain = new AbortController();
  const { run, w } = await runs(t, films, { needs: ['video'] }, { decoders: 1 });
  const gate = Promise.withResolvers<void>();
  w.state.hold = gate.promise;
  const running = run({ draining: drain.signal });
  await until(() => w.decoded.length === 1);
  drain.abort();
  gate.resolve();
  const { ends } = await running;
  assert.deepEqual(
    ends.filter((end) => !end.endsWith('cancelled')),
    [`video ${w.decoded[0]} analyzed`],
  );
});

test('a cancel ends at once what was to be finished', async (t) => {
  const [drain, stop] = [new AbortController(), new AbortController()];
  const { run, w } = await runs(t, films, {}, { decoders: 1 });
  const gate = Promise.withResolvers<void>();
  w.state.hold = gate.promise;
  const running = run({ draining: drain.signal, signal: stop.signal });
  await until(() => w.decoded.length === 1);
  drain.abort();
  stop.abort();
  gate.resolve();
  const { report, ends } = await running;
  assert.equal(report?.cancelled, true);
  assert.ok(ends.every((end) => end.endsWith('cancelled')));
  await until(() => w.pool.free === w.pool.count);
});

test('work that hung is not done once more when nothing more is begun', async (t) => {
  const drain = new AbortController();
  const hanging: FakeFile[] = [{ name: 'a', frames: 5, failAt: 2, failures: 1, error: 'hang' }];
  const { run } = await runs(
    t,
    hanging,
    atWork(1)(() => drain.abort()),
    { decoders: 1 },
  );
  const { report, ends } = await run({ draining: drain.signal });
  assert.equal(report?.cancelled, true);
  assert.deepEqual(ends, ['count a cancelled', 'count all cancelled', 'video a cancelled']);
});

const someFilm = fc.record({
  frames: fc.integer({ min: 1, max: 5 }),
  fault: fc.constantFrom('none', 'none', 'none', 'decode', 'crash', 'hang'),
  kind: fc.constantFrom('video', 'video', 'audio', 'image'),
});

test('whenever nothing more is begun, each piece has one result, and another run does the rest', async (t) => {
  const plan = fc.record({
    films: fc.array(someFilm, { minLength: 1, maxLength: 6 }),
    decoders: fc.integer({ min: 1, max: 3 }),
    waits: fc.boolean(),
    at: fc.nat(80),
  });
  const property = fc.asyncProperty(plan, async ({ films: some, decoders, waits, at }) => {
    const files = some.map(({ frames, fault, kind }, i): FakeFile => {
      const of = { name: `f${i}`, frames, kind } as const;
      return fault === 'none' ? of : { ...of, failAt: 0, failures: 1, error: fault as 'decode' };
    });
    const begun = new Set<string>();
    const change: Change = {
      needs: waits ? ['video'] : [],
      session: ({ work }) => ({
        work: (file) => {
          begun.add(file.item.path);
          return work(file);
        },
      }),
    };
    const { run, w } = await runs(t, files, change, { decoders });
    const drain = new AbortController();
    const atDrain = new Set<string>();
    let events = 0;
    const onEvent = () => {
      if (events++ !== at) return;
      for (const path of begun) atDrain.add(path);
      drain.abort();
    };
    const { results, error, report } = await run({ draining: drain.signal, onEvent });
    const pieces = w.paths.flatMap((path) => [`video ${path}`, `count ${path}`]);
    const texts = results.map(({ type, path }) => `${type} ${path}`);
    assert.equal(error, null);
    assert.deepEqual(texts.toSorted(), [...pieces, 'count all'].toSorted());
    assert.equal(
      report?.cancelled,
      results.some(({ outcome }) => outcome === 'cancelled'),
    );
    for (const { type, path, outcome } of results) {
      const hangs = w.state.files.get(path)?.error === 'hang';
      if (type === 'count' && atDrain.has(path)) assert.ok(hangs || outcome !== 'cancelled', path);
    }
    assert.equal(w.pool.free, w.pool.count);
    const next = await run();
    assert.equal(next.results.length, pieces.length + 1);
    assert.ok(next.results.every(({ outcome }) => outcome !== 'cancelled'));
  });
  await fc.assert(property, { numRuns: draws(40) });
});
