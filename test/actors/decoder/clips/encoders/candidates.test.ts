import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Device,
  encoderCandidates,
  verdictKey,
  whyNot,
} from '../../../../../actors/decoder/clips/encoders/candidates.ts';
import { fakeCandidate, shapeOf } from './fake-encoder.ts';

const nvidia: Device = { kind: 'nvidia', path: null, facts: 'one', vendor: null };
const render = (vendor: number, path = '/dev/dri/renderD128'): Device => ({
  kind: 'render',
  path,
  facts: `${vendor}`,
  vendor,
});
const system: Device = { kind: 'system', path: null, facts: '', vendor: null };
const all = () => true;
const told = (platform: string, devices: readonly Device[], isCompiled: (codec: string) => boolean = all) =>
  encoderCandidates({ platform, devices, isCompiled }).map(({ codec, device: { path } }) =>
    path ? `${codec} ${path}` : codec,
  );

test('which encoders are tried follows from platform, devices and what FFmpeg was built with', () => {
  assert.deepEqual(told('linux', []), []);
  assert.deepEqual(told('linux', [nvidia, render(0x10de)]), ['h264_nvenc']);
  assert.deepEqual(told('linux', [render(0x1002)]), ['h264_vaapi /dev/dri/renderD128']);
  assert.deepEqual(told('linux', [nvidia, render(0x8086, '/dev/dri/renderD129')]), [
    'h264_nvenc',
    'h264_vaapi /dev/dri/renderD129',
    'h264_qsv /dev/dri/renderD129',
  ]);
  assert.deepEqual(told('win32', [system]), ['h264_nvenc', 'h264_qsv', 'h264_amf', 'h264_mf']);
  assert.deepEqual(
    told('win32', [system], (codec) => codec === 'h264_amf'),
    ['h264_amf'],
  );
  assert.deepEqual(told('darwin', [system]), ['h264_videotoolbox']);
  assert.deepEqual(told('freebsd', [system]), []);
});

test('every encoder of a device is asked for constant quality, and for no B-frames', () => {
  const devices = [nvidia, render(0x8086), system];
  for (const platform of ['linux', 'win32', 'darwin']) {
    for (const { codec, options } of encoderCandidates({ platform, devices, isCompiled: all })) {
      assert.equal(options.bf, '0', codec);
      assert.ok(
        ['cq', 'qp', 'qp_p', 'global_quality', 'quality'].some((key) => key in options),
        codec,
      );
    }
  }
});

test('pictures that a device would change are left to libx264', () => {
  const candidate = fakeCandidate({ least: { width: 160, height: 64 } });
  const why = (more: Parameters<typeof shapeOf>[0]) => whyNot(candidate, shapeOf(more));
  assert.equal(why({}), null);
  assert.equal(why({ format: 'yuvj420p' }), null);
  for (const format of ['yuv420p10le', 'yuv422p', 'yuvj444p', 'gray'])
    assert.equal(why({ format }), `pictures are ${format}`);
  assert.equal(why({ firstField: 'bottom' }), 'pictures are interlaced');
  assert.equal(why({ rate: null }), 'pictures have no rate');
  assert.equal(why({ width: 158 }), 'pictures are small');
  assert.equal(why({ height: 62 }), 'pictures are small');
  assert.equal(why({ width: 4098 }), 'pictures are large');
  assert.equal(why({ width: 4096, height: 4096 }), null);
});

test('a verdict holds for one encoder, device, driver, size, format and rate', () => {
  const keys = [
    verdictKey(fakeCandidate(), shapeOf()),
    verdictKey(fakeCandidate({ name: 'h264_other' }), shapeOf()),
    verdictKey(fakeCandidate({ device: nvidia }), shapeOf()),
    verdictKey(fakeCandidate({ device: { ...nvidia, facts: 'two' } }), shapeOf()),
    verdictKey(fakeCandidate(), shapeOf({ height: 182 })),
    verdictKey(fakeCandidate(), shapeOf({ format: 'yuvj420p' })),
    verdictKey(fakeCandidate(), shapeOf({ rate: { num: 25, den: 1 } })),
  ];
  assert.equal(new Set(keys).size, keys.length);
  const colours = { ...shapeOf().colours };
  assert.equal(verdictKey(fakeCandidate(), shapeOf({ colours })), keys[0]);
});
