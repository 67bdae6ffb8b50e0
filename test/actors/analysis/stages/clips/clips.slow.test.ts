import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { analysisErrors } from '../../../../../actors/analysis/contract.ts';
import { clipErrors } from '../../../../../actors/decoder/clips/contract.ts';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { until } from '../../../../until.ts';
import { page } from '../task-engine.ts';
import { exportEngine } from './export-engine.ts';

/** Holds every clip until the test lets it go. */
function held() {
  const gate = Promise.withResolvers<void>();
  return { before: () => gate.promise, release: gate.resolve };
}

test('clips are a task: each has a result with its path or its reason, and progress is told', async (t) => {
  const e = await exportEngine(t, []);
  e.clips.before = ({ wish }) => {
    if (wish.output_name === 'b') throw clipErrors.CLIP_RANGE('it ends before it starts');
  };
  const task_id = await e.begin('a', 'b', 'c');
  assert.equal(await e.ended(task_id), 'completed');
  const task = await e.tasks.get(task_id, page);
  const told = Object.fromEntries(
    task.results.map(({ path, clip, error }) => [path, clip?.output_path ?? error?.code]),
  );
  assert.deepEqual(told, {
    '1: film.mp4 1-2': join(e.output_dir, 'a.mp4'),
    '2: film.mp4 1-2': 'CLIP_RANGE',
    '3: film.mp4 1-2': join(e.output_dir, 'c.mp4'),
  });
  const cut = task.results.flatMap(({ clip }) => (clip ? [clip] : []));
  assert.deepEqual(
    cut.map(({ mode_used, mode_reason }) => [mode_used, mode_reason]),
    [
      ['precise', null],
      ['precise', null],
    ],
  );
  const { files, done, jobs, jobs_done, jobs_failed } = task.counts;
  assert.deepEqual([files, done, jobs, jobs_done, jobs_failed], [0, 0, 3, 3, 1]);
  assert.deepEqual(
    [task.progress, task.request.types, task.request.cache_dir],
    [100, ['clips'], e.output_dir],
  );
  assert.deepEqual(readdirSync(e.output_dir).sort(), ['a.mp4', 'c.mp4']);
  const last = e.emitted.at(-1)!;
  assert.deepEqual([last.type, last.done, last.jobs, last.jobs_done], ['clips', true, 3, 3]);
  const shares = e.emitted.map(({ progress }) => Number(progress));
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
  assert.ok(shares.some((share) => share > 0 && share < 99));
});

test('a task whose clips all failed has failed, with the first reason', async (t) => {
  const e = await exportEngine(t, []);
  e.clips.before = () => {
    throw clipErrors.CLIP_UNWRITABLE('the disk is full');
  };
  const task_id = await e.begin('a', 'b');
  assert.equal(await e.ended(task_id), 'failed');
  assert.match((await e.tasks.get(task_id, page)).error?.message ?? '', /the disk is full/);
});

test('an export neither ends an analysis nor waits for one, and an analysis ends no export', async (t) => {
  const e = await exportEngine(t, [{ name: 'film', frames: 4 }]);
  const [films, cutting] = [held(), held()];
  e.w.state.hold = films.before();
  e.clips.before = cutting.before;
  const cache_dir = join(e.w.folder, 'cache');
  const start = () => e.tasks.start({ cache_dir, visual_media_paths: e.w.paths });
  const { task_id: analysis } = await start();
  const exported = await e.begin('a');
  await until(() => e.clips.asked.length === 1 && e.w.decoded.length === 1);
  const states = async () =>
    Object.fromEntries((await e.tasks.list()).map(({ task_id, state }) => [task_id, state]));
  assert.deepEqual(await states(), { [analysis]: 'running', [exported]: 'running' });
  assert.equal(e.tasks.running, analysis);
  films.release();
  assert.equal(await e.ended(analysis), 'completed');
  await e.tasks.cancel();
  assert.deepEqual(await states(), { [analysis]: 'completed', [exported]: 'running' });
  cutting.release();
  assert.equal(await e.ended(exported), 'completed');
});

test('a second export waits while one runs, also when it is one that is resumed', async (t) => {
  const e = await exportEngine(t, []);
  const first = await e.begin('a');
  await e.ended(first);
  const cutting = held();
  e.clips.before = cutting.before;
  const second = await e.begin('b');
  e.again(first);
  const third = await e.begin('c');
  assert.deepEqual(await e.tasks.resume(first, { whenBusy: 'replace' }), {
    task_id: first,
    queue_position: 2,
  });
  assert.equal((await e.tasks.get(second, page)).state, 'running');
  cutting.release();
  for (const id of [second, third, first]) assert.equal(await e.ended(id), 'completed');
  assert.deepEqual(
    e.clips.asked.map(({ wish }) => wish.output_name),
    ['a', 'b', 'c'],
  );
});

test('an export that waits for another one to be resumed keeps no analysis from starting', async (t) => {
  const e = await exportEngine(t, []);
  const first = await e.begin('a');
  await e.ended(first);
  e.again(first);
  const cutting = held();
  e.clips.before = cutting.before;
  const second = await e.begin('b');
  await e.tasks.resume(first, { whenBusy: 'wait' });
  assert.equal(e.tasks.busy, false);
  assert.equal((await e.tasks.get(second, page)).state, 'running');
  cutting.release();
  assert.equal(await e.ended(second), 'completed');
  assert.equal(await e.ended(first), 'completed');
});

