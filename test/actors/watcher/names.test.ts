import assert from 'node:assert/strict';
import test from 'node:test';
import { isPartial, isWatchedFile, isWatchedFolder } from '../../../actors/watcher/names.ts';

test('media are looked at, in any case of letters', () => {
  for (const name of ['film.mp4', 'FILM.MOV', 'a b.JPG', 'x.tmp.wav', 'Ä.mkv', 'part.mp4', '~film.mp4'])
    assert.ok(isWatchedFile(name), name);
  for (const name of ['notes.txt', 'film', 'film.mp4.txt', 'film.prproj', '', '.', 'mp4'])
    assert.ok(!isWatchedFile(name), name);
});

test('what is still written, and what an editor keeps, is left', () => {
  const endings =
    'part partial PART crdownload download opdownload tmp temp filepart !ut !qB aria2 incomplete';
  for (const ending of endings.split(' ')) {
    assert.ok(isPartial(`film.mp4.${ending}`), ending);
    assert.ok(!isWatchedFile(`film.mp4.${ending}`), ending);
    assert.ok(!isWatchedFolder(`film.mp4.${ending}`), ending);
  }
  for (const name of ['film.mp4~', '~$film.mp4', '.~film.mp4', '.~lock.film.mp4#']) {
    assert.ok(isPartial(name), name);
    assert.ok(!isWatchedFile(name), name);
  }
});

test('hidden names, and folders of the system and of storage devices, are left', () => {
  for (const name of ['.film.mp4', '._film.mp4', '.mp4']) assert.ok(!isWatchedFile(name), name);
  for (const name of [
    '.git',
    '.Trashes',
    '@eaDir',
    '$RECYCLE.BIN',
    'System Volume Information',
    'lost+found',
  ])
    assert.ok(!isWatchedFolder(name), name);
  for (const name of ['2024', 'film.mp4', 'a b', 'recycle', '$x']) assert.ok(isWatchedFolder(name), name);
});
