import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLicense, describeFfmpeg } from '../../../actors/decoder/ffmpeg.ts';
import { inlineImage } from '../../../actors/decoder/inline-image.ts';

test('a build says under which licence it may be passed on', () => {
  for (const [configuration, license] of [
    ['', 'LGPL version 2.1 or later'],
    ['--enable-shared --enable-version3', 'LGPL version 3 or later'],
    ['--enable-gpl', 'GPL version 2 or later'],
    ['--enable-gpl --enable-version3 --enable-libx264', 'GPL version 3 or later, with x264'],
    ['--enable-libfdk-aac --enable-nonfree --enable-gpl', 'nonfree: must not be passed on, with fdk-aac'],
    ['--disable-gpl --enable-gplx', 'LGPL version 2.1 or later'],
  ] as const) {
    assert.equal(buildLicense(configuration), license, configuration);
  }
});

test('the build in use is under the GPL, as docs/licenses.md says', () => {
  assert.match(describeFfmpeg(), /; GPL version 3 or later, with x264, x265, fdk-aac$/);
});

test('the head of a data URL may have parameters, and is refused when it is longer than any', () => {
  const wrong = 'must be a data URL of the form data:image/...;base64,...';
  assert.deepEqual(inlineImage('data:image/png;name=a;base64,AAAA', 100), { bytes: 3 });
  assert.equal(inlineImage(`data:image/png${';a=b'.repeat(6_000_000)};base64,AAAA`, 100), wrong);
});
