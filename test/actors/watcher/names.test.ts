import assert from 'node:assert/strict';
import test from 'node:test';
import { isWatchedFile, isWatchedFolder } from '../../../actors/watcher/names.ts';

test('media are looked at, in any case of letters', () => {
  for (const name of ['film.mp4', 'FILM.MOV', 'a b.JPG', 'x.tmp.wav', 'Ä.mkv', 'part.mp4', '~film.mp4'])
    assert.ok(isWatchedFile(name), name);
  for (const name of ['notes.txt', 'film', 'film.mp4.txt', 'film.prproj', '', '.', 'mp4'])
    assert.ok(!isWatchedFile(name), name);
});

test('what is still written is left, and the folder of a download', () => {
  for (const name of ['film.temp.mp4', '~$film.mp4']) assert.ok(!isWatchedFile(name), name);
  assert.ok(!isWatchedFolder('film.mp4.download'));
  for (const name of ['shoot.tmp', 'day 1~']) assert.ok(isWatchedFolder(name), name);
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
