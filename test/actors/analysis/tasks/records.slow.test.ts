import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import { untilRelease } from '../../../shared.ts';
import { until } from '../../../until.ts';
import { home, requestOf, states, whole } from '../fake-runs.ts';

test('a line that a power cut has spoiled costs its file and not the task', async () => {
  const h = home();
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c']));
  one.analysis.last.tell('/a', 'analyzed');
  appendFileSync(join(h.folder, 'tasks', `${task_id}.results.ndjson`), '\0\0\0\n{"path":\nnull\n');
  one.analysis.last.tell('/b', 'analyzed');
  one.crash();
  const two = h.start();
  assert.deepEqual(await states(two), { [task_id]: 'interrupted' });
  const { results, total_results } = await two.tasks.get(task_id, whole);
  assert.deepEqual([results.map(({ path }) => path), total_results], [['/a', '/b'], 2]);
  await two.tasks.resume(task_id);
  assert.equal(two.analysis.last.run.earlier?.finished('video', '/b'), true);
  h.end();
});

test('the end of a run that a crash cut short is recorded and answered once', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b']));
  one.analysis.last.tell('/a', 'analyzed');
  assert.deepEqual(await one.tasks.endInterrupted(), [], 'it still runs');
  one.crash();
  const two = h.start();
  const ended = await two.tasks.endInterrupted();
  assert.deepEqual(
    ended.map(({ task_id, state, counts }) => [task_id, state, counts.analyzed]),
    [[task_id, 'interrupted', 1]],
  );
  assert.deepEqual(await two.tasks.list(), ended);
  assert.deepEqual(await two.tasks.endInterrupted(), []);
  assert.deepEqual(await h.start().tasks.endInterrupted(), []);
});

test('a home that cannot be written refuses a task before anything runs', async () => {
  const h = home();
  const one = h.start();
  writeFileSync(join(h.folder, 'tasks'), 'a file where the folder should be');
  await assert.rejects(one.tasks.start(requestOf(['/a'])), analysisErrors.HOME_UNWRITABLE.is);
  assert.equal(one.analysis.runs.length, 0);
  h.end();
});

test('results that cannot be recorded end the task with that reason', async () => {
  const h = home();
  const one = h.start((records) => {
    const create = records.create.bind(records);
    return Object.assign(records, {
      create: async (...args: Parameters<typeof create>) => {
        const run = await create(...args);
        const append = () => {
          throw new Error('ENOSPC');
        };
        return { ...run, append };
      },
    });
  });
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c']));
  one.analysis.last.next();
  await until(async () => (await states(one))[task_id] === 'failed');
  assert.equal((await one.tasks.get(task_id, whole)).error?.code, 'HOME_UNWRITABLE');
  h.end();
});

test('a record that is damaged is left out of the list and named when it is asked for', async () => {
  const h = home();
  const one = h.start();
  mkdirSync(join(h.folder, 'tasks'));
  writeFileSync(join(h.folder, 'tasks', 'odd.1.json'), '{"version":1,');
  assert.deepEqual(await one.tasks.list(), []);
  assert.deepEqual(await one.tasks.list(), []);
  assert.equal(h.lines.filter(({ level }) => level === 'warn').length, 1);
  await assert.rejects(one.tasks.get('odd', whole), analysisErrors.TASK_DAMAGED.is);
  h.end();
});

test('a task of another engine is listed at once, also after the folder was still for a while', async (t) => {
  const h = home();
  t.after(h.end);
  const [one, two] = [h.start(), h.start()];
  const first = await one.tasks.start(requestOf(['/a']));
  one.analysis.last.finish();
  await until(async () => (await states(one))[first.task_id] !== 'running');
  const past = new Date(Date.now() - 60_000);
  utimesSync(join(h.folder, 'tasks'), past, past);
  assert.deepEqual(Object.keys(await states(two)), [first.task_id]);
  assert.deepEqual(Object.keys(await states(two)), [first.task_id]);
  const second = await h.settle(one.tasks.start(requestOf(['/b'])));
  assert.deepEqual(new Set(Object.keys(await states(two))), new Set([first.task_id, second.task_id]));
});

