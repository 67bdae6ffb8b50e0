import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { otherSpellings, spelledOnDisk } from '../../../runtime/files/spelling.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const [composed, decomposed] = ['Café'.normalize('NFC'), 'Café'.normalize('NFD')];

test('a path has the spelling of the disk, whichever way each of its accents was sent', async () => {
  for (const [above, name] of [
    [decomposed, composed],
    [composed, decomposed],
    [decomposed, decomposed],
  ] as const) {
    const folder = join(temporaryFolder(), above);
    mkdirSync(folder);
    writeFileSync(join(folder, name), '');
    for (const sentAbove of [composed, decomposed]) {
      for (const sentName of [composed, decomposed]) {
        const sent = join(dirname(folder), sentAbove, sentName);
        // macOS finds a file by both spellings.
        assert.deepEqual(await spelledOnDisk([sent]), [existsSync(sent) ? sent : join(folder, name)]);
        const fresh = join(dirname(folder), sentAbove, 'new');
        const beside = existsSync(dirname(fresh)) ? fresh : join(folder, 'new');
        assert.deepEqual(await spelledOnDisk([fresh]), [beside]);
      }
    }
  }
});

test('a path that is there, has no accents or is nowhere stays as it was sent', async () => {
  const folder = temporaryFolder();
  for (const name of [composed, decomposed]) writeFileSync(join(folder, name), '');
  const there = [composed, decomposed].map((name) => join(folder, name));
  const sent = [...there, `/nowhere/${composed}`, '/plain', '/', composed];
  assert.deepEqual(await spelledOnDisk(sent), sent);
  assert.deepEqual([otherSpellings('/plain'), otherSpellings('/東京')], [[], []]);
  assert.deepEqual(otherSpellings(composed), [decomposed]);
});
