import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { WorkOutcome, WorkResult } from '../../../../actors/analysis/contract.ts';
import {
  type ClosingOutcome,
  type FileOutcome,
  outcomeOf,
  scopeOf,
  TaskOutcomes,
} from '../../../../actors/watcher/folders/folder-task.ts';
import { home, requestOf } from '../../analysis/fake-runs.ts';
import { bodyOf, never, watching } from './watching.ts';

const files = ['/a', '/b'].map((path) => ({ path, mark: '1' }));
const fault = (code: string) => ({ code, message: `why ${code}` });
const result = (path: string, type: string, outcome: WorkOutcome, code?: string): WorkResult => ({
  path,
  type,
  outcome,
  hash_str: null,
  reason: null,
  facts: {},
  duration_seconds: 0,
  error: code === undefined ? null : fault(code),
});
const closed = (outcome: WorkOutcome, code?: string): WorkResult => ({
  ...result('crew', 'faces', outcome, code),
  closing: true,
});
function begun(closes: boolean, kinds = 1): TaskOutcomes {
  const outcomes = new TaskOutcomes(files, closes);
  outcomes.begin(kinds);
  return outcomes;
}
const shown = (outcomes: readonly FileOutcome[]) =>
  outcomes.map(({ path, end, fault: why }) => [path, end, why?.code ?? null]);

test('an error concerns the file, one try of it, or what surrounds it', () => {
  const scopes = {
    file: ['DECODE_FAILED', 'NOT_MEDIA', 'QUARANTINED', 'MODEL_RUN_FAILED', 'INTERNAL', 'SOMETHING_NEW'],
    attempt: ['ACTOR_CRASHED', 'SUSPECT', 'FILE_CHANGED', 'STAGE_LOST'],
    surroundings: [
      'STORE_FULL',
      'STORE_IN_USE',
      'NO_VISUAL_MODEL',
      'NO_SPEECH_MODEL',
      'MODEL_INVALID',
      'STOPPING',
    ],
  };
  for (const [scope, codes] of Object.entries(scopes)) {
    for (const code of codes) assert.equal(scopeOf(fault(code)), scope, code);
  }
});

test('a file has an outcome with the last result of its kinds of work', () => {
  const outcomes = begun(false, 2);
  assert.equal(outcomes.add(result('/a', 'video', 'analyzed')), null);
  assert.equal(outcomes.add(result('/other', 'video', 'analyzed')), null);
  assert.equal(outcomes.add(result('/a', 'speech', 'not_applicable'))?.end, 'analyzed');
  assert.deepEqual(shown(outcomes.remaining(null)), [['/b', 'returned', null]]);
});

test('a task that never began has analysed nothing', () => {
  assert.deepEqual(shown(new TaskOutcomes(files, false).remaining(null)), [
    ['/a', 'returned', null],
    ['/b', 'returned', null],
  ]);
});

test('of several results the worst one says what became of the file', () => {
  const cases: [[WorkOutcome, string?], [WorkOutcome, string?], string, string | null][] = [
    [['stored'], ['analyzed'], 'analyzed', null],
    [['analyzed'], ['failed', 'DECODE_FAILED'], 'failed', 'DECODE_FAILED'],
    [['failed', 'ACTOR_CRASHED'], ['failed', 'DECODE_FAILED'], 'failed', 'DECODE_FAILED'],
    [['failed', 'DECODE_FAILED'], ['cancelled'], 'failed', 'DECODE_FAILED'],
    [['failed', 'ACTOR_CRASHED'], ['analyzed'], 'returned', 'ACTOR_CRASHED'],
    [['analyzed'], ['cancelled', 'CANCELLED'], 'returned', null],
    [['failed', 'NO_SPEECH_MODEL'], ['analyzed'], 'returned', 'NO_SPEECH_MODEL'],
  ];
  for (const [video, speech, end, code] of cases) {
    const results = [result('/a', 'video', ...video), result('/a', 'speech', ...speech)];
    const outcome = outcomeOf(results, true, 'none');
    assert.deepEqual([outcome.end, outcome.fault?.code ?? null], [end, code]);
  }
});

