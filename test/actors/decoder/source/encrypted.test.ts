import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { askFrames, askProbe } from '../ask-decoder.ts';
import { clipFolder, stamped } from '../footage/clip.ts';
import { pyramid } from '../footage/codec-options.ts';

const options = { ...pyramid, g: '30' };
const encryption = {
  encryption_scheme: 'cenc-aes-ctr',
  encryption_key: '76a6c65c5ea762046bd749a2e632ccbb',
  encryption_kid: 'a7e61c373e219033c21091fa607bf3b8',
};
const clip = (file: string, container: object) =>
  stamped(file, { frames: 50, file, options, container: { ...encryption, ...container } });

test('an encrypted film is refused as that, wherever its header stands', async () => {
  for (const [file, container] of [
    ['encrypted.mp4', {}],
    ['encrypted-index-first.mp4', { movflags: 'faststart' }],
  ] as const) {
    const path = await clip(file, container).make();
    const { video } = await askProbe(path);
    assert.equal(video?.codec, 'h264', file);
    await assert.rejects(askFrames({ path }), (error: Error) => {
      assert.ok(mediaErrors.UNSUPPORTED_CODEC.is(error), error.message);
      assert.equal(error.message, `${path}: is encrypted (cenc)`);
      return true;
    });
  }
});

test('a header of an encrypted film that cannot be read is refused as that; other damage is not', async (t) => {
  const whole = await clip('encrypted-fragments.mp4', { movflags: 'frag_keyframe+empty_moov' }).make();
  const bytes = readFileSync(whole);
  const path = join(clipFolder, `encrypted-damaged-${process.pid}.mp4`);
  t.after(() => rmSync(path));
  // A table of initialisation vectors that says it holds more than it has bytes for.
  const table = bytes.indexOf('senc');
  assert.ok(table > 0);
  bytes.writeUInt32BE(0x10000, table + 8);
  writeFileSync(path, bytes);
  const text = await askProbe(path).then(() => 'read', String);
  assert.match(text, /is encrypted \(cenc\)/);
  bytes.write('xxxx', bytes.indexOf('schm'), 'latin1');
  writeFileSync(path, bytes);
  assert.doesNotMatch(await askProbe(path).then(() => 'read', String), /is encrypted/);
});