test('the records of two hundred tasks are kept, newest first', { skip: untilRelease }, async () => {
  const h = home();
  const one = h.start();
  const ids: string[] = [];
  for (let i = 0; i < 205; i++) {
    ids.unshift((await h.settle(one.tasks.start(requestOf([`/${i}`])))).task_id);
  }
  await new Promise(setImmediate);
  await until(async () => (await one.tasks.list()).length <= 201);
  assert.deepEqual(
    (await one.tasks.list()).map(({ task_id }) => task_id),
    ids.slice(0, 201),
  );
  assert.equal(readdirSync(join(h.folder, 'tasks')).length, 201 * 3);
  h.end();
});

test('watched folders push out no task of a person, and no person one of theirs', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const mine = (await one.tasks.start(requestOf(['/mine']))).task_id;
  let last = '';
  for (let i = 0; i < 205; i++) {
    const asked = one.tasks.start(requestOf([`/w${i}`]), { source: 'watch_folder' });
    last = (await h.settle(asked)).task_id;
  }
  one.analysis.last.finish();
  // Records are removed while the last task starts, which may be before or after its end is recorded.
  const watched = async () =>
    (await one.tasks.list()).filter(({ source, ended }) => source === 'watch_folder' && ended !== null);
  // Each list reads all records, which takes its time on a busy disk.
  await until(async () => [200, 201].includes((await watched()).length), { within: 100_000 });
  const kept = await one.tasks.list();
  assert.deepEqual(
    kept.filter(({ source }) => source === 'request').map(({ task_id }) => task_id),
    [mine],
  );
  assert.equal(kept[0]?.task_id, last);
});

test('who asked for a task first is known to every engine, and stays when it is resumed', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/w']), { source: 'watch_folder' });
  const sources = async ({ tasks }: typeof one) =>
    Object.fromEntries((await tasks.list()).map((task) => [task.task_id, task.source]));
  assert.deepEqual(await sources(one), { [task_id]: 'watch_folder' });
  one.crash();
  const two = h.start();
  await two.tasks.resume(task_id);
  const asked = (await h.settle(two.tasks.start(requestOf(['/mine'])))).task_id;
  const both = { [task_id]: 'watch_folder', [asked]: 'request' };
  assert.deepEqual(await sources(two), both);
  two.crash();
  assert.deepEqual(await sources(h.start()), both);
});

test('a record with fields that this version does not know is read', async (t) => {
  const h = home();
  t.after(h.end);
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a']));
  one.analysis.last.finish();
  await until(() => !one.tasks.busy);
  const path = join(h.folder, 'tasks', `${task_id}.1.json`);
  const record = JSON.parse(readFileSync(path, 'utf8')) as { task: object };
  writeFileSync(path, JSON.stringify({ ...record, later: 1, task: { ...record.task, later: { still: 2 } } }));
  assert.deepEqual(await states(h.start()), { [task_id]: 'completed' });
});

