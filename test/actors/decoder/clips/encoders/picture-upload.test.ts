// Pictures on a device and back. Vulkan stands in for the others: it can be had in software.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { PictureUpload } from '../../../../../actors/decoder/clips/encoders/device-encoder.ts';
import { PictureFitter } from '../../../../../actors/decoder/clips/picture-encoder.ts';
import {
  avGetPixFmtFromName,
  avGetPixFmtName,
  Codec,
  CodecContext,
  Frame,
} from '../../../../../actors/decoder/ffmpeg.ts';

const formatOf = (name: string) => avGetPixFmtFromName(name as never);
const input = { width: 320, height: 180, pixelFormat: formatOf('nv12') };

/** A picture of 4:2:0 in which no two rows are alike; the caller frees it. */
function noise(): Frame {
  const frame = new Frame();
  frame.alloc();
  Object.assign(frame, { width: 320, height: 180, format: formatOf('yuv420p') });
  assert.ok(frame.getBuffer(0) >= 0);
  for (const plane of frame.data!) for (let at = 0; at < plane.length; at++) plane[at] = (at * at * 7) % 251;
  return frame;
}

function contextFor(t: TestContext) {
  const context = new CodecContext();
  context.allocContext3(Codec.findEncoderByName('libx264' as never));
  t.after(() => context.freeContext());
  return context;
}

test('a picture that is copied to a device is the same there, with its time', async (t) => {
  const context = contextFor(t);
  const upload = new PictureUpload();
  t.after(() => upload.close());
  if (upload.open(context, input, 'vulkan', null) < 0) return t.skip('no Vulkan here');
  assert.equal(avGetPixFmtName(context.pixelFormat), 'vulkan');
  const fitter = new PictureFitter(input);
  const drawn = noise();
  const [there, back] = [new Frame(), new Frame()];
  t.after(() => {
    for (const frame of [drawn, there, back]) frame.free();
    fitter.close();
  });
  there.alloc();
  back.alloc();
  const picture = fitter.fit(drawn);
  picture.pts = 77n;
  assert.equal(await upload.fill(there, picture), 0);
  assert.deepEqual([there.isHwFrame(), there.pts], [true, 77n]);
  assert.equal(there.hwframeTransferDataSync(back), 0);
  assert.equal(avGetPixFmtName(back.format as never), 'nv12');
  for (const [plane, height] of [180, 90].entries()) {
    for (let y = 0; y < height; y++) {
      const [got, own] = [back, picture].map((frame) => {
        const start = y * frame.linesize[plane]!;
        return frame.data![plane]!.subarray(start, start + 320);
      });
      assert.deepEqual(got, own, `plane ${plane}, row ${y}`);
    }
  }
});

test('a device that is not there is a number of an error', (t) => {
  const upload = new PictureUpload();
  t.after(() => upload.close());
  assert.ok(upload.open(contextFor(t), input, 'vaapi', '/no/such/device') < 0);
});
