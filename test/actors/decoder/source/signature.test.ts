import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stillFormat } from '../../../../actors/decoder/source/still.ts';

test('stills are recognised by their first bytes', () => {
  const text = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0));
  const rows = [
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['GIF89a', 'gif'],
    ['RIFF....WEBPVP8 ', 'webp'],
    ['RIFF....AVI LIST', null],
    ['II*\0', 'tiff'],
    ['....ftypavif', 'heif'],
    ['....ftypisom', null],
    ['', null],
  ] as const;
  for (const [bytes, format] of rows) assert.equal(stillFormat(text(bytes)), format);
});
