import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { askProbe } from '../ask-decoder.ts';

test('a file that cannot be opened is refused in words of ours', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-refused-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const table: [string, Uint8Array | string, RegExp][] = [
    [
      'notes.mp4',
      'shot list\n'.repeat(40),
      /notes\.mp4: cannot be opened: it is damaged or not a media file$/,
    ],
    // The first bytes of a sound file, of which no more has arrived.
    [
      'cut.aac',
      Buffer.from('41444946003e8000000001', 'hex'),
      /cut\.aac: cannot be opened: it ends before the first picture or sound$/,
    ],
  ];
  for (const [name, bytes, words] of table) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await assert.rejects(askProbe(path), (error: Error) => {
      assert.ok(mediaErrors.NOT_MEDIA.is(error), error.message);
      assert.match(error.message, words);
      return true;
    });
  }
});
