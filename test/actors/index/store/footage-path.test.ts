import assert from 'node:assert/strict';
import test from 'node:test';
import * as here from '../../../../actors/index/store/footage-path.ts';
import { onWindows } from '../../../windows-paths.ts';

const windows = await onWindows<typeof here>(
  new URL('../../../../actors/index/store/footage-path.ts', import.meta.url),
);

test('on Windows a folder holds its files however it is spelled', () => {
  assert.ok(windows.isWithin('C:\\Footage\\Day 1\\a.mp4', 'c:\\footage'));
  assert.ok(windows.isWithin('C:\\Footage', 'C:\\FOOTAGE'));
  assert.ok(windows.isWithin('d:\\a.mp4', 'D:\\'));
  assert.ok(!windows.isWithin('C:\\Footage2\\a.mp4', 'c:\\footage'));
  assert.equal(
    windows.movedPath('C:\\Footage\\Day 1\\a.mp4', 'c:\\footage', 'E:\\new'),
    'E:\\new\\Day 1\\a.mp4',
  );
  assert.equal(windows.movedPath('C:\\Footage', 'c:\\footage', 'E:\\'), 'E:\\');
  assert.equal(windows.movedPath('d:\\a.mp4', 'D:\\', 'E:\\'), 'E:\\a.mp4');
});

test('elsewhere capital letters make another folder', { skip: process.platform !== 'linux' }, () => {
  assert.ok(!here.isWithin('/Footage/a.mp4', '/footage'));
  assert.ok(here.isWithin('/a.mp4', '/'));
  assert.equal(here.movedPath('/footage/a/b.mp4', '/footage', '/'), '/a/b.mp4');
  assert.equal(here.movedPath('/footage/a/b.mp4', '/', '/mnt'), '/mnt/footage/a/b.mp4');
});
