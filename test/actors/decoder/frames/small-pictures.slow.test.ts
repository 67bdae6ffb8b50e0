import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frames } from '../../../../actors/decoder/frames/frames.ts';
import { stampShape, turnFor } from '../ask-decoder.ts';
import { someClips } from '../footage/clips.ts';
import { readStamp } from '../footage/stamp.ts';

const { width, height } = stampShape;
const bytes = width * height * 3;

/** Grid frames of a film; `isAsked` says before each whether all pictures between them are asked for. */
async function pass(path: string, isAsked: (frame: number) => boolean, from_frame = 0) {
  const all = new Int32Array(new SharedArrayBuffer(4));
  const request = { path, shape: stampShape, preview: null, mode: 'exact', from_frame } as const;
  const found = { grid: [] as number[], seconds: [] as number[], stamps: [] as (number | null)[] };
  let [after, before, isSent] = [Number.NaN, Number.NaN, false];
  all[0] = Number(isAsked(from_frame));
  for await (const { value } of frames({ ...request, small: { width, height, all } }, turnFor(), null)) {
    found.grid.push(value.frame_index);
    all[0] = Number(isAsked(value.frame_index + 1));
    const { small } = value;
    if (!small) continue;
    isSent = true;
    [after, before] = [small.after, small.before];
    found.seconds.push(...small.seconds);
    for (const i of small.seconds.keys())
      found.stamps.push(readStamp(small.pictures.subarray(i * bytes, (i + 1) * bytes), width, height));
  }
  return { ...found, after, before, isSent };
}

for (const clip of someClips) {
  const { frames: shown } = clip.facts;

  test(`${clip.name}: every picture comes along once, in order`, async () => {
    const path = await clip.make();
    const { grid, seconds, stamps, after, before, isSent } = await pass(path, () => true);
    assert.deepEqual(grid, (await pass(path, () => false)).grid);
    // Films without times, and those whose pictures do not refer to each other.
    if (!isSent) return assert.deepEqual(stamps, []);
    assert.deepEqual([after, before], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    assert.deepEqual(
      stamps,
      shown.map(({ stamp }) => stamp),
    );
    for (const [i, at] of seconds.entries()) assert.ok(Math.abs(at - shown[i]!.seconds) < 0.001, `${at}`);
  });

  test(`${clip.name}: what is said to be complete is`, async () => {
    const path = await clip.make();
    const middle = Math.floor(clip.facts.duration / 2);
    for (const [isAsked, from] of [
      [(frame: number) => frame % 2 === 1, 0],
      [(frame: number) => frame >= middle, 0],
      [() => true, middle],
    ] as const) {
      const { seconds, stamps, after, before, isSent } = await pass(path, isAsked, from);
      if (!isSent) continue;
      const isSaid = (at: number) => at > after + 0.001 && at < before - 0.001;
      assert.deepEqual(
        stamps.filter((_, i) => isSaid(seconds[i]!)),
        shown.filter((picture) => isSaid(picture.seconds)).map(({ stamp }) => stamp),
      );
    }
  });
}
