import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { allStages as stages } from '../../../../actors/analysis/analysis.ts';
import type { TaskRequest } from '../../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../../actors/analysis/stages/kinds.ts';
import { createProgressView, createTally, summary } from '../../../../cli/progress-view.ts';
import { renderFamilies } from '../../../../http/metrics/exposition.ts';
import { createTaskMeter } from '../../../../http/metrics/meters.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';
import { type CountJob, type CountStore, countKind, countStage } from './counting.ts';
import { type EngineOptions, page, taskEngine } from './task-engine.ts';

const kinds = [...stageKinds, countKind];
const films: FakeFile[] = [
  { name: 'a', frames: 5 },
  { name: 'b', frames: 3 },
  { name: 'sound', frames: 4, kind: 'audio' },
];

/** An engine whose list of stages has one more, and the fronts that tell of its tasks. */
async function engine(
  t: TestContext,
  files: readonly FakeFile[],
  options: EngineOptions & { readonly store?: CountStore } = {},
) {
  const store = options.store ?? { files: new Map(), totals: new Map() };
  const journal = options.journal ? { journal: options.journal } : {};
  const w = await world(files, { stages: [...stages, countStage(store)], decoders: 1, ...journal });
  t.after(() => w.end());
  await w.search.models.load('fake');
  const meter = createTaskMeter(kinds);
  const lines: string[] = [];
  const screen = { write: (text: string) => void lines.push(text), columns: 200, isTerminal: false };
  const view = createProgressView(screen, w.clock, kinds);
  const tally = createTally(kinds);
  const own = taskEngine(w, options, { kinds });
  own.tasks.subscribe((task_id, event) => {
    meter.listener(task_id, event);
    if (event.type === 'result') tally.add(event.result);
    if (event.type !== 'end' && event.type !== 'start' && event.type !== 'queued') view.event(event);
  });
  const begin = (count_jobs: readonly CountJob[], more: Partial<TaskRequest> = {}) =>
    own.begin({ count_jobs, ...more } as Partial<TaskRequest>);
  return { ...own, store, meter, lines, view, tally, begin };
}

type Engine = Awaited<ReturnType<typeof engine>>;

async function outcomes({ tasks }: Engine, task_id: string): Promise<string[]> {
  const { results } = await tasks.get(task_id, page);
  return results.map(({ type, path, outcome }) => `${type} ${path.split('/').at(-1)} ${outcome}`).sort();
}

const job = (w: { paths: readonly string[] }, name = 'all'): CountJob => ({ name, paths: [...w.paths] });

test('a stage that is only declared runs, closes its jobs, and shows wherever tasks show', async (t) => {
  const e = await engine(t, films);
  const task_id = await e.begin([job(e.w)]);
  assert.equal(await e.end(), 'completed');
  assert.deepEqual(await outcomes(e, task_id), [
    'count a analyzed',
    'count all analyzed',
    'count b analyzed',
    'count sound nothing_to_count',
  ]);
  assert.equal(e.store.totals.get('all'), 8);

  const task = (await e.tasks.get(task_id, page)) as unknown as Record<string, unknown>;
  assert.deepEqual([task['counted_pictures'], task['countable_pictures'], task['progress']], [8, 8, 100]);
  const counts = task['counts'] as Record<string, number>;
  assert.deepEqual([counts['files'], counts['done'], counts['nothing_to_count']], [3, 3, 1]);
  assert.deepEqual([counts['jobs'], counts['jobs_done']], [1, 1]);
  const facts = (task['results'] as { path: string; pictures: number }[]).map(({ pictures }) => pictures);
  assert.deepEqual(facts.sort(), [0, 3, 5, 8]);

  const last = e.emitted.at(-1) as unknown as Record<string, unknown>;
  assert.deepEqual([last['type'], last['done'], last['counted_pictures']], ['count', true, 8]);
  assert.ok(e.emitted.some((event) => (event as Record<string, unknown>)['file_countable_pictures'] === 5));

  const exposition = renderFamilies(e.meter.families());
  assert.match(exposition, /^framehound_counted_total 8$/m);
  assert.match(exposition, /^framehound_files_total\{outcome="nothing_to_count"\} 1$/m);
  assert.match(exposition, /^framehound_files_total\{outcome="analyzed"\} 2$/m);
  assert.match(exposition, /^framehound_jobs_total\{outcome="analyzed"\} 1$/m);

  e.view.end();
  const shown = e.lines.join('');
  assert.match(shown, /✓ a: 5 counted\n/);
  assert.match(shown, /– sound: nothing to count\n/);
  assert.match(shown, /3\/3 files · 1\/1 clustering · 8\/8 counted/);
  const { counts: tallied, ofFiles, failures } = e.tally;
  const progress = e.events.findLast((event) => event.type === 'task')?.task;
  const report = {
    cancelled: false,
    error: null,
    counts: tallied,
    ofFiles,
    failures,
    progress,
    model_key: null,
  };
  assert.match(summary(report, 0, kinds), /Done: 2 analysed, 1 uncountable, 1 clustering in .*, 8 counted/);
});

