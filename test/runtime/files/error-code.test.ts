import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { reasonOf } from '../../../runtime/errors.ts';

const errorOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test('the reason of a file system error names neither its path nor its call', () => {
  const missing = join(tmpdir(), "it's, open, nowhere");
  for (const [work, said] of [
    [() => readFileSync(missing), 'no such file or directory'],
    [() => renameSync(missing, `${missing}-2`), 'no such file or directory'],
    [() => readdirSync(import.meta.filename), 'not a directory'],
    [() => readFileSync(tmpdir()), 'illegal operation on a directory'],
  ] as const)
    assert.equal(reasonOf(errorOf(work)), said);
  assert.equal(reasonOf(new Error('not JSON')), 'not JSON');
  assert.equal(reasonOf('odd'), 'odd');
});
