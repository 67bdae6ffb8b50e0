import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFrames, askPicture, askProbe } from '../ask-decoder.ts';
import { longFilm, someClips } from '../footage/clips.ts';

test('a moment late in a long film is reached by a seek', async () => {
  const path = await longFilm.make();
  const { seconds, rgb } = await askPicture(path, 10_000.5);
  assert.equal(seconds, 10_000);
  assert.ok(rgb.some((level) => level > 0));
  assert.equal((await askProbe(path)).grid_frames, longFilm.facts.duration);
});

/** What is taken up in the middle is what a pass from the start gives there, byte for byte. */
for (const clip of someClips) {
  test(`pictures from a later second on are those of a pass from the start: ${clip.name}`, async () => {
    const path = await clip.make();
    for (const mode of ['exact', 'keyframes'] as const) {
      const all = await askFrames({ path, mode, preview: null });
      for (const from of [1, 3, 7]) {
        const rest = await askFrames({ path, mode, preview: null, from });
        assert.deepEqual(
          rest,
          all.filter(({ second }) => second >= from),
          `${mode} from ${from}`,
        );
      }
    }
  });
}
