import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  type EncoderDevice,
  encoderCandidates,
  findDevices,
} from '../../../../../actors/decoder/clips/encoders/machine.ts';
import { avGetPixFmtName, Codec, CodecContext } from '../../../../../actors/decoder/ffmpeg.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

function machine(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('a machine without devices has none', (t) => {
  assert.deepEqual(findDevices('linux', machine(t, {})), []);
  assert.deepEqual(findDevices('linux', machine(t, { 'dev/dri/card0': '', 'dev/dri/by-path': '' })), []);
});

test('devices are told by their makers; the node of an NVIDIA device has no encoder of its own', (t) => {
  const root = machine(t, {
    'dev/nvidiactl': '',
    'dev/dri/renderD129': '',
    'dev/dri/renderD128': '',
    'sys/class/drm/renderD128/device/vendor': '0x8086\n',
    'dev/dri/renderD130': '',
    'sys/class/drm/renderD130/device/vendor': '0x10de\n',
  });
  assert.deepEqual(findDevices('linux', root), [
    { kind: 'nvidia', path: null },
    { kind: 'intel', path: '/dev/dri/renderD128' },
    { kind: 'render', path: '/dev/dri/renderD129' },
  ]);
});

test('under WSL2 NVIDIA is found by what Windows lends, and elsewhere only trying tells', (t) => {
  const bridged = findDevices('linux', machine(t, { 'dev/dxg': '', 'usr/lib/wsl/lib/libcuda.so.1': '' }));
  assert.deepEqual(findDevices('linux', machine(t, { 'dev/dxg': '' })), []);
  assert.deepEqual(
    bridged.map(({ kind }) => kind),
    ['nvidia'],
  );
  for (const platform of ['win32', 'darwin']) assert.equal(findDevices(platform)[0]!.kind, 'system');
});

const node = (kind: EncoderDevice['kind'], path: string | null = null): EncoderDevice => ({ kind, path });
const all = () => true;
const told = (
  platform: string,
  devices: readonly EncoderDevice[],
  isCompiled: (codec: string) => boolean = all,
) =>
  encoderCandidates({ platform, devices, isCompiled }).map(({ codec, path }) =>
    path ? `${codec} ${path}` : codec,
  );

test('which encoders are tried follows from platform, devices and what FFmpeg was built with', () => {
  assert.deepEqual(told('linux', []), []);
  assert.deepEqual(told('linux', [node('render', '/dev/dri/renderD128')]), [
    'h264_vaapi /dev/dri/renderD128',
  ]);
  assert.deepEqual(told('linux', [node('nvidia'), node('intel', '/dev/dri/renderD129')]), [
    'h264_nvenc',
    'h264_vaapi /dev/dri/renderD129',
    'h264_qsv /dev/dri/renderD129',
  ]);
  const system = [node('system')];
  assert.deepEqual(told('win32', system), ['h264_nvenc', 'h264_qsv', 'h264_amf', 'h264_mf']);
  assert.deepEqual(
    told('win32', system, (codec) => codec === 'h264_amf'),
    ['h264_amf'],
  );
  assert.deepEqual(told('darwin', system), ['h264_videotoolbox']);
  assert.deepEqual(told('freebsd', system), []);
});

const devices = [node('nvidia'), node('intel'), node('system')];

test('every encoder of a device is asked for constant quality, and for no B-frames', () => {
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

test('every encoder that this FFmpeg has knows its options, and takes its pictures', (t) => {
  const isCompiled = (codec: string) => Codec.findEncoderByName(codec as never) !== null;
  const compiled = ['linux', 'win32', 'darwin'].flatMap((platform) =>
    encoderCandidates({ platform, devices, isCompiled }),
  );
  if (compiled.length === 0) return t.skip('this FFmpeg has no encoder of a device');
  for (const { codec: name, options, upload } of compiled) {
    const codec = Codec.findEncoderByName(name as never)!;
    const context = new CodecContext();
    context.allocContext3(codec);
    try {
      for (const [key, value] of Object.entries({ ...options, g: '25' }))
        assert.ok(context.setOption(key, value) >= 0, `${name}: ${key}=${value}`);
      assert.ok(context.setOption('no_such_option', '1') < 0);
      const formats = (codec.pixelFormats ?? []).map((format) => avGetPixFmtName(format));
      assert.ok(formats.includes(upload ?? 'nv12'), `${name} takes ${formats}`);
    } finally {
      context.freeContext();
    }
  }
});
