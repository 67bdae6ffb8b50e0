import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { newContext } from '../../../../../actors/decoder/clips/encoders/device-encoder.ts';
import { tryEncoder } from '../../../../../actors/decoder/clips/encoders/trial.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { type Faults, fakeCandidate, faulty, shapeOf } from './fake-encoder.ts';

const folder = temporaryFolder();
const trial = (more: Parameters<typeof fakeCandidate>[0] = {}, shape = shapeOf(), options = faulty()) =>
  tryEncoder({ candidate: fakeCandidate(more), shape }, folder, options);

const odd = [
  ['of film', { base: { num: 1, den: 24 }, rate: { num: 24, den: 1 } }],
  ['of a fine clock', { base: { num: 1, den: 1_000_000 }, rate: { num: 60, den: 1 } }],
  ['of a small size', { width: 66, height: 64 }],
  ['of the full range', { format: 'yuvj420p' }],
] as const;

describe('a good encoder passes', () => {
  for (const [name, more] of [['as usual', {}] as const, ...odd]) {
    test(`pictures ${name}`, async () => {
      const psnr = await trial({}, shapeOf(more));
      assert.ok(psnr > 36 && psnr < 60, `${psnr} dB`);
    });
  }

  test('without B-frames, as devices are asked for', async () => {
    const options = { preset: 'fast', qp: '18', bf: '0' };
    await trial({ options });
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
      await assert.rejects(trial({}, shapeOf(), faulty(faults)), {
        name: 'EncoderFailure',
        encoder: 'h264_fake',
        message,
      });
    });
  }

  const options: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['has a low quality', { crf: '30' }, /dB, less than 36/],
    ['has a little less quality than asked for', { preset: 'fast', crf: '24' }, /dB, less than 36/],
    ['does not know its options', { cq: '17' }, /setting cq=17/],
    [
      'tags other colours',
      { crf: '17', 'x264-params': 'colorprim=bt470bg' },
      /has the colorPrimaries 5, not 1/,
    ],
    ['crops', { crf: '17', 'x264-params': 'crop-rect=0,0,0,4' }, /has the height 176, not 180/],
  ];
  for (const [name, own, message] of options) {
    test(name, async () => {
      await assert.rejects(trial({ options: own }), { name: 'EncoderFailure', message });
    });
  }

  test('is not in this FFmpeg', async () => {
    await assert.rejects(trial({ codec: 'h264_nobody' }), { message: 'h264_fake: is not in this FFmpeg' });
  });
});

test('encoders of devices that this machine lacks fail cleanly', async () => {
  for (const [codec, upload] of [
    ['h264_vaapi', 'vaapi'],
    ['h264_v4l2m2m', null],
  ] as const) {
    const missing = { codec, upload, name: codec, path: '/no/such/device', options: {} };
    const tried = trial(missing, shapeOf(), { ...faulty(), newContext });
    await assert.rejects(tried, { name: 'EncoderFailure', encoder: codec, message: /opening/ });
  }
});
