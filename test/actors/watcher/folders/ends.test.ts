import assert from 'node:assert/strict';
import test from 'node:test';
import type { Outcome, WorkResult } from '../../../../actors/analysis/contract.ts';
import { FileEnds } from '../../../../actors/watcher/folders/ends.ts';

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
function begun(some: typeof files, pieces: number, closes: boolean): FileEnds {
  const ends = new FileEnds(some, closes);
  ends.begin(pieces);
  return ends;
}
const told = (ended: { path: string; end: string; fault: { code: string } | null }[]) =>
  ended.map(({ path, end, fault: why }) => [path, end, why?.code ?? null]);

test('a file has ended with the last piece of its work', () => {
  const ends = begun(files, 2, false);
  assert.equal(ends.add(result('/a', 'video', 'analyzed')), null);
  assert.equal(ends.add(result('/other', 'video', 'analyzed')), null);
  assert.equal(ends.add(result('/a', 'speech', 'not_applicable'))?.end, 'analyzed');
  assert.deepEqual(told(ends.rest(null)), [['/b', 'returned', null]]);
});

test('a task that never began has analysed nothing', () => {
  const ends = new FileEnds(files, false);
  assert.deepEqual(told(ends.rest(null)), [
    ['/a', 'returned', null],
    ['/b', 'returned', null],
  ]);
});

test('of several pieces the worst one says what became of the file', () => {
  const cases: [[Outcome, string?][], string, string | null][] = [
    [[['stored'], ['analyzed']], 'analyzed', null],
    [[['analyzed'], ['failed', 'DECODE_FAILED']], 'failed', 'DECODE_FAILED'],
    [
      [
        ['failed', 'ACTOR_CRASHED'],
        ['failed', 'DECODE_FAILED'],
      ],
      'failed',
      'DECODE_FAILED',
    ],
    [[['failed', 'DECODE_FAILED'], ['cancelled']], 'failed', 'DECODE_FAILED'],
    [[['failed', 'ACTOR_CRASHED'], ['analyzed']], 'returned', 'ACTOR_CRASHED'],
    [[['analyzed'], ['cancelled', 'CANCELLED']], 'returned', null],
    [[['failed', 'NO_SPEECH_MODEL'], ['analyzed']], 'returned', 'NO_SPEECH_MODEL'],
    [[['failed', 'QUARANTINED'], ['analyzed']], 'failed', 'QUARANTINED'],
    [[['failed', 'SUSPECT'], ['analyzed']], 'returned', 'SUSPECT'],
    [[['failed', 'SOMETHING_NEW'], ['analyzed']], 'failed', 'SOMETHING_NEW'],
  ];
  for (const [[one, two], end, code] of cases) {
    const ends = begun(files.slice(0, 1), 2, false);
    ends.add(result('/a', 'video', ...one!));
    const ended = ends.add(result('/a', 'speech', ...two!));
    assert.deepEqual([ended?.end, ended?.fault?.code ?? null], [end, code]);
  }
});

test('a task that fails as a whole hands back what it did not do, with its reason', () => {
  const ends = begun(files, 1, false);
  const error = { ...fault('STORE_FULL'), error: '' };
  ends.add(result('/a', 'video', 'analyzed'));
  assert.deepEqual(told(ends.rest(error)), [['/b', 'returned', 'STORE_FULL']]);
  const none = begun(files, 1, false);
  assert.deepEqual(
    told(none.rest({ ...fault('ALL_FAILED'), error: '' })).map(([, end]) => end),
    ['returned', 'returned'],
  );
});

test('faces are done when the people of the job are clustered', () => {
  const cases: [WorkResult | null, string, string][] = [
    [closed('analyzed'), 'analyzed', 'analyzed'],
    [closed('stored'), 'analyzed', 'analyzed'],
    [closed('cancelled'), 'returned', 'returned'],
    [null, 'returned', 'returned'],
    [closed('failed', 'OTHER_FACE_MODEL'), 'failed', 'analyzed'],
    [closed('failed', 'ACTOR_CRASHED'), 'returned', 'analyzed'],
    [closed('failed', 'NO_MEDIA'), 'analyzed', 'analyzed'],
  ];
  for (const [closing, withFaces, without] of cases) {
    const ends = begun(files, 1, true);
    assert.equal(ends.add(result('/a', 'faces', 'analyzed')), null);
    assert.equal(ends.add(result('/b', 'faces', 'not_applicable')), null);
    if (closing) ends.add(closing);
    assert.deepEqual(
      ends.rest(null).map(({ end }) => end),
      [withFaces, without],
      JSON.stringify(closing),
    );
  }
});
