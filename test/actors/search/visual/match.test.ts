import assert from 'node:assert/strict';
import test from 'node:test';
import type { RankedMatch } from '../../../../actors/index/visual/contract.ts';
import type { Band } from '../../../../actors/search/visual/contract.ts';
import { sureMatches } from '../../../../actors/search/visual/match.ts';

/** Two films, ranked in turn: `a` at 0, `b` at 10, `a` at 20 and so on. */
const bands: readonly Band[] = ['strong', 'weak', 'likely', 'strong', 'strong', 'weak', 'likely'];
const matches = bands.map(
  (_, i): RankedMatch => ({
    ...{ hash_str: 'ab'[i % 2]!, path: '/f', frame_index: 10 * i, scene_start: 10 * i },
    ...{ scene_end: 10 * i + 5, original_index: i, score: 1 - i / 10 },
  }),
);
const grouped = [...matches].sort((x, y) => (x.hash_str < y.hash_str ? -1 : x.hash_str > y.hash_str ? 1 : 0));

function found(min_band: Band, max: number, max_per_media?: number) {
  const explained = grouped.map(({ frame_index }) => ({ band: bands[frame_index / 10]!, parts: [] }));
  const answer = sureMatches(grouped, explained, min_band, max, max_per_media);
  const best = answer.matches.toSorted((x, y) => x.original_index - y.original_index);
  assert.deepEqual(
    best.map(({ original_index }) => original_index),
    best.map((_, i) => i),
  );
  return { at: best.map(({ frame_index }) => frame_index), weaker: answer.weaker };
}

test('what is less sure is left out and counted, and gives its place to the next best', () => {
  assert.deepEqual(found('strong', 10), { at: [0, 30, 40], weaker: 4 });
  assert.deepEqual(found('likely', 10), { at: [0, 20, 30, 40, 60], weaker: 2 });
  assert.deepEqual(found('weak', 10), { at: [0, 10, 20, 30, 40, 50, 60], weaker: 0 });
  assert.deepEqual(found('likely', 2), { at: [0, 20], weaker: 2 });
});

test('of one file so many are taken that are sure enough', () => {
  assert.deepEqual(found('strong', 10, 1), { at: [0, 30], weaker: 4 });
  assert.deepEqual(found('likely', 10, 2), { at: [0, 20, 30], weaker: 2 });
});
