import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLicense, describeFfmpeg } from '../../../actors/decoder/ffmpeg.ts';

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
