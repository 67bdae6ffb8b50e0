import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError, engineErrors, fromFields, toFields } from '../../runtime/errors.ts';
import * as paths from '../../runtime/paths.ts';
import { overlap } from '../../runtime/picture.ts';
import { rangeFault } from '../../runtime/ranges.ts';
import { nearest, quoted, suggestion } from '../../runtime/text.ts';
import { onWindows } from '../windows-paths.ts';
import { manualClock } from './manual-clock.ts';

test('a manual clock runs what falls due in order and nothing that was called off', () => {
  const clock = manualClock();
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b${clock.now()}`));
  clock.after(10, () => {
    seen.push(`a${clock.now()}`);
    clock.after(5, () => seen.push(`c${clock.now()}`));
  });
  clock.after(12, () => seen.push('never'))();
  clock.advance(30);
  assert.deepEqual(seen, ['a10', 'c15', 'b20']);
  assert.equal(clock.waiting, 0);
});

test('an error keeps code, status, retryable and details when it crosses as fields', () => {
  const there = fromFields(structuredClone(toFields(engineErrors.BUSY('index: full', { actor: 'index' }))));
  assert.ok(there instanceof EngineError && engineErrors.BUSY.is(there));
  assert.deepEqual([there.status, there.retryable, there.details], [503, true, { actor: 'index' }]);
  assert.equal(toFields(new TypeError('odd')).code, 'INTERNAL');
  assert.equal(toFields(AbortSignal.abort().reason).code, 'CANCELLED');
});

const windows = await onWindows<typeof paths>(new URL('../../runtime/paths.ts', import.meta.url));

test('on Windows a path has one plain form: capital drive letter, no long prefix, no trailing separator', () => {
  for (const [given, plain] of [
    ['c:\\films', 'C:\\films'],
    ['c:/films/day 1/', 'C:\\films\\day 1'],
    ['\\\\?\\c:\\films\\a.mp4', 'C:\\films\\a.mp4'],
    ['\\\\?\\UNC\\nas\\films\\a.mp4', '\\\\nas\\films\\a.mp4'],
    ['\\\\nas\\films\\', '\\\\nas\\films'],
    ['d:\\', 'D:\\'],
    ['C:\\films\\..\\R&D\\50%^\\a.mp4', 'C:\\R&D\\50%^\\a.mp4'],
    // A volume without a letter has no other name.
    ['\\\\?\\Volume{0b}\\films', '\\\\?\\Volume{0b}\\films'],
  ] as const) {
    assert.equal(windows.pathComplaint(given), null, given);
    assert.equal(windows.plainPath(given), plain);
    assert.equal(windows.plainPath(plain), plain);
  }
});

test('on Windows a path without its drive is refused, and the message says what is missing', () => {
  for (const path of ['\\Films', '/Films'])
    assert.throws(() => windows.absolute('folder_path', path), {
      code: 'PATH_NOT_ABSOLUTE',
      message: `folder_path must name its drive, as C:\\Films does: "${path}"`,
    });
  for (const path of ['C:films', 'films', '..\\films'])
    assert.equal(windows.pathComplaint(path), 'must be an absolute path');
});

test('elsewhere a path is as it was: no letter of it is changed', () => {
  assert.equal(paths.pathComplaint('/Films'), null);
  assert.equal(paths.plainPath('/Films//a/../b/'), '/Films/b');
  assert.equal(paths.plainPath('/c:\\films'), '/c:\\films');
});

test('two spellings are one path where the system says so', () => {
  const { comparablePath } = paths;
  assert.equal(comparablePath('C:\\Films\\A.MP4', 'win32'), comparablePath('c:\\films\\a.mp4', 'win32'));
  assert.equal(comparablePath('\\\\NAS\\Films', 'linux'), comparablePath('\\\\nas\\films', 'linux'));
  assert.equal(comparablePath('/Films/Ä', 'darwin'), comparablePath('/films/a\u0308', 'darwin'));
  assert.notEqual(comparablePath('/Films', 'linux'), comparablePath('/films', 'linux'));
});

test('overlap is the shared part of what two boxes cover', () => {
  assert.equal(overlap([0, 0, 0.2, 0.2], [0, 0, 0.2, 0.2]), 1);
  assert.equal(overlap([0, 0, 0.2, 0.2], [0.2, 0, 0.2, 0.2]), 0);
  assert.ok(Math.abs(overlap([0, 0, 0.2, 0.2], [0.1, 0, 0.2, 0.2]) - 1 / 3) < 1e-9);
});

test('a range without length is empty, and another one ends before it starts', () => {
  assert.equal(rangeFault(5, 5), '[5, 5] is empty: its end must be greater than its start');
  assert.equal(rangeFault(5, 3.5), '[5, 3.5] ends before it starts');
});

const words = ['analyze', 'search', 'tasks', 'transcribe', 'transcript', 'tour', 'serve', 'siglip2-b16-256'];

test('one slip or two are forgiven, and a beginning is enough', () => {
  const cases: [string, string | null][] = [
    ['serch', 'search'],
    ['saerch', 'search'],
    ['analyse', 'analyze'],
    ['anlayze', 'analyze'],
    ['transcribr', 'transcribe'],
    ['TASKS', 'tasks'],
    ['task', 'tasks'],
    ['siglip', 'siglip2-b16-256'],
    ['siglip2-b16-265', 'siglip2-b16-256'],
    ['zebra', null],
    ['x', null],
    ['', null],
  ];
  for (const [typed, meant] of cases) assert.equal(nearest(typed, words), meant, typed);
});

test('a suggestion is the end of a sentence, or nothing', () => {
  assert.equal(suggestion('serch', words), '; did you mean search?');
  assert.equal(suggestion('zebra', words), '');
});

test('a text stands in a message as it is, but in one line', () => {
  for (const [text, shown] of [
    ['C:\\films\\a.mp4', '"C:\\films\\a.mp4"'],
    ['日本 "x"', '"日本 "x""'],
    ['a\nb\u001b[31m\u2028\ud800', '"a\\u000ab\\u001b[31m\\u2028\\ud800"'],
  ] as const)
    assert.equal(quoted(text), shown);
});
