import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { rootsText } from '../../../../actors/index/store/roots-file.ts';
import { bodyOf, never, oneFolder } from './watching.ts';

test('a file that was the same in two polls becomes one task with everything that is wanted of it', async (t) => {
  const w = await oneFolder(t, {
    enable_audio_analysis: true,
    audio_language: 'de',
    channels: [2, 1, 2],
    enable_face_analysis: true,
    cluster_job_name: 'crew',
  });
  const film = w.file('a.mov');
  assert.equal((await w.service.start()).state, 'running');
  await w.begun(1);
  assert.ok(w.world.polls.length >= 2);
  const { request, options } = w.tasks.started[0]!;
  assert.deepEqual(options.whenBusy, 'refuse');
  assert.deepEqual(options.source, 'watch_folder');
  assert.deepEqual(request, {
    cache_dir: w.cache,
    visual_media_paths: [film],
    detect_speakers: true,
    speaker_count: 'auto',
    preferred_x_model_key: 'auto',
    transcription_jobs: [{ path: film, language: 'de', channels: [1, 2] }],
    face_clustering_jobs: [
      { cluster_job_name: 'crew', face_media_paths: [film], face_eps: 0.48, face_min_samples: 5 },
    ],
  });
  w.tasks.progress(film);
  const { state, current_folder, current_file, task_id } = await w.status();
  assert.deepEqual(
    [state, current_folder, current_file, task_id],
    ['running', w.folder_path, film, 'task-1'],
  );
  w.tasks.result(film);
  w.tasks.closing('crew', 'analyzed');
  w.tasks.end();
  await w.isState('waiting');
  const after = await w.status();
  const { files_pending, files_processed_this_session, last_error } = after;
  assert.deepEqual([files_pending, files_processed_this_session, last_error], [0, 1, null]);
  assert.deepEqual([after.current_folder, after.current_file, after.task_id], [null, null, null]);
  const { watch_folders } = await w.service.list();
  assert.equal(watch_folders[0]!.files_analyzed_count, 1);
  assert.ok(watch_folders[0]!.last_poll_time > 1_700_000_000);
});

test('a file that is worked on is told as soon as there is a task, and never one that has ended', async (t) => {
  const w = await oneFolder(t);
  const [one, two, three] = [w.file('a.mov'), w.file('b.mov'), w.file('c.mov')];
  await w.service.start();
  await w.begun(1);
  const file = async () => (await w.status()).current_file;
  await w.pass(async () => (await w.status()).task_id === 'task-1');
  assert.equal(await file(), one);
  w.tasks.progress(two);
  assert.equal(await file(), two);
  w.tasks.result(two);
  assert.equal(await file(), one);
  w.tasks.result(one);
  assert.equal(await file(), three);
});

test('a file that changes all the time is not taken', async (t) => {
  const w = await oneFolder(t);
  await w.service.start();
  let mark = 0;
  await w.pass(() => {
    w.file('a.mov', String(++mark));
    return w.world.polls.length > 20;
  });
  assert.deepEqual([w.tasks.started.length, (await w.stats()).files_pending], [0, 1]);
});

test('files end one by one: what is done is recorded while the others are worked on', async (t) => {
  const w = await oneFolder(t);
  const [one, two] = [w.file('a.mov'), w.file('b.mov')];
  await w.service.start();
  await w.begun(1);
  w.tasks.result(one);
  await w.pass(async () => (await w.stats()).files_analyzed === 1);
  assert.equal((await w.stats()).files_pending, 1);
  w.tasks.result(two);
  w.tasks.end();
  await w.isState('waiting');
  assert.deepEqual(
    w.world.settled.map(({ end }) => end),
    ['analyzed', 'analyzed'],
  );
});

test('a file that fails is told, left alone, and tried again when it changed', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.result(film, 'failed', { code: 'DECODE_FAILED', message: 'a.mov: cut short' });
  w.tasks.end('failed', { code: 'ALL_FAILED', error: '', message: '' });
  await w.isState('waiting');
  const { files_failed, failures, last_error } = await w.stats();
  assert.deepEqual([files_failed, last_error], [1, `${film}: a.mov: cut short`]);
  assert.equal((await w.status()).last_error, last_error);
  assert.deepEqual(
    failures.map(({ media_path, error }) => [media_path, error]),
    [[film, 'a.mov: cut short']],
  );
  const polls = w.world.polls.length;
  await w.pass(() => w.world.polls.length > polls);
  assert.equal(w.tasks.started.length, 1);
  w.file('a.mov', 'b');
  await w.begun(2);
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  const after = await w.stats();
  assert.deepEqual([after.files_failed, after.failures, after.last_error], [0, [], null]);
});

