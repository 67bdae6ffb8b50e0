import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { holdOf, holdText } from '../../../actors/cluster/contract.ts';
import { divisionOf, missingIn } from '../../../actors/cluster/division.ts';

/** `id:part/of` */
function holders(...texts: readonly string[]) {
  return texts.map((text) => {
    const [id, hold] = text.split(':') as [string, string];
    return { id, address: `${id}:1`, hold: holdOf(hold)! };
  });
}

const chosen = (all: ReturnType<typeof holders>, own: string | null) =>
  divisionOf(all, own === null ? null : holdOf(own))?.map((those) => those.map(({ id }) => id).join('+'));

test('a part is a number of a number', () => {
  assert.deepEqual(holdOf('2/5'), { part: 2, of: 5 });
  assert.equal(holdText({ part: 2, of: 5 }), '2/5');
  for (const wrong of ['', '0/5', '6/5', '2', '2/', '/5', '-1/5', '1/0', '2/5x', '1.5/5', '1/1000'])
    assert.equal(holdOf(wrong), null, wrong);
});

test('the parts of one division answer together, the own one where that is complete', () => {
  assert.equal(divisionOf([], null), null);
  assert.deepEqual(chosen(holders('a:1/2', 'b:2/2', 'c:2/2'), '1/2'), ['a', 'b+c']);
  assert.deepEqual(chosen(holders('a:1/2', 'b:2/2', 'w:1/1'), '1/2'), ['a', 'b'], 'no whole one is needed');
  assert.deepEqual(chosen(holders('a:1/2', 'b:2/2', 'x:1/3', 'y:2/3', 'z:3/3'), '2/3'), ['x', 'y', 'z']);
});

test('where parts of the own division are missing, another complete one answers, else the one that misses least', () => {
  assert.deepEqual(chosen(holders('a:1/2', 'w:1/1'), '1/2'), ['w']);
  assert.deepEqual(chosen(holders('a:1/2', 'x:1/3', 'y:2/3', 'z:3/3'), '1/2'), ['x', 'y', 'z']);
  assert.deepEqual(chosen(holders('a:1/2', 'x:1/3', 'y:2/3'), '1/2'), ['x', 'y', '']);
  assert.deepEqual(chosen(holders('a:1/2', 'x:2/4', 'y:3/4'), '1/2'), ['a', ''], 'the own one of equal ones');
  assert.deepEqual(missingIn(divisionOf(holders('a:1/2', 'x:1/3', 'y:2/3'), null)!), [{ part: 3, of: 3 }]);
});

test('property: no other division misses a smaller share, and everybody is in their part', () => {
  const hold = fc
    .integer({ min: 1, max: 5 })
    .chain((of) => fc.record({ of: fc.constant(of), part: fc.integer({ min: 1, max: of }) }));
  fc.assert(
    fc.property(fc.array(hold, { minLength: 1, maxLength: 12 }), (holds) => {
      const all = holds.map((one, i) => ({ id: `${i}`, address: '', hold: one }));
      const division = divisionOf(all, holds[0]!)!;
      for (const [i, those] of division.entries())
        for (const one of those) assert.deepEqual({ ...one.hold }, { part: i + 1, of: division.length });
      const share = missingIn(division).length / division.length;
      for (const all of new Set(holds.map((one) => one.of))) {
        const held = new Set(holds.flatMap((one) => (one.of === all ? [one.part] : [])));
        assert.ok(share <= (all - held.size) / all);
      }
    }),
  );
});
