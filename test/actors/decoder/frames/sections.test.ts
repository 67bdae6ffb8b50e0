import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SectionTable } from '../../../../actors/decoder/frames/contract.ts';
import { planSections } from '../../../../actors/decoder/frames/plan.ts';
import { draws } from '../../../shared.ts';

/** Lengths of the groups of pictures of a film, in frames of the grid. */
const groups = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 80 });

/** Random access points that begin the groups. */
function entriesOf(lengths: readonly number[]) {
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  const entries = starts.map((frame) => ({ frame, pts: frame * 90_000, position: 48 + frame * 1000 }));
  return { entries, end: starts.at(-1)! };
}

test('every frame behind the first section is in one section, and each takes one that nobody has', async () => {
  const property = fc.asyncProperty(
    groups,
    fc.integer({ min: 1, max: 40 }),
    fc.nat(100),
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 400, maxLength: 400 }),
    async (lengths, frames, from, turns) => {
      const { entries, end } = entriesOf(lengths);
      const before = async (wanted: number) => entries.findLast(({ frame }) => frame <= wanted) ?? null;
      const sections = await planSections({ from, to: end, frames }, before);
      const starts = sections.map(({ frame }) => frame);
      for (const [i, start] of starts.entries()) {
        assert.ok(start > (starts[i - 1] ?? from) && start < end);
        assert.ok(entries.some(({ frame }) => frame === start));
        // Sections are as long as wanted, but for groups that are longer.
        const longest = Math.max(frames, ...lengths) + frames;
        assert.ok(start - (starts[i - 1] ?? from) <= longest);
      }
      if (sections.length === 0) return;
      const table = SectionTable.of(sections.length);
      const taken = turns.flatMap((taker) => table.take(taker) ?? []);
      assert.deepEqual(taken, [...sections.keys()]);
      assert.equal(table.freeSections, 0);
      const seen = taken.flatMap((at) => {
        const to = starts[at + 1] ?? end;
        return Array.from({ length: to - starts[at]! }, (_, i) => starts[at]! + i);
      });
      assert.deepEqual(
        seen,
        Array.from({ length: end - starts[0]! }, (_, i) => starts[0]! + i),
      );
    },
  );
  await fc.assert(property, { numRuns: draws(200) });
});

test('a file in another order than its times has no sections', async () => {
  const { entries, end } = entriesOf([10, 10, 10]);
  const positions = [48, 4000, 3000, 5000];
  const odd = entries.map((entry, i) => ({ ...entry, position: positions[i]! }));
  const before = async (wanted: number) => odd.findLast(({ frame }) => frame <= wanted) ?? null;
  assert.deepEqual(await planSections({ from: 0, to: end, frames: 10 }, before), []);
});

test('where no random access point is found, the rest is one section', async () => {
  const { entries, end } = entriesOf([10, 10, 10, 10]);
  const before = async (wanted: number) =>
    wanted < 25 ? entries.findLast(({ frame }) => frame <= wanted)! : null;
  const sections = await planSections({ from: 0, to: end, frames: 10 }, before);
  assert.deepEqual(
    sections.map(({ frame }) => frame),
    [10, 20],
  );
});

test('a decoder that was asked to leave takes nothing more, and nothing is taken behind the end', () => {
  const table = SectionTable.of(5);
  assert.deepEqual([table.take(1), table.take(2), table.takerOf(1), table.takerOf(2)], [0, 1, 2, null]);
  table.leave(2);
  assert.deepEqual([table.take(2), table.take(1), table.freeSections], [null, 2, 2]);
  table.endBefore(3);
  assert.deepEqual([table.take(1), table.count, table.freeSections], [null, 3, 0]);
});

test('the earliest end that a decoder finds counts, whoever finds it last', () => {
  const table = SectionTable.of(5);
  table.endBefore(3);
  table.endBefore(5);
  assert.deepEqual([table.count, table.freeSections], [3, 3]);
});
