import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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
