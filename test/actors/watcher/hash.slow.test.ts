import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { emptyHash, extended, finished, hashOf } from '../../../actors/watcher/hash.ts';

test('a beginning and what follows have the hash of the whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (a, b) => {
      assert.deepEqual(finished(extended(extended(emptyHash, a), b)), hashOf(a + b));
    }),
  );
});

test('names of cameras and marks that are near each other have hashes of their own', () => {
  const seen = new Set<string>();
  const halves = new Set<number>();
  let count = 0;
  const add = (text: string) => {
    const { high, low } = hashOf(text);
    seen.add(`${high}:${low}`);
    halves.add(low);
    count += 1;
  };
  for (let i = 0; i < 200_000; i++) {
    add(`2024/card-${i % 7}/GX01${String(i).padStart(6, '0')}.MP4`);
    add(`${1000 + (i % 3)}-${1_700_000_000_000_000_000n + BigInt(i) * 4_000_000n}`);
  }
  assert.equal(seen.size, count);
  // By chance some twenty of the halves are the same.
  assert.ok(count - halves.size < 60, `${count - halves.size} halves are the same`);
});

test('composed and decomposed letters, and letters in another order, are other names', () => {
  const names = ['ä.mp4'.normalize('NFC'), 'ä.mp4'.normalize('NFD'), 'ab', 'ba', 'a', 'aa', '', '\0', '\0\0'];
  assert.equal(new Set(names.map((name) => JSON.stringify(hashOf(name)))).size, names.length);
});

test('hashes never change: ledgers hold them', () => {
  assert.deepEqual(hashOf('2024/film.mp4'), { high: -1757263798, low: -542729634 });
});
