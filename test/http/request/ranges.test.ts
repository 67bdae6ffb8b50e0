import assert from 'node:assert/strict';
import test from 'node:test';
import { type Conditions, partOf } from '../../../http/request/content.ts';

const content = { size: 100, etag: '"a"' };
const asked = (conditions: Partial<Conditions>, isGet = true) => {
  const { status, from, to } = partOf(
    { range: '', ifRange: '', ifNoneMatch: '', ...conditions },
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

test('an empty content has a whole, and no part', () => {
  const empty = { size: 0, etag: '"a"' };
  const none = { ifRange: '', ifNoneMatch: '' };
  assert.deepEqual(partOf({ ...none, range: '' }, empty, true), { status: 200, from: 0, to: 0 });
  assert.equal(partOf({ ...none, range: 'bytes=0-' }, empty, true).status, 416);
});
