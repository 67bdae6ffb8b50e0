import assert from 'node:assert/strict';
import test from 'node:test';
import { type Device, encoderCandidates } from '../../../../../actors/decoder/clips/encoders/candidates.ts';
import { avGetPixFmtName, Codec, CodecContext } from '../../../../../actors/decoder/ffmpeg.ts';

const device = (kind: Device['kind']): Device => ({ kind, path: null, facts: '', vendor: 0x8086 });
const devices = [device('nvidia'), device('render'), device('system')];
const isCompiled = (codec: string) => Codec.findEncoderByName(codec as never) !== null;
const all = ['linux', 'win32', 'darwin'].flatMap((platform) =>
  encoderCandidates({ platform, devices, isCompiled }),
);

test('every encoder that this FFmpeg has knows its options, and takes its pictures', (t) => {
  if (all.length === 0) return t.skip('this FFmpeg has no encoder of a device');
  for (const { codec: name, options, input, upload } of all) {
    const codec = Codec.findEncoderByName(name as never)!;
    const context = new CodecContext();
    context.allocContext3(codec);
    try {
      for (const [key, value] of Object.entries({ ...options, g: '25' }))
        assert.ok(context.setOption(key, value) >= 0, `${name}: ${key}=${value}`);
      assert.ok(context.setOption('no_such_option', '1') < 0);
      const formats = (codec.pixelFormats ?? []).map((format) => avGetPixFmtName(format));
      assert.ok(formats.includes(upload ?? input), `${name} takes ${formats}`);
    } finally {
      context.freeContext();
    }
  }
});