test('a task that fails as a whole hands back what it did not do, with its reason', () => {
  const outcomes = begun(false);
  outcomes.add(result('/a', 'video', 'analyzed'));
  assert.deepEqual(shown(outcomes.remaining({ ...fault('STORE_FULL'), error: '' })), [
    ['/b', 'returned', 'STORE_FULL'],
  ]);
  const none = begun(false).remaining({ ...fault('ALL_FAILED'), error: '' });
  assert.deepEqual(
    shown(none)
      .flat()
      .filter((one) => one === 'returned').length,
    2,
  );
});

test('faces are done when the people of the job are clustered', () => {
  const cases: [ClosingOutcome, string, string][] = [
    [closed('analyzed'), 'analyzed', 'analyzed'],
    [closed('stored'), 'analyzed', 'analyzed'],
    [closed('cancelled'), 'returned', 'returned'],
    ['awaited', 'returned', 'returned'],
    [closed('failed', 'OTHER_FACE_MODEL'), 'failed', 'analyzed'],
    [closed('failed', 'ACTOR_CRASHED'), 'returned', 'analyzed'],
    [closed('failed', 'NO_MEDIA'), 'analyzed', 'analyzed'],
  ];
  for (const [closing, withFaces, without] of cases) {
    const outcomes = begun(true);
    assert.equal(outcomes.add(result('/a', 'faces', 'analyzed')), null);
    assert.equal(outcomes.add(result('/b', 'faces', 'not_applicable')), null);
    if (typeof closing === 'object') outcomes.add(closing);
    const ends = outcomes.remaining(null).map(({ end }) => end);
    assert.deepEqual(ends, [withFaces, without], JSON.stringify(closing));
  }
});

test('through the real front door: a person goes first, and what was handed back is done afterwards', async (t) => {
  const w = await watching(t);
  const h = home();
  t.after(h.end);
  const { tasks, analysis } = h.start();
  const service = w.service({ tasks });
  const folder_path = w.folder('films');
  const { id } = await service.add(bodyOf({ folder_path }), never);
  w.fill();
  const films = ['a.mov', 'b.mov'].map((name) => join(folder_path, name));
  for (const film of films) w.world.put(film);
  const state = async () => (await service.status()).state;
  await service.start();
  await w.pass(() => analysis.runs.length === 1);
  analysis.last.tell(films[0]!, 'analyzed');
  await w.pass(async () => (await service.status()).folder_stats[id]!.files_analyzed === 1);
  await tasks.start(requestOf(['/person/film.mov']));
  await w.pass(async () => (await state()) === 'paused');
  assert.deepEqual([...analysis.last.left], ['/person/film.mov']);
  w.clock.advance(3_000_000);
  assert.equal(analysis.runs.length, 2);
  analysis.last.finish();
  await w.pass(() => analysis.runs.length === 3);
  assert.deepEqual([...analysis.last.left], [films[1]]);
  analysis.last.finish();
  await w.pass(async () => (await state()) === 'waiting');
  const { files_analyzed, files_failed } = (await service.status()).folder_stats[id]!;
  assert.deepEqual([files_analyzed, files_failed, tasks.busy], [2, 0, false]);
  await service.close();
  await tasks.stop();
});

test('the engine stops in mid-file: the task is interrupted, and no other one is begun', async (t) => {
  const w = await watching(t);
  const h = home();
  t.after(h.end);
  const { tasks, analysis } = h.start();
  const service = w.service({ tasks });
  const folder_path = w.folder('films');
  await service.add(bodyOf({ folder_path }), never);
  w.fill();
  w.world.put(join(folder_path, 'a.mov'));
  await service.start();
  await w.pass(() => analysis.runs.length === 1);
  await Promise.all([service.close(), tasks.stop()]);
  w.clock.advance(1_000_000);
  assert.deepEqual([analysis.runs.length, analysis.last.over, w.clock.waiting], [1, true, 0]);
  const [task] = await tasks.list();
  assert.equal(task!.state, 'interrupted');
});
