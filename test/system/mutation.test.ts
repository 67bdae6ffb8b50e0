import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mutate } from './mutation.ts';

const original = Uint8Array.from({ length: 5000 }, (_, n) => (n % 97 < 8 ? 65 + (n % 26) : (n * 7) & 255));

test('a seed damages the same bytes in the same way, and leaves the original alone', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.uint8Array({ maxLength: 300 }), (seed, bytes) => {
      const before = bytes.slice();
      const mutation = mutate(bytes, seed);
      assert.deepEqual(mutate(bytes, seed), mutation);
      assert.deepEqual(bytes, before);
      assert.notEqual(mutation.bytes, bytes);
      assert.ok(mutation.done.length >= 1 && mutation.done.length <= 3);
    }),
    { numRuns: 200 },
  );
});

test('nearly every seed changes the file, and all kinds of damage come up', () => {
  const mutations = Array.from({ length: 400 }, (_, seed) => mutate(original, seed));
  const changed = mutations.filter(({ bytes }) => Buffer.compare(bytes, original) !== 0);
  assert.ok(changed.length > 385);
  const kinds = new Set(mutations.flatMap(({ done }) => done));
  assert.deepEqual(
    [...kinds].sort(),
    ['duplicate', 'flip', 'length', 'name', 'noise', 'remove', 'truncate', 'zero'].sort(),
  );
});

test('damage stays small enough that something is left to read', () => {
  const lengths = Array.from({ length: 400 }, (_, seed) => mutate(original, seed).bytes.length);
  assert.ok(lengths.filter((length) => length > 3000).length > 300);
  assert.ok(Math.max(...lengths) < original.length * 1.7);
});
