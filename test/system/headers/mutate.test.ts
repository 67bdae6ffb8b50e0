import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clips } from '../../actors/decoder/footage/clips.ts';
import { oddFiles } from '../../actors/decoder/footage/odd-files.ts';
import { oddSubtitles } from '../odd-subtitles.ts';
import { headerOf, mutateHeader } from './mutate.ts';

const kinds = [
  'H.264, GOP 12',
  'H.264 in Matroska with sound',
  'Motion JPEG in AVI',
  'H.264, open GOP in a transport stream',
  'MPEG-2, closed GOP, in a program stream',
  'H.264 in Flash video',
  'sound with a cover picture',
  ...['flac', 'wav', 'ogg'].map((ending) => `sound alone, sound.${ending}`),
];

for (const name of kinds) {
  test(`the header of ${name} is understood, and damaged the same way for the same seed`, async () => {
    const file = [...clips, ...oddFiles].find((one) => one.name === name)!;
    const bytes = readFileSync(await file.make());
    const before = Buffer.from(bytes);
    const { fields, elements, seal } = headerOf(bytes);
    assert.ok(elements.length >= 2 && fields.some(({ kind }) => kind === 'length'));
    const sealed = Uint8Array.from(bytes);
    seal(sealed);
    assert.ok(before.equals(sealed), 'checksums of a file that is not damaged stay');
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const changed = seeds.filter((seed) => !before.equals(mutateHeader(bytes, seed).bytes));
    assert.ok(changed.length > 45, `${changed.length} of 60 differ`);
    assert.deepEqual(mutateHeader(bytes, 7), mutateHeader(bytes, 7));
    assert.ok(before.equals(bytes), 'the original stays');
  });
}

test('odd subtitles are the same for the same seed, and every oddity, format and encoding comes up', () => {
  const some = Array.from({ length: 400 }, (_, seed) => oddSubtitles(seed));
  assert.deepEqual(oddSubtitles(11), some[11]);
  assert.deepEqual(new Set(some.map(({ ending }) => ending)), new Set(['srt', 'vtt', 'ass', 'ttml']));
  const done = new Set(some.flatMap((one) => one.done));
  for (const name of ['fill', 'mix', 'nest', 'time', 'many', 'backwards', 'utf16be', 'utf32le', 'escaped'])
    assert.ok(done.has(name), name);
  assert.ok(Math.max(...some.map(({ bytes }) => bytes.length)) > 500_000);
});
