import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { writeFirst, writeWhole } from '../../../http/license/whole-file.ts';
import { newWorld } from './fixture.ts';

/** Makes one call of the file system fail. */
function failing(t: TestContext, name: 'linkSync' | 'fsyncSync', code: string): void {
  const fail = t.mock.method(fs, name, () => {
    throw Object.assign(new Error(code), { code });
  });
  syncBuiltinESMExports();
  t.after(() => {
    fail.mock.restore();
    syncBuiltinESMExports();
  });
}

test('a file is written whole, in folders made for it, over what was there', (t) => {
  const { folder } = newWorld(t);
  const path = join(folder, 'a', 'b', 'file');
  for (const text of ['first', 'second', '']) {
    writeWhole(path, text);
    assert.equal(readFileSync(path, 'utf8'), text);
  }
  assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['file']);
  if (process.platform === 'win32') return;
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
});

test('where no folder can be made that is said at once, not tried for ever', (t) => {
  const { folder } = newWorld(t);
  symlinkSync(join(folder, 'gone'), join(folder, 'home'));
  assert.throws(() => writeWhole(join(folder, 'home', 'licenses', 'file'), 'text'), {
    code: /^(ENOENT|EEXIST)$/,
  });
});

test('of several writers the first wins, also where files have one name only', (t) => {
  const { folder } = newWorld(t);
  const check = (path: string) => {
    assert.deepEqual([writeFirst(path, 'first'), writeFirst(path, 'second')], [true, false]);
    assert.equal(readFileSync(path, 'utf8'), 'first');
  };
  check(join(folder, 'linked'));
  failing(t, 'linkSync', 'EPERM');
  check(join(folder, 'renamed'));
  assert.deepEqual(readdirSync(folder).sort(), ['linked', 'renamed']);
});

test('a write that fails leaves the old file and nothing else', (t) => {
  const { folder } = newWorld(t);
  const path = join(folder, 'file');
  writeWhole(path, 'old');
  mkdirSync(join(folder, 'taken'));
  assert.throws(() => writeWhole(join(folder, 'taken'), 'new'));
  failing(t, 'fsyncSync', 'ENOSPC');
  for (const write of [writeWhole, writeFirst]) assert.throws(() => write(path, 'new'), { code: 'ENOSPC' });
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'taken']);
});
