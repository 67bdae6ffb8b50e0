import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf, idText, positionsOf, someIds } from '../../../../actors/index/people/entry-id.ts';

/** Ids of which many share their first bytes, or all of them. */
const some = fc.array(
  fc
    .tuple(fc.constantFrom('00', '7f', '80', 'ff'), fc.integer({ min: 0, max: 9 }))
    .map(([first, last]) => `${first.repeat(4)}-0000-4000-8000-00000000000${last}`),
  { maxLength: 60 },
);
const bytesOf = (ids: readonly string[]) =>
  Uint8Array.from(Buffer.concat(ids.map((id) => idOf(id) as Uint8Array)));

test('the ids that stand for a cluster are the lowest ones, in whatever order its faces come', () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 8 }), (ids, most) => {
      const positions = Int32Array.from(ids, (_, at) => at);
      assert.deepEqual(someIds(bytesOf(ids), positions, most), ids.toSorted().slice(0, most));
    }),
  );
});

test('ids are found among all entries, and among some', () => {
  fc.assert(
    fc.property(some, some, (ids, wanted) => {
      const bytes = bytesOf(ids);
      const found = positionsOf(bytes, wanted);
      assert.deepEqual(new Set(found.keys()), new Set(ids.filter((id) => wanted.includes(id))));
      for (const [id, at] of found) assert.equal(idText(bytes, at), id);
      const odd = Int32Array.from(ids.keys()).filter((at) => at % 2 === 1);
      const among = new Set(ids.filter((id, at) => at % 2 === 1 && wanted.includes(id)));
      assert.deepEqual(new Set(positionsOf(bytes, wanted, odd).keys()), among);
    }),
  );
});
