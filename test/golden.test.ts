import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { assertGolden } from './golden.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('what was written is found equal, and written anew where that is asked for', (t) => {
  const root = temporaryFolder(t);
  assertGolden('a', { 'one.txt': 'x\n', 'two.txt': '' }, { root, write: true });
  assertGolden('a', { 'one.txt': 'x\n', 'two.txt': '' }, { root, write: false });
  assertGolden('a', { 'one.txt': 'y\n' }, { root, write: true });
  assertGolden('a', { 'one.txt': 'y\n' }, { root, write: false });
  assert.equal(readFileSync(join(root, 'a', 'one.txt'), 'utf8'), 'y\n');
});

test('a failure shows the lines that changed, missing and left-over files, and how to write them anew', (t) => {
  const root = temporaryFolder(t);
  const stored = [...'abcdefghij'].join('\n');
  assertGolden('a', { 'old.txt': '', 'same.txt': '', 'text.txt': stored }, { root, write: true });
  const compare = () =>
    assertGolden(
      'a',
      { 'new.txt': '', 'same.txt': '', 'text.txt': stored.replace('e', 'E') },
      { root, write: false },
    );
  assert.throws(compare, ({ message }: Error) => {
    assert.deepEqual(message.split('\n'), [
      'test/golden/a/new.txt is missing',
      '',
      'test/golden/a/old.txt is left over',
      '',
      'test/golden/a/text.txt:',
      '  …',
      '  c',
      '  d',
      '- e',
      '+ E',
      '  f',
      '  g',
      '',
      'If the change is meant, write the golden files anew with FRAMEHOUND_GOLDEN=write and commit them.',
    ]);
    return true;
  });
});

test('of a long difference only the beginning is shown', (t) => {
  const root = temporaryFolder(t);
  const lines = (of: string) => Array.from({ length: 100 }, (_, at) => `${of} ${at}`).join('\n');
  assertGolden('a', { 'text.txt': lines('was') }, { root, write: true });
  assert.throws(
    () => assertGolden('a', { 'text.txt': lines('is') }, { root, write: false }),
    ({ message }: Error) => {
      assert.match(message, /… and 160 lines more/);
      assert.ok(message.split('\n').length < 50);
      return true;
    },
  );
});