test('the file that failed stays the last error while nothing is watched, until another is analysed', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.result(film, 'failed', { code: 'DECODE_FAILED', message: 'cut short' });
  w.tasks.end('failed', { code: 'ALL_FAILED', error: '', message: '' });
  await w.isState('waiting');
  await w.service.stop();
  await w.isState('stopped');
  const wrong = `${film}: cut short`;
  assert.equal((await w.stats()).last_error, wrong);
  await w.service.start();
  await w.isState('waiting');
  assert.deepEqual([(await w.stats()).last_error, (await w.status()).last_error], [wrong, wrong]);
  const other = w.file('b.mov');
  await w.begun(2);
  w.tasks.result(other);
  w.tasks.end();
  await w.isState('waiting');
  const { last_error, files_failed } = await w.stats();
  assert.deepEqual([last_error, files_failed, (await w.status()).last_error], [null, 1, null]);
});

test('the first analysis in an empty analysis folder leaves a file that failed before it alone', async (t) => {
  const w = await oneFolder(t);
  rmSync(join(w.cache, 'records.mdb'));
  const [bad, good] = [w.file('a.mov'), join(w.folder_path, 'b.mov')];
  await w.service.start();
  await w.begun(1);
  w.tasks.result(bad, 'failed', { code: 'DECODE_FAILED', message: 'cut short' });
  w.tasks.end('failed', { code: 'ALL_FAILED', error: '', message: '' });
  await w.isState('waiting');
  w.world.put(good);
  await w.begun(2);
  w.fill();
  w.tasks.result(good);
  w.tasks.end();
  await w.isState('waiting');
  const { files_analyzed, files_failed, last_error } = await w.stats();
  assert.deepEqual([files_analyzed, files_failed, last_error, w.tasks.started.length], [1, 1, null, 2]);
});

test('a service that waits runs again as soon as a poll has seen a file that is being written', async (t) => {
  const w = await oneFolder(t);
  await w.service.start();
  await w.isState('waiting');
  let mark = 0;
  await w.pass(async () => {
    w.file('a.mov', String(++mark));
    const { state, files_pending } = await w.status();
    assert.equal(state, files_pending === 0 ? 'waiting' : 'running');
    return mark > 40 && files_pending === 1;
  });
  assert.equal(w.tasks.started.length, 0);
});

test('an error that may pass is tried three times, then it is one of the file', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  for (const round of [1, 2, 3]) {
    await w.begun(round);
    w.tasks.result(film, 'failed', { code: 'ACTOR_CRASHED', message: 'the decoder ended' });
    w.tasks.end('failed', { code: 'ALL_FAILED', error: '', message: '' });
    if (round < 3) await w.isState('paused');
  }
  await w.pass(async () => (await w.stats()).files_failed === 1);
  assert.equal((await w.stats()).failures[0]!.error, 'the decoder ended');
});

test('trouble with the analysis folder fails no file: the folder is paused, longer each time, until it passes', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  const fault = { code: 'STORE_IN_USE', error: '', message: 'Process 7 is writing' };
  await w.service.start();
  const waits: number[] = [];
  for (const round of [1, 2, 3, 4, 5]) {
    await w.begun(round);
    waits.push(w.clock.now());
    w.tasks.result(film, 'failed', fault);
    w.tasks.end('failed', fault);
    await w.isState('paused');
    const { last_error, paused_until } = await w.status();
    assert.equal(last_error, 'Process 7 is writing');
    assert.ok(paused_until! > 1_700_000_000 + w.clock.now() / 1000 - 1);
  }
  const gaps = waits.slice(1).map((at, i) => at - waits[i]!);
  for (const [i, gap] of gaps.entries()) assert.ok(gap >= 2_000 * 2 ** i, `${gap}`);
  await w.begun(6);
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  assert.deepEqual([(await w.status()).last_error, (await w.stats()).files_failed], [null, 0]);
});

test('what keeps a task from being started pauses the folder and fails no file', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  w.tasks.refusal = Object.assign(new Error('No visual model is loaded'), {});
  await w.service.start();
  await w.isState('paused');
  assert.equal((await w.status()).last_error, 'No visual model is loaded');
  w.tasks.refusal = null;
  await w.begun(1);
  assert.deepEqual(w.tasks.current!.paths, [film]);
});

