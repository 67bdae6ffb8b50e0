import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  gridPositions,
  KeyValueCache,
  plainPositions,
} from '../../../../actors/summarizer/language/decoder.ts';
import { fitted, type Share } from '../../../../actors/summarizer/language/prompts.ts';

const seen = { picture: { width: 32, height: 32, rgb: new Uint8Array(0) }, tokens: 100 };

/** A prompt of 50 tokens, 100 for each frame, and one for each character of its entries. */
function fit(frames: number, lengths: readonly number[], room: number) {
  const result = fitted({
    frames: Array.from({ length: frames }, (_, frame_idx) => ({ frame_idx, seen })),
    entries: lengths.length,
    longest: Math.max(0, ...lengths),
    make: (some, { entries, longest }: Share) => ({
      turns: lengths
        .slice(0, entries)
        .map((length) => ({ role: 'user', text: 'x'.repeat(Math.min(length, longest)) })),
      pictures: some.map((frame) => frame.seen),
    }),
    countTokens: ({ turns, pictures }) =>
      50 + 100 * pictures.length + turns.reduce((sum, { text }) => sum + text.length, 0),
    room,
  });
  if (result === null) return null;
  const { chat, warnings } = result;
  return { frames: chat.pictures.length, lengths: chat.turns.map(({ text }) => text.length), warnings };
}

test('frames are left out first, then entries are cut, then some are left out, and each is told', () => {
  assert.deepEqual(fit(2, [100, 200], 550), { frames: 2, lengths: [100, 200], warnings: [] });
  assert.deepEqual(fit(2, [100, 200], 549), {
    frames: 1,
    lengths: [100, 200],
    warnings: ['1 of 2 frames were left out'],
  });
  assert.deepEqual(fit(2, [100, 200], 300), {
    frames: 0,
    lengths: [100, 150],
    warnings: ['2 of 2 frames were left out', 'entries were cut to 150 characters'],
  });
  assert.deepEqual(fit(0, [100, 200, 300], 200), {
    frames: 0,
    lengths: [60, 60],
    warnings: ['1 of 3 entries were left out, the others cut to 60 characters'],
  });
  assert.equal(fit(0, [100], 49), null);
});

test('a prompt never has more tokens than there is room for', () => {
  const lengths = fc.array(fc.nat(500), { maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(8), lengths, fc.nat(5000), (frames, all, room) => {
      const result = fit(frames, all, room);
      if (result === null) return assert.ok(room < 50);
      const tokens = 50 + 100 * result.frames + result.lengths.reduce((sum, length) => sum + length, 0);
      assert.ok(tokens <= room);
    }),
  );
});

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

test('text counts on all axes, a picture spreads over rows and columns, and text goes on behind its longer side', () => {
  // A picture of 4×6 patches: 2×3 tokens.
  const { ids, next } = gridPositions([{ tokens: 2 }, { grid: { rows: 4, columns: 6 } }, { tokens: 2 }]);
  const length = 10;
  const axis = (at: number) => Array.from(ids.subarray(at * length, (at + 1) * length), Number);
  assert.deepEqual(axis(0), [0, 1, 2, 2, 2, 2, 2, 2, 5, 6]);
  assert.deepEqual(axis(1), [0, 1, 2, 2, 2, 3, 3, 3, 5, 6]);
  assert.deepEqual(axis(2), [0, 1, 2, 3, 4, 2, 3, 4, 5, 6]);
  assert.equal(next, 7);
});

test('nothing has no positions, and plain ones count', () => {
  assert.deepEqual(gridPositions([]), { ids: new BigInt64Array(0), next: 0 });
  assert.deepEqual(plainPositions(3), { ids: BigInt64Array.of(0n, 1n, 2n), next: 3 });
});
