import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyValueCache } from '../../../../actors/summarizer/language/decoder.ts';

const ports = [{ past: 'past.0', present: 'present.0', heads: 2, width: 3 }];

test('a run reads what the run before wrote, from memory that is used again', () => {
  const cache = new KeyValueCache(ports);
  cache.begin(4);
  assert.deepEqual(cache.past()['past.0']!.dims, [1, 2, 0, 3]);
  const first = cache.present(2)['present.0']!;
  assert.deepEqual([first.dims, first.data.length], [[1, 2, 2, 3], 12]);
  first.data[11] = 7;
  cache.grown(2);
  assert.equal(cache.length, 2);
  const read = cache.past()['past.0']!;
  assert.deepEqual([read.dims, read.data[11]], [[1, 2, 2, 3], 7]);
  const second = cache.present(2)['present.0']!;
  assert.notEqual(second.data.buffer, first.data.buffer);
  cache.grown(2);
  cache.begin(3);
  assert.equal(cache.length, 0, 'a new chat knows nothing of the one before');
  const again = cache.present(1)['present.0']!;
  assert.ok([first, second].some(({ data }) => data.buffer === again.data.buffer));
  cache.free();
  assert.equal(cache.length, 0);
});

test('where there is no memory, that is told, and a smaller chat goes on', () => {
  const cache = new KeyValueCache(ports);
  assert.throws(() => cache.begin(2 ** 50), { code: 'MODEL_RUN_FAILED', message: /^no memory for/ });
  cache.begin(2);
  assert.equal(cache.present(2)['present.0']!.data.length, 12);
});

test('more tokens than there is room for are refused', () => {
  const cache = new KeyValueCache(ports);
  cache.begin(1);
  assert.throws(() => cache.present(2), RangeError);
});
