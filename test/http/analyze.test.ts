import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import test from 'node:test';
import { visualModelErrors } from '../../actors/search/models/contract.ts';
import { recordedOf } from '../actors/analysis/fake-runs.ts';
import { at, folder, good, h, service, text } from './analyze-service.ts';

test('an analysis is accepted with every field, each file once by its plain path, and makes its folder', async () => {
  const s = service();
  const cache_dir = at('deep/er/cache');
  const answer = await s.call('/api/v1/analyze', {
    cache_dir: `${cache_dir}//`,
    visual_media_paths: [at('a.mp4'), at('gone.mp4'), at('a.mp4'), `${folder}/x/.././b.mp4`],
    detect_speakers: false,
    speaker_count: 4,
    preferred_x_model_key: 'more accurate',
    transcription_jobs: [
      { path: `${folder}/x/../a.mp4` },
      {
        path: at('b.mp4'),
        language: 'Deutsch',
        detect_speakers: true,
        speaker_count: 'auto-detect',
        preferred_x_model_key: 'subtitles',
        channels: [3, 1, 3],
      },
      { path: at('a.mp4'), language: 'en', channels: [] },
    ],
    face_clustering_jobs: [],
    sample_faces: [],
    summary_requests: [],
    force: true,
    decode: 'keyframes',
    reuse: 'near',
    something_else: { is: 'ignored' },
  });
  assert.equal(answer.status, 202);
  const { message, task_id } = answer.body as { message: string; task_id: string };
  assert.deepEqual([typeof message, s.analysis.last.run.task_id], ['string', task_id]);
  assert.ok(existsSync(cache_dir));
  assert.deepEqual(s.analysis.last.run.request, {
    cache_dir,
    paths: [at('a.mp4'), at('gone.mp4'), at('b.mp4')],
    speech: [
      {
        path: at('a.mp4'),
        language: 'en',
        channels: null,
        detect_speakers: false,
        speaker_count: 4,
        preferred: 'more accurate',
      },
      {
        path: at('b.mp4'),
        language: 'de',
        channels: [1, 3],
        detect_speakers: true,
        speaker_count: 'auto',
        preferred: 'subtitles',
      },
    ],
    face_jobs: [],
    summary_jobs: [],
    model_key: 'fake',
    force: true,
    decode: 'keyframes',
    reuse: 'near',
  });
});

test('frames take over what they are told to, and by an unknown word nothing is begun', async () => {
  const s = service();
  for (const [reuse, recorded] of [['off', 'off'], ['exact'], []]) {
    await h.settle(s.call('/api/v1/analyze', { ...good, ...(reuse && { reuse }) }));
    assert.equal(s.analysis.last.run.request.reuse, recorded);
  }
  const refused = await s.call('/api/v1/analyze', { ...good, reuse: 'almost' });
  assert.equal(refused.status, 400);
  assert.match(text(refused), /^Invalid reuse:.*exact, near, off/);
  assert.equal(s.analysis.runs.length, 3);
});

test('scenes alone need no visual model, and have nothing beside them', async () => {
  const s = service(
    () => {
      throw visualModelErrors.MODELS_LOADING('The visual model "fake" is loading');
    },
    async () => {},
  );
  const asked = { ...good, scenes_only: true };
  assert.equal((await s.call('/api/v1/analyze', asked)).status, 202);
  const { paths, model_key, decode, scenes_only } = s.analysis.last.run.request;
  assert.deepEqual([paths, model_key, decode, scenes_only], [good.visual_media_paths, null, 'exact', true]);
  for (const [more, said] of [
    [{ text_media_paths: good.visual_media_paths }, /text_media_paths\[0\] is other work/],
    [{ from_previews: true }, /scenes_only needs the files/],
    [{ decode: 'keyframes' }, /decode finds no exact edges/],
  ] as const) {
    const refused = await s.call('/api/v1/analyze', { ...asked, ...more });
    assert.equal(refused.status, 400);
    assert.match(text(refused), said);
  }
});