test('of several folders each has its turn, and one in trouble does not hold the others up', async (t) => {
  const w = await oneFolder(t);
  const small = w.folder('small');
  await w.service.add(bodyOf({ folder_path: small }), never);
  for (let i = 0; i < 40; i++) w.file(`${i}.mov`);
  w.world.put(`${small}/one.mov`);
  // Nothing is begun before both folders are listed, however long that takes.
  w.tasks.isTaken = true;
  w.tasks.isQuick = true;
  await w.service.start();
  await w.pass(async () => (await w.status()).files_pending === 41);
  // And all have been left alone for long enough, as two further looks at each folder tell.
  const listed = new Map<string, number>();
  w.world.polls.length = 0;
  await w.pass(() => {
    for (const id of w.world.polls.splice(0)) listed.set(id, (listed.get(id) ?? 0) + 1);
    return listed.size === 2 && [...listed.values()].every((times) => times > 2);
  });
  w.tasks.isTaken = false;
  await w.isState('waiting');
  const turn = w.tasks.started.findIndex(({ paths }) => paths[0]!.startsWith(small));
  assert.ok(turn >= 0 && turn < 10, `${turn}`);
  assert.equal(w.tasks.started.length, 11);
  w.world.away.add(w.folder_path);
  await w.isState('paused');
  w.world.put(`${small}/two.mov`);
  await w.begun(12);
  assert.equal((await w.status()).last_error, `${w.folder_path} is away`);
  const { paused_until, files_analyzed } = await w.stats();
  assert.ok(paused_until !== null && files_analyzed === 40);
  w.world.away.clear();
  await w.isState('waiting');
  assert.deepEqual([(await w.stats()).last_error, (await w.stats()).files_analyzed], [null, 40]);
  assert.equal(w.world.mostPollsAtOnce, 1);
});

test('a change that the system tells of brings the next poll forward', async (t) => {
  const w = await oneFolder(t);
  await w.service.start();
  await w.pass(() => w.world.listeners.open.size === 1 && w.world.polls.length === 1);
  const before = w.clock.now();
  for (const { change } of w.world.listeners.open.values()) change();
  await w.pass(() => w.world.polls.length === 2);
  assert.ok(w.clock.now() - before <= 3_000);
});

test('files that the metadata filter leaves out are not analysed', async (t) => {
  const filters = [{ facet_id: 'ext', operator: 'is_any_of' as const, values: ['mov'] }];
  const w = await oneFolder(t, { metadata_filter_request: filters });
  const [inside, outside] = [w.file('a.mov'), w.file('b.mp4')];
  w.facts.filters.out.add(outside);
  w.tasks.isQuick = true;
  await w.service.start();
  await w.isState('waiting');
  assert.deepEqual(
    w.tasks.started.map(({ paths }) => paths),
    [[inside]],
  );
  assert.deepEqual(w.facts.filters.asked, [[inside, outside]]);
  const { files_filtered, files_analyzed, files_pending } = await w.stats();
  assert.deepEqual([files_filtered, files_analyzed, files_pending], [1, 1, 0]);
});

test('what files are is remembered for the filter, also before the first analysis', async (t) => {
  const filters = [{ facet_id: 'ext', operator: 'is_any_of' as const, values: ['mov'] }];
  const w = await oneFolder(t, { metadata_filter_request: filters });
  rmSync(w.cache, { recursive: true });
  const film = w.file('a.mov');
  let wasThere: boolean | null = null;
  const { properties } = w.facts.filters.analysis;
  w.facts.filters.analysis.properties = (request, signal) => {
    wasThere = existsSync(request.cache_dir);
    return properties(request, signal);
  };
  await w.service.start();
  await w.begun(1);
  assert.deepEqual([w.tasks.current!.paths, wasThere], [[film], true]);
});

test('a folder whose root moves is watched where it is now, and what was done is not done again', async (t) => {
  const w = await oneFolder(t);
  const film = w.file('a.mov');
  await w.service.start();
  await w.begun(1);
  w.tasks.result(film);
  w.tasks.end();
  await w.isState('waiting');
  const moved = w.folder('moved');
  w.world.files.clear();
  w.world.put(join(moved, 'a.mov'));
  const root = { name: 'films', folder: moved, origin: w.folder_path, volume: null, removed: false };
  writeFileSync(join(w.home, 'roots.json'), rootsText([root]));
  const polls = w.world.polls.length;
  await w.pass(() => w.world.polls.length > polls + 2);
  assert.equal((await w.service.list()).watch_folders[0]!.folder_path, moved);
  assert.deepEqual([w.tasks.started.length, (await w.stats()).files_analyzed], [1, 1]);
  const later = join(moved, 'b.mov');
  w.world.put(later);
  await w.begun(2);
  assert.deepEqual(w.tasks.started[1]!.request.visual_media_paths, [later]);
});
