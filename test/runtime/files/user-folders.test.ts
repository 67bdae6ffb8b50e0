import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { exportFolder, typedPath } from '../../../runtime/files/user-folders.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

test('exports go to Movies or Videos of the home folder, whichever exists', (t) => {
  const home = temporaryFolder(t);
  assert.equal(exportFolder(home, 'linux'), join(home, 'Videos'));
  assert.equal(exportFolder(home, 'darwin'), join(home, 'Movies'));
  mkdirSync(join(home, 'Videos'));
  assert.equal(exportFolder(home, 'darwin'), join(home, 'Videos'));
  mkdirSync(join(home, 'Movies'));
  assert.equal(exportFolder(home, 'linux'), join(home, 'Movies'));
  assert.equal(exportFolder(null), null);
});

test('a typed path is relative to the working folder, and ~ is the home folder', () => {
  assert.equal(typedPath('clips'), resolve('clips'));
  assert.equal(typedPath('~', '/home/ann'), resolve('/home/ann'));
  assert.equal(typedPath('~/cut/a.xml', '/home/ann'), resolve('/home/ann/cut/a.xml'));
  assert.equal(typedPath('~ann/cut', '/home/ann'), resolve('~ann/cut'));
  assert.equal(typedPath('/films', '/home/ann'), resolve('/films'));
});
