import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import test from 'node:test';
import { watchErrors } from '../../../actors/watcher/folders/contract.ts';
import { folderMeant, shortId } from '../../../cli/commands/watch.ts';

const all = [
  { id: 'abcdefgh1', folder_path: '/media/footage' },
  { id: 'abcdefgh2', folder_path: '/media/other' },
  { id: 'x1', folder_path: '/media/other' },
  { id: 'x12345678', folder_path: resolve('here') },
];

test('a folder is meant by its path, its id, or the beginning of an id that no other has', () => {
  for (const [word, id] of [
    ['/media/footage', 'abcdefgh1'],
    ['/media/../media/footage/', 'abcdefgh1'],
    ['here', 'x12345678'],
    ['./here', 'x12345678'],
    ['abcdefgh2', 'abcdefgh2'],
    ['x12', 'x12345678'],
    // A whole id goes before the beginning of another one.
    ['x1', 'x1'],
  ] as const)
    assert.equal(folderMeant(all, word).id, id, word);
});

test('what means no folder, or several, is told with what was probably meant', () => {
  for (const [word, message] of [
    ['abc', /^abc matches 2 watch folders; use one of their ids: abcdefgh1, abcdefgh2$/],
    ['/media/other', /^\/media\/other matches 2 watch folders; use one of their ids: abcdefgh2, x1$/],
    ['/media/fotage', /is not watched; did you mean \/media\/footage\?/],
    ['zzz', /^zzz is not watched; see: framehound watch list$/],
    ['', /is not watched/],
    ['\u001b[2J', /^\\x1b\[2J is not watched/],
  ] as const) {
    assert.throws(
      () => folderMeant(all, word),
      (error: Error) => watchErrors.WATCH_FOLDER_UNKNOWN.is(error) && message.test(error.message),
      word,
    );
  }
  assert.throws(() => folderMeant([], 'a'), /framehound watch add FOLDER/);
});

test('an id is shown as short as it names one folder', () => {
  assert.deepEqual(
    all.map(({ id }) => shortId(id, all)),
    ['abcdefgh1', 'abcdefgh2', 'x1', 'x1234567'],
  );
});
