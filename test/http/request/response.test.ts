// Answers as JSON, and the fields in them that are base64.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Conditions, contentAnswer, contentOfText, partOf } from '../../../http/request/content.ts';
import { bearerOf } from '../../../http/request/head.ts';
import { compress, compressOnce, jsonResponse } from '../../../http/request/response.ts';

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

const content = { size: 100, etag: '"a"' };
const asked = (conditions: Partial<Conditions>, isGet = true) => {
  const { status, from, to } = partOf(
    { range: '', ifRange: '', ifNoneMatch: '', ifMatch: '', ...conditions },
    content,
    isGet,
  );
  return [status, from, to];
};

const cases: readonly (readonly [range: string, ...(readonly number[])])[] = [
  ['', 200, 0, 100],
  ['bytes=0-', 206, 0, 100],
  ['bytes=0-0', 206, 0, 1],
  ['bytes=10-19', 206, 10, 20],
  ['Bytes= 10-19 ', 206, 10, 20],
  ['bytes=90-1000', 206, 90, 100],
  ['bytes=99-', 206, 99, 100],
  ['bytes=-1', 206, 99, 100],
  ['bytes=-1000', 206, 0, 100],
  ['bytes=100-', 416, 0, 0],
  ['bytes=-0', 416, 0, 0],
  ['bytes=99999999999999999999999-', 416, 0, 0],
  // What is no range, and several ones, are ignored.
  ['bytes=20-10', 200, 0, 100],
  ['bytes=-', 200, 0, 100],
  ['bytes=a-b', 200, 0, 100],
  ['bytes=0-1,5-6', 200, 0, 100],
  ['bytes=1 0-19', 200, 0, 100],
  ['bytes = 10 - 19', 200, 0, 100],
  ['seconds=0-1', 200, 0, 100],
];
for (const [range, ...part] of cases) {
  test(`of 100 bytes ${JSON.stringify(range)} is ${part.join(' ')}`, () => {
    assert.deepEqual(asked({ range }), part);
  });
}

test('a range counts for GET alone', () => {
  assert.deepEqual(asked({ range: 'bytes=10-19' }, false), [200, 0, 100]);
});

test('a range of another content is answered with the whole', () => {
  assert.deepEqual(asked({ range: 'bytes=10-19', ifRange: '"a"' }), [206, 10, 20]);
  assert.deepEqual(asked({ range: 'bytes=10-19', ifRange: '"b"' }), [200, 0, 100]);
  assert.deepEqual(asked({ range: 'bytes=10-19', ifRange: 'W/"a"' }), [200, 0, 100]);
  assert.deepEqual(asked({ range: 'bytes=10-19', ifRange: 'Sun, 22 Nov 2026 10:00:00 GMT' }), [200, 0, 100]);
});

test('what the client has is not sent again', () => {
  assert.deepEqual(asked({ ifNoneMatch: '"a"' }), [304, 0, 0]);
  assert.deepEqual(asked({ ifNoneMatch: '"b", W/"a"', range: 'bytes=1-2' }), [304, 0, 0]);
  assert.deepEqual(asked({ ifNoneMatch: '*' }), [304, 0, 0]);
  assert.deepEqual(asked({ ifNoneMatch: '"b"' }), [200, 0, 100]);
});

test('a content that is another one than the client means is not sent', () => {
  assert.deepEqual(asked({ ifMatch: '"b"', range: 'bytes=1-2' }), [412, 0, 0]);
  // A weak tag names no bytes.
  assert.deepEqual(asked({ ifMatch: 'W/"a"' }), [412, 0, 0]);
  assert.deepEqual(asked({ ifMatch: '"b", "a"' }), [200, 0, 100]);
  assert.deepEqual(asked({ ifMatch: '*', range: 'bytes=1-2' }), [206, 1, 3]);
});

test('a text that is sent as it is has one tag, whole and where the client has it', async () => {
  const answer = (ifNoneMatch: string) =>
    contentAnswer(
      contentOfText('text', 'text/plain'),
      { method: 'GET', conditions: { range: '', ifRange: '', ifNoneMatch, ifMatch: '' } },
      { 'Cache-Control': 'no-cache' },
      () => {},
    );
  const whole = await answer('');
  const tag = new Map(whole.headers).get('ETag')!;
  const known = await answer(tag);
  assert.deepEqual([whole.status, known.status], [200, 304]);
  assert.deepEqual(known.headers, [
    ['ETag', tag],
    ['Vary', 'Accept-Encoding'],
    ['Cache-Control', 'no-cache'],
  ]);
  assert.deepEqual(whole.headers, [['Content-Type', 'text/plain'], ...known.headers]);
});

test('an empty content has a whole, and no part', () => {
  const empty = { size: 0, etag: '"a"' };
  const none = { ifRange: '', ifNoneMatch: '', ifMatch: '' };
  assert.deepEqual(partOf({ ...none, range: '' }, empty, true), { status: 200, from: 0, to: 0 });
  assert.equal(partOf({ ...none, range: 'bytes=0-' }, empty, true).status, 416);
});

test('a key is taken from a bearer token only, whatever its case and the spaces around', () => {
  const cases: [string, string][] = [
    ['Bearer abc', 'abc'],
    ['bearer   ABC-1.2 ', 'ABC-1.2'],
    ['', ''],
    ['Bearer', ''],
    ['Bearer ', ''],
    ['Bearer a b', ''],
    ['Bearer ä', ''],
    ['Basic YTpi', ''],
    ['XBearer abc', ''],
  ];
  for (const [header, key] of cases) assert.equal(bearerOf(header), key, header);
});

test('bytes that stay are compressed once for each encoding, and smaller than those of an answer', async () => {
  const words = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 613} of ${(i * 104729) % 401}\n`);
  const body = Buffer.from(words.join(''));
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;
  for (const encoding of ['br', 'gzip'] as const) {
    const [first, again] = await Promise.all([compressOnce(body, encoding), compressOnce(body, encoding)]);
    assert.equal(first, again);
    assert.deepEqual(decoders[encoding](first), body);
    assert.ok(first.length < (await compress(body, encoding)).length);
  }
});
