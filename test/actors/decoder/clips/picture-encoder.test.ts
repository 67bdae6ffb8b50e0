import assert from 'node:assert/strict';
import test from 'node:test';
import { encodedColours, PictureFitter } from '../../../../actors/decoder/clips/picture-encoder.ts';
import {
  AV_FRAME_FLAG_INTERLACED,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_UNSPECIFIED,
  avGetPixFmtFromName,
  type CodecContext,
  Frame,
} from '../../../../actors/decoder/ffmpeg.ts';

type Name = Parameters<typeof avGetPixFmtFromName>[0];

function picture(name: Name, width: number, height: number): Frame {
  const frame = new Frame();
  frame.alloc();
  Object.assign(frame, { width, height, format: avGetPixFmtFromName(name) });
  assert.ok(frame.getBuffer(0) >= 0);
  for (const plane of frame.data!) plane?.fill(128);
  return frame;
}

test('interlaced pictures are converted one after the other, and stay interlaced', () => {
  const encoder = { width: 720, height: 480, pixelFormat: avGetPixFmtFromName('yuv422p') } as CodecContext;
  const fitter = new PictureFitter(encoder);
  for (const isInterlaced of [true, true, false, true]) {
    const frame = picture('yuv411p', 720, 480);
    if (isInterlaced) frame.setFlags(AV_FRAME_FLAG_INTERLACED);
    const fitted = fitter.fit(frame);
    assert.equal(fitted.hasFlags(AV_FRAME_FLAG_INTERLACED), isInterlaced);
    frame.free();
  }
  fitter.close();
});

test('RGB becomes the matrix that players expect of its height, whether the decoder tags it or not', () => {
  for (const [name, height, matrix] of [
    ['rgb24', 720, AVCOL_SPC_BT709],
    ['pal8', 720, AVCOL_SPC_BT709],
    ['gbrp10le', 480, AVCOL_SPC_BT470BG],
    ['yuv420p', 720, AVCOL_SPC_UNSPECIFIED],
  ] as const) {
    const frame = picture(name, 64, height);
    frame.colorSpace = AVCOL_SPC_UNSPECIFIED;
    assert.equal(encodedColours(frame).colorSpace, matrix, name);
    frame.free();
  }
});
