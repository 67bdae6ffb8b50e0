import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, describe } from 'node:test';
import { tryEncoder } from '../../../../../actors/decoder/clips/encoders/trial.ts';
import { turnFor } from '../../ask-decoder.ts';
import { type Faults, fakeCandidate, faulty, shapeOf } from './fake-encoder.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-trial-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const optionsOf = (faults?: Faults) => ({ ...faulty(faults), folder });

const odd = [
  ['of film', { base: { num: 1, den: 24 }, rate: { num: 24, den: 1 } }],
  ['of a fine clock', { base: { num: 1, den: 1_000_000 }, rate: { num: 60, den: 1 } }],
  ['of a small size', { width: 66, height: 64 }],
  ['of the full range', { format: 'yuvj420p' }],
] as const;

describe('a good encoder passes', () => {
  for (const input of ['yuv420p', 'nv12'] as const) {
    for (const [name, more] of [['as usual', {}] as const, ...odd]) {
      test(`pictures ${name} as ${input}`, async () => {
        const { psnr } = await tryEncoder(fakeCandidate({ input }), shapeOf(more), optionsOf(), turnFor());
        assert.ok(psnr > 36 && psnr < 60, `${psnr} dB`);
      });
    }
  }

  test('without B-frames, as devices are asked for', async () => {
    const options = { preset: 'fast', qp: '18', bf: '0' };
    await tryEncoder(fakeCandidate({ options }), shapeOf(), optionsOf(), turnFor());
  });
});

describe('a bad one does not, and it is said why', () => {
  const bad: readonly (readonly [string, Faults, RegExp])[] = [
    ['cannot be opened', { opening: 'fails' }, /^h264_fake: opening: /],
    ['fails on a picture', { failsAt: 10 }, /encoding: /],
    ['fails at the end', { failsAt: 16 }, /ending: /],
    ['hangs', { hangsAt: 5 }, /gave no sign of life for 20000 ms/],
    ['answers green', { green: true }, /dB, less than 36/],
    ['drops a picture', { dropsAt: 5 }, /left out 1 pictures/],
    ['drops the last picture', { dropsAt: 15 }, /left out 1 pictures/],
    ['gives a wrong time', { wrongTimeAt: 5 }, /which it was not given/],
  ];
  for (const [name, faults, message] of bad) {
    test(name, async () => {
      const tried = tryEncoder(fakeCandidate(), shapeOf(), optionsOf(faults), turnFor());
      await assert.rejects(tried, { name: 'EncoderFailure', encoder: 'h264_fake', message });
    });
  }

  const options: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['has a low quality', { crf: '30' }, /dB, less than 36/],
    ['has a little less quality than asked for', { preset: 'fast', crf: '24' }, /dB, less than 36/],
    ['does not know its options', { cq: '17' }, /setting cq=17/],
    ['tags other colours', { crf: '17', 'x264-params': 'colorprim=bt470bg' }, /colorPrimaries is 5, not 1/],
    ['crops', { crf: '17', 'x264-params': 'crop-rect=0,0,0,4' }, /pictures are 320x176, not 320x180/],
  ];
  for (const [name, own, message] of options) {
    test(name, async () => {
      const tried = tryEncoder(fakeCandidate({ options: own }), shapeOf(), optionsOf(), turnFor());
      await assert.rejects(tried, { name: 'EncoderFailure', message });
    });
  }

  test('is not in this FFmpeg', async () => {
    const tried = tryEncoder(fakeCandidate({ codec: 'h264_nobody' }), shapeOf(), optionsOf(), turnFor());
    await assert.rejects(tried, { message: 'h264_fake: is not in this FFmpeg' });
  });
});

test('encoders of devices that this machine lacks fail cleanly', async () => {
  const { newContext } = await import('../../../../../actors/decoder/clips/encoders/device-encoder.ts');
  const device = { kind: 'render', path: '/no/such/device', facts: '', vendor: null } as const;
  for (const more of [
    { codec: 'h264_vaapi', input: 'nv12', upload: 'vaapi' } as const,
    { codec: 'h264_v4l2m2m', input: 'yuv420p', upload: null } as const,
  ]) {
    const candidate = fakeCandidate({ ...more, name: more.codec, device, options: {} });
    const tried = tryEncoder(candidate, shapeOf(), { ...optionsOf(), newContext }, turnFor());
    await assert.rejects(tried, { name: 'EncoderFailure', encoder: more.codec, message: /opening/ });
  }
});