test('a cancel leaves the clips that are complete and nothing of the others, and a resume cuts those', async (t) => {
  const e = await exportEngine(t, []);
  const cutting = held();
  e.clips.before = ({ wish }) => (wish.output_name === 'a' ? undefined : cutting.before());
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const task_id = await e.begin(...names);
  await until(async () => (await e.outcomes(task_id)).length === 1);
  const stopping = e.tasks.cancel(task_id);
  cutting.release();
  assert.deepEqual(await stopping, { stopped: true, task_id });
  assert.equal(await e.ended(task_id), 'cancelled');
  assert.deepEqual(readdirSync(e.output_dir), ['a.mp4']);
  e.again(task_id);
  e.clips.asked.length = 0;
  await e.tasks.resume(task_id);
  assert.equal(await e.ended(task_id), 'completed');
  assert.deepEqual(
    e.clips.asked.map(({ wish }) => wish.output_name),
    ['b', 'c', 'd', 'e', 'f'],
  );
  const { results, counts } = await e.tasks.get(task_id, page);
  assert.deepEqual(
    results.map(({ clip }) => clip?.output_path).sort(),
    names.map((name) => join(e.output_dir, `${name}.mp4`)),
  );
  assert.deepEqual([counts.jobs, counts.jobs_done, counts.jobs_cancelled], [6, 6, 0]);
});

test('after a kill an export is interrupted, and resuming cuts what was not written', async (t) => {
  const home = temporaryFolder(t);
  const alive = new Set(['one', 'two']);
  const shared = { home, alive, journal: join(home, 'journal.ndjson') };
  const one = await exportEngine(t, [], { ...shared, token: 'one' });
  one.clips.before = ({ wish }) => (wish.output_name === 'a' ? undefined : new Promise<void>(() => {}));
  const task_id = await one.begin('a', 'b');
  await until(async () => (await one.outcomes(task_id)).length === 1);
  alive.delete('one');
  const two = await exportEngine(t, [], { ...shared, token: 'two' });
  assert.equal((await two.tasks.get(task_id, page)).state, 'interrupted');
  await two.tasks.resume(task_id);
  assert.equal(await two.ended(task_id), 'completed');
  assert.deepEqual(
    two.clips.asked.map(({ wish }) => wish.output_name),
    ['b'],
  );
  assert.deepEqual(two.clips.swept, [two.output_dir], 'what the killed engine left is removed first');
  assert.deepEqual(readdirSync(two.output_dir).sort(), ['a.mp4', 'b.mp4']);
});

test('a clip that ended the engine twice is left alone by a resume, and tried by a new export', async (t) => {
  const home = temporaryFolder(t);
  const alive = new Set(['one']);
  const shared = { home, alive, journal: join(home, 'journal.ndjson') };
  let e = await exportEngine(t, [], { ...shared, token: 'one' });
  let task_id = '';
  for (const next of ['two', 'three']) {
    e.clips.before = () => new Promise<void>(() => {});
    if (task_id === '') task_id = await e.begin('a');
    else await e.tasks.resume(task_id);
    await until(() => e.clips.asked.length === 1);
    alive.clear();
    alive.add(next);
    e = await exportEngine(t, [], { ...shared, token: next });
  }
  await e.tasks.resume(task_id);
  assert.equal(await e.ended(task_id), 'failed');
  const { results } = await e.tasks.get(task_id, page);
  assert.equal(results[0]?.error?.code, 'QUARANTINED');
  assert.match(
    results[0]?.error?.message ?? '',
    /the engine crashed twice .*; a new request tries it again$/,
  );
  assert.equal(await e.ended(await e.begin('a')), 'completed');
});

test('clips of one name get it in the order of the request, and one that takes long holds up no other name', async (t) => {
  const e = await exportEngine(t, []);
  const slow = Promise.withResolvers<void>();
  e.clips.before = ({ wish }) => (wish.output_name === 'a' ? slow.promise : undefined);
  const task_id = await e.begin('a', 'A', 'b', 'c', 'd');
  await until(async () => (await e.outcomes(task_id)).length === 3);
  slow.resolve();
  assert.equal(await e.ended(task_id), 'completed');
  const ended = await e.outcomes(task_id);
  assert.deepEqual(
    [...ended.slice(0, 3).sort(), ...ended.slice(3)],
    [3, 4, 5, 1, 2].map((number) => `${number} analyzed`),
  );
});

test('a clip is cut once more after its thread has ended', async (t) => {
  const e = await exportEngine(t, []);
  let crashes = 1;
  e.clips.before = () => {
    if (crashes-- > 0) throw engineErrors.ACTOR_CRASHED('clip-writer ended');
  };
  const task_id = await e.begin('a');
  assert.equal(await e.ended(task_id), 'completed');
  assert.equal(e.clips.asked.length, 2);
});

test('what cannot be exported is refused before there is a task', async (t) => {
  const e = await exportEngine(t, []);
  writeFileSync(join(e.w.folder, 'clips'), 'a file where the folder should be');
  await assert.rejects(e.begin('a'), (error: Error) => {
    assert.match(error.message, /output_dir .*clips is not a folder/);
    return analysisErrors.NOT_A_FOLDER.is(error);
  });
  assert.deepEqual(await e.tasks.list(), []);
});

test('a folder that cannot be written is refused as one of clips, and not as an analysis folder', {
  skip: process.platform === 'win32' || process.getuid?.() === 0,
}, async (t) => {
  const e = await exportEngine(t, []);
  mkdirSync(e.output_dir, { mode: 0o555 });
  await assert.rejects(e.begin('a'), (error: Error) => {
    assert.match(error.message, /^output_dir .*clips cannot be written \(EACCES\)$/);
    return clipErrors.CLIP_UNWRITABLE.is(error);
  });
  assert.deepEqual(await e.tasks.list(), []);
});
