import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { PictureShape } from '../../../../actors/decoder/contract.ts';
import { storedBars, storedFrames, storedSize } from '../../../../actors/decoder/pixels/stored.ts';
import { turnFor } from '../ask-decoder.ts';

const shapeOf = (width: number, height: number): PictureShape => ({
  width,
  height,
  fit: 'stretch',
  resample: 'area',
});
const jpegOf = async (background: string) =>
  Uint8Array.from(
    await sharp({ create: { width: 64, height: 32, channels: 3, background } })
      .jpeg({ quality: 95 })
      .toBuffer(),
  );

test('stored pictures are frames of their own size and of others, and what is broken is left out', async () => {
  const [red, grey] = [
    await jpegOf('#c00000'),
    await sharp(await jpegOf('#808080'))
      .grayscale()
      .jpeg()
      .toBuffer(),
  ];
  const frames = [
    { frame_index: 3, jpeg: red },
    { frame_index: 4, jpeg: red.slice(0, red.length / 2) },
    { frame_index: 5, jpeg: Uint8Array.of(1, 2) },
    { frame_index: 9, jpeg: Uint8Array.from(grey) },
  ];
  const request = { frames, shape: shapeOf(64, 32), further_shapes: [shapeOf(16, 16)], preview: true };
  const turn = turnFor();
  const seen: unknown[] = [];
  for await (const { value, slots } of storedFrames(request, turn)) {
    assert.deepEqual(slots, [value.picture, ...value.further_pictures!]);
    const [own, small] = slots.map((slot) => turn.slot(slot));
    const middle = [...own!.subarray(3 * (16 * 64 + 32), 3 * (16 * 64 + 33))];
    const another = [...small!.subarray(3 * (8 * 16 + 8), 3 * (8 * 16 + 9))];
    const isNear = middle.every((level, i) => Math.abs(level - another[i]!) <= 3);
    seen.push([value.frame_index, value.seconds, middle.map((level) => Math.round(level / 64)), isNear]);
    assert.deepEqual(
      value.preview,
      frames.find(({ frame_index }) => frame_index === value.frame_index)!.jpeg,
    );
  }
  assert.deepEqual(seen, [
    [3, 3, [3, 0, 0], true],
    [9, 9, [2, 2, 2], true],
  ]);
});

test('the size of a stored picture is told, and that it is none', async () => {
  const turn = turnFor();
  assert.deepEqual(await storedSize({ jpeg: await jpegOf('#ffffff') }, turn), { width: 64, height: 32 });
  assert.equal(await storedSize({ jpeg: Uint8Array.of(1, 2, 3) }, turn), null);
});

test('a cancelled turn decodes nothing', async () => {
  const turn = turnFor();
  turn.cancel();
  const request = {
    frames: [{ frame_index: 0, jpeg: Uint8Array.of(1) }],
    shape: shapeOf(1, 1),
    preview: false,
  };
  await assert.rejects(storedFrames(request, turn).next(), { code: 'CANCELLED' });
});

test('bars of a film are told from its pictures together, so that dark ones keep their dark', async () => {
  const letterboxed = async (colour: string, height = 16) => {
    const part = { create: { width: 64, height, channels: 3, background: colour } } as const;
    const frame = sharp({ create: { width: 64, height: 32, channels: 3, background: '#000000' } });
    const top = (32 - height) / 2;
    const bytes = await frame
      .composite([{ input: part, left: 0, top }])
      .jpeg({ quality: 95 })
      .toBuffer();
    return Uint8Array.from(bytes);
  };
  const turn = turnFor();
  const bright = await letterboxed('#c08040');
  const dark = await letterboxed('#c08040', 8);
  const { bars } = await storedBars({ jpegs: [bright, dark, bright] }, turn);
  assert.ok(
    bars && Math.abs(bars.top - 0.25) < 0.04 && Math.abs(bars.bottom - 0.25) < 0.04,
    JSON.stringify(bars),
  );
  const whole = await jpegOf('#c08040');
  assert.deepEqual(await storedBars({ jpegs: [bright, whole, bright] }, turn), { bars: null });
  assert.deepEqual(await storedBars({ jpegs: [Uint8Array.of(1)] }, turn), { bars: null });
  const shape = { ...shapeOf(8, 8), trim_bars: true };
  const litRows = async (given: object) => {
    const request = { frames: [{ frame_index: 0, jpeg: dark }], shape, preview: false, ...given };
    const own = turnFor();
    for await (const { slots } of storedFrames(request, own)) {
      const rgb = own.slot(slots[0]!);
      return Array.from({ length: 8 }, (_, y) => rgb[3 * (y * 8 + 4)]! > 60).filter(Boolean).length;
    }
    return null;
  };
  // By itself so dark a picture is taken to have no bars; as one of the film it loses those of the film.
  assert.deepEqual([await litRows({}), await litRows({ bars }), await litRows({ bars: null })], [2, 4, 2]);
});
