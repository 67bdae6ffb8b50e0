import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedShare } from '../../../../../actors/analysis/stages/picture/embedding.ts';
import { blockBytes } from '../../../../../actors/embedder/readings.ts';
import { seeded } from '../../../../seeded.ts';

/** A picture whose blocks lie between two brightnesses. */
function picture(seed: number, from = 20, to = 220): Uint8Array {
  const random = seeded(seed);
  return Uint8Array.from({ length: blockBytes }, () => from + random() * (to - from));
}

test('a picture is the same, also after the camera adjusts its exposure', () => {
  const before = picture(1, 40, 120);
  assert.equal(changedShare(before, before), 0);
  assert.equal(
    changedShare(
      before,
      before.map((value) => 1.6 * value + 8),
    ),
    0,
  );
  assert.equal(
    changedShare(
      before,
      before.map((value) => 0.55 * value - 6),
    ),
    0,
  );
  const noisy = before.map((value, i) => value + (i % 5) - 2);
  assert.equal(changedShare(before, noisy), 0);
});

test('what passes changes its own blocks, whatever the exposure does meanwhile', () => {
  const before = picture(2, 60, 90);
  const passing = before.map((value, i) => (Math.floor(i / 3) % 4 === 0 ? 230 : 0.7 * value));
  const share = changedShare(before, passing);
  assert.ok(share > 0.2 && share <= 0.25, `${share}`);
});

test('another picture is different in most of its blocks', () => {
  for (let seed = 1; seed < 20; seed++) {
    const share = changedShare(picture(seed), picture(seed + 100));
    assert.ok(share > 0.8, `${seed}: ${share}`);
  }
});
