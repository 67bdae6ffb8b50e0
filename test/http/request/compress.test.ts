import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compress } from '../../../http/request/response.ts';

const bytes = (n: number) =>
  Buffer.concat(Array.from({ length: n / 32 }, (_, i) => createHash('sha256').update(`${i}`).digest()));
const pictures = Buffer.from(
  JSON.stringify(Array.from({ length: 10 }, () => bytes(20_480).toString('base64'))),
);
const words = Buffer.from(JSON.stringify(Array.from({ length: 5000 }, (_, i) => `/footage/clip-${i}.mp4`)));

for (const [name, body, most] of [
  ['pictures', pictures, 0.78],
  ['words', words, 0.25],
  ['a few words', words.subarray(0, 2000), 0.3],
] as const) {
  test(`an answer of ${name} comes back as it was and is smaller, in either encoding`, async () => {
    const [gzip, br] = [await compress(body, 'gzip'), await compress(body, 'br')];
    assert.deepEqual(gunzipSync(gzip), body);
    assert.deepEqual(brotliDecompressSync(br), body);
    for (const { length } of [gzip, br]) assert.ok(length < most * body.length, `${length / body.length}`);
  });
}
