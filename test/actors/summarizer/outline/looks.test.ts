import assert from 'node:assert/strict';
import test from 'node:test';
import { type LookValues, lookSteps } from '../../../../actors/summarizer/outline/looks.ts';
import type { SummaryInputs } from '../../../../actors/summarizer/outline/summary-inputs.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { seeded } from '../../../seeded.ts';
import { blend, direction } from './composed.ts';

const looksOf = (...request: Parameters<typeof lookSteps>) => atOnce(lookSteps(...request));

const random = seeded(9);
const dimensions = 32;
const [usual, odd] = [direction(dimensions, random), direction(dimensions, random)] as const;
const look = (of: Float64Array, noise: number) =>
  blend([
    [of, 1 - noise],
    [direction(dimensions, random), noise],
  ]);

/** Four ranges of ten seconds: calm, restless, of three shots, and unlike the others. */
const rows = Array.from({ length: 40 }, (_, i) =>
  i < 10 ? look(usual, 0.01) : i < 20 ? look(usual, 0.12) : i < 30 ? look(usual, 0.05) : look(odd, 0.05),
);
const ranges = [0, 10, 20, 30].map((start) => ({ start, end: start + 10 }));
const vectors = new Float32Array(rows.length * dimensions);
for (const [i, row] of rows.entries()) vectors.set(row, i * dimensions);
const said = (start_seconds: number, end_seconds: number, speaker: string) => ({
  start_seconds,
  end_seconds,
  text: ' so',
  speaker,
});
const film: SummaryInputs = {
  seconds: 40,
  pictures: { vectors, dimensions, frames: rows.map((_, i) => i), cuts: [] },
  segments: [said(0, 9, 'A'), said(10, 12, 'A'), said(12, 14, 'B'), said(14, 16, 'A'), said(22, 25, 'B')],
  people: [
    { person: 'Ada', frames: [21, 22, 23, 24, 31] },
    { person: 'Bob', frames: [23, 24] },
  ],
};
const most = (looks: readonly LookValues[], name: keyof LookValues) =>
  looks.map((own) => own[name]).reduce((best, value, i, all) => (value > all[best]! ? i : best), 0);

test('each look is highest where there is most of it', () => {
  const looks = looksOf(film, [0, 23, 26, 30], ranges);
  const highest = { motion: 1, steadiness: 0, cuts: 2, rarity: 3, talk: 0, silence: 3, turns: 1 } as const;
  for (const [name, range] of Object.entries(highest))
    assert.equal(most(looks, name as keyof LookValues), range, name);
  for (const name of ['people', 'together', 'newcomers'] as const) assert.equal(most(looks, name), 2, name);
});

test('what nobody has looked at is 0.5 of everything, as is a range without another', () => {
  const bare: SummaryInputs = { seconds: 40, pictures: null, segments: null, people: [] };
  for (const looks of [...looksOf(bare, [], ranges), ...looksOf(film, [0], [{ start: 0, end: 40 }])])
    assert.deepEqual([...new Set(Object.values(looks))], [0.5]);
  const gap = looksOf(
    {
      ...bare,
      pictures: {
        vectors: vectors.slice(0, 320),
        dimensions,
        frames: rows.map((_, i) => i).slice(0, 10),
        cuts: [],
      },
    },
    [0],
    ranges,
  );
  assert.equal(gap[1]!.motion, 0.5);
});
