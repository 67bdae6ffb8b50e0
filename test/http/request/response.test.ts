// Answers as JSON, and the fields in them that are base64.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compress, jsonResponse } from '../../../http/request/response.ts';

test('an answer with base64 is the same JSON as any other', () => {
  const image = Buffer.from([...Array(9000).keys()]).toString('base64');
  const answer = {
    matches: [
      { image, path: '/film "1"\\\n.mp4', name: 'Zoë 日本 😀' },
      { image: '', path: '\u0000', name: undefined },
      { image: null, path: image },
    ],
    image: image.slice(0, 4),
  };
  const { body, headers } = jsonResponse(200, answer, { 'X-More': '1' }, ['image']);
  assert.ok(body instanceof Uint8Array);
  assert.equal(Buffer.from(body).toString(), JSON.stringify(answer));
  assert.deepEqual(headers, jsonResponse(200, answer, { 'X-More': '1' }).headers);
});

test('only a 200 is an answer with base64', () => {
  const { body } = jsonResponse(409, { error: 'x' }, undefined, ['image']);
  assert.equal(body, '{"error":"x"}');
});

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
