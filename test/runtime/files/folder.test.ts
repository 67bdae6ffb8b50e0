import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { makeFolder } from '../../../runtime/files/folder.ts';

test('a folder is made with those above it, and one that is there is left as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const deep = join(folder, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  assert.ok(statSync(deep).isDirectory());
  rmSync(folder, { recursive: true });
});

test('where no folder can be made that is said at once, not tried for ever', () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
  const places = ['file', 'file/a', 'file/a/b', 'dangling', 'dangling/a'].map((name) => join(folder, name));
  const proc = existsSync('/proc/self') ? ['/proc/framehound', '/proc/framehound/a/b'] : [];
  for (const place of [...places, ...proc]) {
    assert.throws(() => makeFolder(place), { code: /^(ENOENT|ENOTDIR|EEXIST)$/ }, place);
  }
  rmSync(folder, { recursive: true });
});