/** A task as a version wrote it that knew no stages, or, before that, no speech. */
function writeOlder(folder: string, task_id: string, knows: 'speech' | 'pictures', ended: number | null) {
  const speech = knows === 'speech';
  const work = { path: '/s', language: 'en', channels: null, detect_speakers: false };
  const jobs = [{ ...work, speaker_count: 'auto', preferred: 'auto' }];
  const request = {
    ...{ cache_dir: '/cache', paths: ['/a', '/b', '/c'], ...(speech && { speech: jobs }) },
    ...{ model_key: 'fake', force: true, decode: 'exact' },
  };
  const counts = {
    files: speech ? 4 : 3,
    done: 0,
    analyzed: 0,
    stored: 0,
    no_picture: 0,
    failed: 0,
    cancelled: 0,
  };
  const amounts = { frames: 3, grid_frames: 9, ...(speech && { heard_seconds: 0, sound_seconds: 0 }) };
  const shown = { model_key: 'fake', decode: 'exact', force: true, files: counts.files };
  const task = {
    ...{
      task_id,
      state: ended === null ? 'running' : 'completed',
      created: 900_000,
      started: 900_000,
      ended,
    },
    ...{ counts: { ...counts, ...(speech && { no_sound: 0 }) }, progress: 30, ...amounts },
    ...{ elapsed_seconds: 5, estimated_remaining_seconds: null, error: null },
    request: { cache_dir: '/cache', ...shown, types: speech ? ['video', 'speech'] : ['video'] },
  };
  const owner = { pid: 1, started: '', host: 'here', token: 'of before' };
  const result = (path: string, outcome: string, type = 'video') => ({
    ...{
      path,
      type,
      hash_str: `hash${path}`,
      outcome,
      frames: outcome === 'analyzed' ? 3 : 0,
      missing_frames: 0,
    },
    ...{ duration_seconds: 3, ...(speech && { speech: null }), error: null },
  });
  const results = [result('/a', 'analyzed'), result('/b', 'no_picture')];
  if (speech) results.push(result('/s', 'no_sound', 'speech'));
  const at = (name: string) => join(folder, `${task_id}.${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(at('request.json'), JSON.stringify(request));
  writeFileSync(at('1.json'), JSON.stringify({ version: 1, owner, saved: 900_005, task }));
  writeFileSync(at('results.ndjson'), results.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

for (const knows of ['speech', 'pictures'] as const) {
  test(`a task of a version that knew ${knows} and no stages is listed and goes on`, async () => {
    const h = home();
    writeOlder(join(h.folder, 'tasks'), 'older', knows, null);
    writeOlder(join(h.folder, 'tasks'), 'ended', knows, 900_009);
    const one = h.start();
    assert.deepEqual(await states(one), { older: 'interrupted', ended: 'completed' });
    const left = await one.tasks.get('older', whole);
    assert.equal(left.source, 'request');
    assert.deepEqual([left.frames, left.heard_seconds, left.counts.no_picture], [3, 0, 1]);
    const listens = knows === 'speech';
    assert.deepEqual([left.counts.done, left.counts.no_sound], listens ? [3, 1] : [2, 0]);

    await one.tasks.resume('older');
    const { run } = one.analysis.last;
    assert.deepEqual([run.request.paths.length, run.request.speech.length], [3, listens ? 1 : 0]);
    assert.equal(run.earlier?.finished('video', '/a'), true);
    assert.equal(run.earlier?.finished('video', '/b'), false);
    one.analysis.last.tell('/a', 'stored');
    one.analysis.last.tell('/b', 'not_applicable');
    one.analysis.last.finish();
    await until(async () => (await states(one))['older'] === 'completed');
    const done = await one.tasks.get('older', whole);
    const videos = done.results.filter(({ type }) => type === 'video');
    assert.deepEqual(videos.map(({ path, outcome, frames }) => `${path} ${outcome} ${frames}`).sort(), [
      '/a analyzed 3',
      '/b no_picture 0',
      '/c analyzed 3',
    ]);
    assert.deepEqual([done.created, done.counts.analyzed, done.counts.no_picture], [900_000, 2, 1]);
    h.end();
  });
}

test('a task goes on with its files where their root is now, and its results tell so', async () => {
  const h = home();
  const one = h.start();
  const paths = ['/footage/a', '/footage/b', '/other/c'];
  const { task_id } = await one.tasks.start(requestOf(paths));
  one.analysis.last.tell('/footage/a', 'analyzed');
  one.crash();
  h.moveRoot('/moved');
  const two = h.start();
  const told = async () => (await two.tasks.get(task_id, whole)).results.map(({ path }) => path);
  assert.deepEqual(await told(), ['/moved/a']);
  await two.tasks.resume(task_id);
  const { run } = two.analysis.last;
  assert.deepEqual(run.request.paths, ['/moved/a', '/moved/b', '/other/c']);
  assert.equal(run.earlier?.finished('video', '/moved/a'), true);
  two.analysis.last.tell('/moved/b', 'analyzed');
  h.moveRoot('/footage');
  assert.deepEqual(await told(), ['/footage/a', '/footage/b']);
  h.end();
});
