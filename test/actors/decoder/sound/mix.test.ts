import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SoundMix } from '../../../../actors/decoder/sound/mix.ts';
import { draws } from '../../../shared.ts';

const block = 1000;

/** Mixes parts of tracks in the order given, and checks that blocks follow each other. */
function mixed(tracks: number, parts: readonly (readonly [track: number, samples: Float32Array])[]) {
  const mix = new SoundMix(tracks, block);
  const samples: number[] = [];
  const take = (blocks: ReturnType<SoundMix['add']>) => {
    for (const { firstSample, count, planes } of blocks) {
      assert.equal(firstSample, samples.length);
      assert.ok(count <= block);
      assert.equal(planes[0]!.length, count);
      samples.push(...planes[0]!);
    }
  };
  for (const [track, part] of parts) take(mix.add(track, part));
  const before = samples.length;
  take(mix.finish());
  return { samples, before };
}

const constant = (length: number, value: number) => new Float32Array(length).fill(value);

test('every sample is the mean of those of all tracks, in whatever parts they come', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 3000 })));
  fc.assert(
    fc.property(parts, (asked) => {
      const lengths = [0, 0, 0];
      const given = asked.map(([track, count]) => {
        lengths[track]! += count;
        return [track, constant(count, 2 ** track / 8)] as const;
      });
      const { samples } = mixed(3, given);
      assert.equal(samples.length, Math.max(...lengths));
      for (const [i, value] of samples.entries()) {
        const sum = lengths.reduce((total, length, track) => total + (i < length ? 2 ** track / 8 : 0), 0);
        assert.ok(Math.abs(value - sum / 3) < 1e-6, `${value} at ${i}`);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('a track that ends early does not hold the others back for more than half a minute', () => {
  const minutes = Array.from({ length: 60 }, () => [0, constant(16_000, 0.5)] as const);
  const { samples, before } = mixed(2, [[1, constant(16_000, 0.5)], ...minutes]);
  assert.equal(samples.length, 60 * 16_000);
  assert.equal(before, 30 * 16_000);
  assert.deepEqual([samples[0], samples[16_000]], [0.5, 0.25]);
});
