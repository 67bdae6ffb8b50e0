import assert from 'node:assert/strict';
import test from 'node:test';
import type { Outcome, WorkResult } from '../../../../actors/analysis/contract.ts';
import {
  type Closing,
  type FileOutcome,
  outcomeOf,
  scopeOf,
  TaskOutcomes,
} from '../../../../actors/watcher/folders/folder-task.ts';

const files = ['/a', '/b'].map((path) => ({ path, mark: '1' }));
const fault = (code: string) => ({ code, message: `why ${code}` });
const result = (path: string, type: string, outcome: Outcome, code?: string): WorkResult => ({
  path,
  type,
  outcome,
  hash_str: null,
  reason: null,
  facts: {},
  duration_seconds: 0,
  error: code === undefined ? null : fault(code),
});
const closed = (outcome: Outcome, code?: string): WorkResult => ({
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
  const cases: [[Outcome, string?], [Outcome, string?], string, string | null][] = [
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
  const cases: [Closing, string, string][] = [
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
