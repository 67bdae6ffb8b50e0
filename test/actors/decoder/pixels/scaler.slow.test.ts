import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PIX_FMT_YUVJ420P,
  avGetPixFmtName,
  Frame,
} from '../../../../actors/decoder/ffmpeg.ts';
import { FirstFields } from '../../../../actors/decoder/pixels/scaler.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { askFrames, askMoments } from '../ask-decoder.ts';
import { kept } from '../footage/clip.ts';
import { pyramid } from '../footage/codec-options.ts';
import { drawStamp, readStamp } from '../footage/stamp.ts';

const [width, height, frames] = [192, 144, 75];
const shape = { width, height, fit: 'stretch', resample: 'area' } as const;

/** A film of 25 frames a second of which the lines 0, 2, … show number `even(n)` and the others `odd(n)`. */
function film(
  file: string,
  even: (n: number) => number,
  odd: (n: number) => number,
  x264: string,
  pixelFormat?: string,
) {
  const draw = (n: number, rgb: Uint8Array) => {
    const other = new Uint8Array(rgb.length);
    drawStamp(even(n), rgb, width, height);
    drawStamp(odd(n), other, width, height);
    for (let y = 1; y < height; y += 2) {
      const line = [y * width * 3, (y + 1) * width * 3] as const;
      rgb.set(other.subarray(...line), line[0]);
    }
  };
  const options = { ...pyramid, crf: '12', g: '25', 'x264-params': `${x264}:b-adapt=0:scenecut=0` };
  const picture = {
    width,
    height,
    frames,
    frameRate: { num: 25, den: 1 },
    encoder: 'libx264',
    options,
    draw,
    ...(pixelFormat ? { pixelFormat } : {}),
  };
  return kept(file, (path) => writeFilm({ path, picture }));
}

const stampsOf = async (path: string) =>
  (await askFrames({ path, shape })).map(({ rgb }) => readStamp(rgb, width, height));

test('of fields that show different moments the first in time is shown', async () => {
  const [first, second] = [(n: number) => 2 * n, (n: number) => 2 * n + 1];
  // FFmpeg's encoders put the bottom field first, unless each frame says otherwise.
  for (const [file, even, odd, x264, pixelFormat] of [
    ['two-moments.mp4', second, first, 'bff=1'],
    ['two-moments-10-bit.mkv', second, first, 'bff=1', 'yuv420p10le'],
  ] as const) {
    const path = await film(file, even, odd, x264, pixelFormat);
    assert.deepEqual(await stampsOf(path), [0, 50, 100], file);
    const moments = await askMoments(path, [1], undefined, { max_side: width, quality: 95 });
    const { data } = await sharp(moments.get(0)!.jpeg)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.equal(readStamp(data, width, height), 50, `${file}: the thumbnail`);
  }
});

test('progressive pictures that are flagged as interlaced keep all of their lines', async () => {
  const same = (n: number) => n;
  const flagged = await film('flagged-interlaced.mp4', same, same, 'tff=1');
  const plain = await film('not-interlaced.mp4', same, same, 'keyint=25');
  const [some, whole] = [await askFrames({ path: flagged, shape }), await askFrames({ path: plain, shape })];
  assert.deepEqual(await stampsOf(flagged), [0, 25, 50]);
  for (const [i, { rgb }] of some.entries()) {
    let difference = 0;
    for (let at = 0; at < rgb.length; at++) difference += Math.abs(rgb[at]! - whole[i]!.rgb[at]!);
    assert.ok(difference / rgb.length < 2, `second ${i}: ${difference / rgb.length}`);
  }
});

test('which field is the first is said by the picture', () => {
  const frame = new Frame();
  frame.alloc();
  Object.assign(frame, { width: 64, height: 32, format: AV_PIX_FMT_YUVJ420P });
  frame.getBuffer(0);
  for (const [plane, bytes] of frame.data!.entries()) {
    const stride = frame.linesize[plane]!;
    for (let line = 0; line * stride < bytes.length; line++)
      bytes.fill(line % 2 ? 200 : 40, line * stride, (line + 1) * stride);
  }
  const fields = new FirstFields();
  for (const [flags, level] of [
    [[AV_FRAME_FLAG_INTERLACED, AV_FRAME_FLAG_TOP_FIELD_FIRST], 40],
    [[AV_FRAME_FLAG_INTERLACED], 200],
  ] as const) {
    frame.clearFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST);
    frame.setFlags(...flags);
    const field = fields.of(frame);
    assert.deepEqual([field.width, field.height], [64, 16]);
    for (const [plane, bytes] of field.data!.entries()) {
      const [rows, columns, stride] = [plane === 0 ? 16 : 8, plane === 0 ? 64 : 32, field.linesize[plane]!];
      for (let line = 0; line < rows; line++) {
        assert.deepEqual(new Set(bytes.subarray(line * stride, line * stride + columns)), new Set([level]));
      }
    }
  }
  frame.clearFlags(AV_FRAME_FLAG_INTERLACED);
  assert.equal(fields.of(frame), frame);
  fields.close();
  frame.free();
});

test('whether a picture combs is told by steps of its own depth', () => {
  type Format = Parameters<typeof avGetPixFmtName>[0];
  const formats = Array.from({ length: 300 }, (_, number) => number as Format);
  for (const [name, bits] of [
    ['yuv420p', 8],
    ['nv12', 8],
    ['yuv422p9le', 9],
    ['yuv420p10le', 10],
    ['yuv422p12le', 12],
    ['gray16le', 16],
  ] as const) {
    for (const [step, combs] of [
      [8, false],
      [40, true],
    ] as const) {
      const frame = new Frame();
      frame.alloc();
      const format = formats.find((one) => avGetPixFmtName(one) === name)!;
      Object.assign(frame, { width: 64, height: 32, format });
      frame.getBuffer(0);
      const [luma, stride] = [frame.data![0]!, frame.linesize[0]!];
      for (let line = 0; line < 32; line++) {
        const level = (100 + (line % 2) * step) * 2 ** (bits - 8);
        for (let x = 0; x < 64; x++) {
          if (bits === 8) luma[line * stride + x] = level;
          else luma.writeUInt16LE(level, line * stride + x * 2);
        }
      }
      frame.setFlags(AV_FRAME_FLAG_INTERLACED);
      const fields = new FirstFields();
      assert.equal(fields.of(frame).height, combs ? 16 : 32, `${name}, a step of ${step}`);
      fields.close();
      frame.free();
    }
  }
});
