import assert from 'node:assert/strict';
import test from 'node:test';
import * as paths from '../../runtime/paths.ts';
import { onWindows } from '../windows-paths.ts';

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