test('transcription alone needs no visual model, whatever is spoken may be left open', async () => {
  const s = service(() => {
    throw visualModelErrors.MODELS_LOADING('The visual model "fake" is loading');
  });
  const answer = await s.call('/api/v1/analyze', {
    cache_dir: at('cache'),
    transcription_jobs: [{ path: at('a.mp4'), language: 'auto', speaker_count: '5+' }],
  });
  assert.equal(answer.status, 202);
  const { paths, speech } = s.analysis.last.run.request;
  assert.deepEqual([paths, speech[0]?.language, speech[0]?.speaker_count], [[], null, '5+']);
});

test('a language nobody knows and a file with two wishes are refused by their fields', async () => {
  const s = service();
  const ask = async (jobs: readonly object[]) =>
    text(await s.call('/api/v1/analyze', { cache_dir: at('cache'), transcription_jobs: jobs }));
  assert.match(
    await ask([{ path: at('a.mp4') }, { path: at('b.mp4'), language: 'klingonisch' }]),
    /transcription_jobs\[1\]\.language.*klingonisch/,
  );
  assert.match(
    await ask([{ path: at('a.mp4') }, { path: at('a.mp4'), channels: [1] }]),
    /transcription_jobs\[1\]\.path.*transcription_jobs\[0\]/,
  );
  assert.equal(s.analysis.runs.length, 0);
});

test('files of which none is media are refused, and those that may be are analysed', async () => {
  const s = service();
  const files = (...names: string[]) => ({ ...good, visual_media_paths: names.map(at) });
  const refused = await s.call('/api/v1/analyze', files('note.txt', 'gone.mp4'));
  assert.equal(refused.status, 400);
  assert.match(text(refused), /No valid media supplied: .*film, picture or sound.*note\.txt/);
  const gone = { ...files('gone.mp4'), transcription_jobs: [{ path: at('gone.mp4') }] };
  const once = text(await s.call('/api/v1/analyze', gone));
  assert.equal(once, `No valid media supplied: None of these paths is a file: ${at('gone.mp4')}`);
  assert.equal(s.analysis.runs.length, 0);
  for (const accepted of [files('note.txt', 'a.mp4'), files('locked.mp4')])
    assert.equal((await h.settle(s.call('/api/v1/analyze', accepted))).status, 202);
  await h.settle(s.call('/api/v1/analyze/cancel', {}));
});

test('while no model is in use an analysis is a 503 that says so and stops nothing', async () => {
  let active = () => 'fake';
  const s = service(() => active());
  await s.call('/api/v1/analyze', good);
  active = () => {
    throw visualModelErrors.MODELS_LOADING('The visual model "fake" is loading');
  };
  const answer = await s.call('/api/v1/analyze', good);
  assert.equal(answer.status, 503);
  assert.match(text(answer), /^Models are still loading/);
  assert.ok(Number(answer.headers['retry-after']) > 0);
  assert.equal(s.analysis.last.signal.aborted, false);
});

test('a folder that cannot be written is a 503 before anything starts', {
  skip: process.getuid?.() === 0 && 'the administrator may write everywhere',
}, async () => {
  const s = service();
  mkdirSync(at('locked'));
  chmodSync(at('locked'), 0o555);
  for (const cache_dir of [at('locked'), at('locked/new/er')]) {
    const answer = await s.call('/api/v1/analyze', { ...good, cache_dir });
    assert.equal(answer.status, 503);
    assert.match(text(answer), /cannot be written/);
  }
  assert.equal(s.analysis.runs.length, 0);
});

test('a folder that cannot be made is a 507, not a failed task', {
  skip: !existsSync('/proc/self') && 'no /proc',
}, async () => {
  const s = service();
  const answer = await s.call('/api/v1/analyze', { ...good, cache_dir: '/proc/framehound' });
  assert.equal(answer.status, 507);
  assert.match(text(answer), /cannot be written/);
  assert.equal(s.analysis.runs.length, 0);
});