test('it gets its frames from the decode pass of the pictures, at its own size, and both are whole', async (t) => {
  const e = await engine(t, films.slice(0, 2));
  const task_id = await e.begin([job(e.w)], { visual_media_paths: [...e.w.paths] });
  assert.equal(await e.end(), 'completed');
  assert.deepEqual(e.w.decoded.toSorted(), ['a', 'b'], 'each film is decoded once');
  assert.deepEqual(e.w.committed.get('a')?.sums, [0, 1, 2, 3, 4]);
  assert.equal(e.store.totals.get('all'), 8);
  assert.equal((await outcomes(e, task_id)).filter((text) => text.endsWith('analyzed')).length, 5);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('a full disk ends both stages of a shared pass, and no slot stays held', async (t) => {
  const e = await engine(t, [{ name: 'a', frames: 5 }]);
  e.w.state.full = true;
  const task_id = await e.begin([job(e.w)], { visual_media_paths: [...e.w.paths] });
  assert.equal(await e.end(), 'failed');
  assert.ok((await outcomes(e, task_id)).includes('video a cancelled'));
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('what is stored is skipped, closing step included, and force redoes it', async (t) => {
  const e = await engine(t, films);
  await e.begin([job(e.w)]);
  await e.end();
  const again = await e.begin([job(e.w)]);
  await e.end();
  const stored = ['count a stored', 'count all stored', 'count b stored', 'count sound nothing_to_count'];
  assert.deepEqual(await outcomes(e, again), stored);
  assert.equal(e.w.decoded.length, 2);
  const forced = await e.begin([job(e.w)], { force: true });
  await e.end();
  assert.ok((await outcomes(e, forced)).includes('count all analyzed'));
  assert.equal(e.w.decoded.length, 4);
});

test('a cancel ends it where it is, and what was not finished is taken back', async (t) => {
  const e = await engine(t, films);
  const gate = Promise.withResolvers<void>();
  e.w.state.hold = gate.promise;
  const task_id = await e.begin([job(e.w)]);
  const cancelled = e.tasks.cancel();
  gate.resolve();
  await cancelled;
  assert.equal(await e.end(), 'cancelled');
  const ends = await outcomes(e, task_id);
  assert.ok(ends.includes('count all cancelled'), ends.join());
  assert.equal(e.store.totals.size, 0);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('after a kill it goes on with what is missing', async (t) => {
  const home = temporaryFolder(t);
  const alive = new Set(['one', 'two']);
  const store: CountStore = { files: new Map(), totals: new Map() };
  const one = await engine(t, films, { home, token: 'one', alive, store });
  const gate = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  one.tasks.subscribe((_, event) => {
    if (event.type !== 'result' || event.result.path.endsWith('sound')) return;
    one.w.state.hold = gate.promise;
    finished.resolve();
  });
  const task_id = await one.begin([job(one.w)]);
  await finished.promise;
  // From here on the first engine counts as dead.
  alive.delete('one');
  const [seen] = [...store.files.keys()];
  const two = await engine(t, [], { home, token: 'two', alive, store });
  for (const [path, file] of one.w.state.files) two.w.state.files.set(path, file);
  assert.equal((await two.tasks.get(task_id, page)).state, 'interrupted');
  await two.tasks.resume(task_id);
  assert.equal(await two.end(), 'completed');
  assert.deepEqual(await outcomes(two, task_id), [
    'count a analyzed',
    'count all analyzed',
    'count b analyzed',
    'count sound nothing_to_count',
  ]);
  assert.ok(!two.w.decoded.includes(seen ?? ''), 'what was stored is not done again');
  assert.equal(store.totals.get('all'), 8);
  gate.resolve();
  await one.tasks.stop();
});

test('after two crashes a file is left alone until it is forced, and a closing step until it is asked for', async (t) => {
  const home = temporaryFolder(t);
  const journal = join(home, 'journal.ndjson');
  for (const key of ['a/count/fingers', 'total of all/count/closing']) {
    for (const pid of [1, 2]) {
      const lines = [
        { type: 'engine-start', time: 0, pid, started: '' },
        { type: 'stage-start', time: 0, task_id: 'x', key, pid },
        { type: 'engine-start', time: 0, pid, started: '' },
      ];
      appendFileSync(journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
  }
  const e = await engine(t, films.slice(0, 2), { journal });
  const task_id = await e.begin([job(e.w)]);
  assert.equal(await e.end(), 'completed');
  const { results } = await e.tasks.get(task_id, page);
  const why = Object.fromEntries(results.map(({ path, error }) => [path.split('/').at(-1), error?.code]));
  assert.deepEqual(why, { a: 'QUARANTINED', b: undefined, all: undefined });
  await e.tasks.resume(task_id, { force: true });
  await until(async () => (await outcomes(e, task_id)).every((text) => text.endsWith('analyzed')));
  assert.equal(e.store.files.size, 2);
});

test('a kind whose names are taken, or that needs what does not come before it, is refused', async () => {
  const { checkKinds } = await import('../../../../actors/analysis/stages/kind.ts');
  checkKinds(kinds);
  assert.throws(() => checkKinds([...kinds, countKind]), /taken by another stage/);
  assert.throws(() => checkKinds([{ ...countKind, needs: ['video'] }]), /needs video/);
});
