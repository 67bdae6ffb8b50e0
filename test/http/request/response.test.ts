// Answers as JSON, and the fields in them that are base64.
import assert from 'node:assert/strict';
import test from 'node:test';
import { jsonResponse } from '../../../http/request/response.ts';

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