test('a task that does not stop in time answers 409 and 202, and 200 when it has', async () => {
  const s = service();
  const none = await s.call('/api/v1/analyze/cancel', undefined, { method: 'POST' });
  assert.deepEqual([none.status, none.body], [200, { message: 'No analysis is running' }]);
  const first = (await s.call('/api/v1/analyze', good)).body as { task_id: string };
  s.analysis.willing = false;
  const second = await h.settle(s.call('/api/v1/analyze', good));
  assert.deepEqual([second.status, Number(second.headers['retry-after']) > 0], [409, true]);
  assert.match(text(second), /^Another task is active: .*still stopping/);
  const waiting = await h.settle(s.call('/api/v1/analyze/cancel', undefined, { method: 'POST' }));
  assert.deepEqual(
    [waiting.status, (waiting.body as { still_stopping: boolean }).still_stopping],
    [202, true],
  );
  assert.equal(
    (await s.call(`/api/v1/tasks/${first.task_id}/resume`, undefined, { method: 'POST' })).status,
    409,
  );
  s.analysis.last.finish();
  const done = await s.call('/api/v1/analyze/cancel', undefined, { method: 'POST' });
  assert.equal(done.status, 200);
  assert.equal((await s.call('/api/v1/analyze', good)).status, 202);
});

test('tasks are listed and shown page by page, and one that was cancelled goes on', async () => {
  const s = service();
  const request = { ...good, visual_media_paths: ['a.mp4', 'b.mp4', 'link.mp4'].map(at) };
  const { task_id } = (await s.call('/api/v1/analyze', request)).body as { task_id: string };
  s.analysis.last.next();
  await s.call('/api/v1/analyze/cancel', undefined, { method: 'POST' });
  const { tasks } = (await s.call('/api/v1/tasks')).body as { tasks: { task_id: string; state: string }[] };
  assert.deepEqual(
    [tasks[0]?.task_id, tasks[0]?.state, 'results' in tasks[0]!],
    [task_id, 'cancelled', false],
  );
  const page = (await s.call(`/api/v1/tasks/${task_id}?offset=1&limit=1`)).body as Record<string, unknown>;
  assert.deepEqual([page['total_results'], page['offset'], page['limit']], [3, 1, 1]);
  assert.deepEqual(page['results'], [recordedOf(at('b.mp4'), 'cancelled')]);
  for (const query of ['offset=-1', 'limit=10001', 'limit=x']) {
    assert.equal((await s.call(`/api/v1/tasks/${task_id}?${query}`)).status, 400, query);
  }
  const again = await s.call(`/api/v1/tasks/${task_id}/resume`, undefined, { method: 'POST' });
  assert.deepEqual([again.status, (again.body as { task_id: string }).task_id], [202, task_id]);
  assert.equal(s.analysis.last.run.earlier?.finished('video', at('a.mp4')), true);
  for (const id of ['none', '..%2Ftasks', '%00']) {
    assert.equal((await s.call(`/api/v1/tasks/${id}`)).status, 404, id);
    assert.equal((await s.call(`/api/v1/tasks/${id}/resume`, undefined, { method: 'POST' })).status, 404, id);
  }
});

test('a task of another model is not resumed before that model is in use', async () => {
  let key = 'one';
  const s = service(() => key);
  const { task_id } = (await s.call('/api/v1/analyze', good)).body as { task_id: string };
  await s.call('/api/v1/analyze/cancel', undefined, { method: 'POST' });
  key = 'two';
  const refused = await s.call(`/api/v1/tasks/${task_id}/resume`, undefined, { method: 'POST' });
  assert.equal(refused.status, 409);
  assert.match(text(refused), /uses the model one, but two is in use/);
  key = 'one';
  assert.equal((await s.call(`/api/v1/tasks/${task_id}/resume`, undefined, { method: 'POST' })).status, 202);
});

test('a task is stopped by its id, and no other in its place', async () => {
  const s = service();
  const stop = (id: string) => s.call(`/api/v1/tasks/${id}/cancel`, undefined, { method: 'POST' });
  assert.equal((await stop('nobody')).status, 404);
  const { task_id } = (await s.call('/api/v1/analyze', good)).body as { task_id: string };
  s.analysis.willing = false;
  const waiting = await h.settle(stop(task_id));
  assert.deepEqual(
    [waiting.status, waiting.body],
    [202, { message: 'The task is still stopping', still_stopping: true }],
  );
  s.analysis.last.finish();
  assert.equal((await stop(task_id)).status, 200);
  s.analysis.willing = true;
  await s.call('/api/v1/analyze', good);
  const gone = await stop(task_id);
  assert.deepEqual([gone.status, gone.body], [200, { message: 'The task is not running' }]);
  assert.equal(s.analysis.last.signal.aborted, false);
  s.analysis.last.finish();
});
