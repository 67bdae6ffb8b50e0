// Clips through encoders of devices, good and bad ones: which encoder made the clip, what was told, and that
// it is exact.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test, { describe } from 'node:test';
import { clip } from '../../../../../actors/decoder/clips/clip.ts';
import { type ClipMode, newEncoderFailures } from '../../../../../actors/decoder/clips/contract.ts';
import type { EncoderCandidate } from '../../../../../actors/decoder/clips/encoders/device-encoder.ts';
import {
  describeEncoders,
  encodersOfMachine,
  findDevices,
  PictureEncoders,
  softwareEncoders,
} from '../../../../../actors/decoder/clips/encoders/machine.ts';
import { createLog, type LogLine } from '../../../../../runtime/log.ts';
import { sampled } from '../../../../shared.ts';
import { askProbe, turnFor } from '../../ask-decoder.ts';
import { clips, someClips } from '../../footage/clips.ts';
import { fullDecode, meanDifference } from '../../footage/full-decode.ts';
import { folder, newOutput, packetTimes, stampsOf } from '../cut.ts';
import { type Faults, fakeCandidate, faulty } from './fake-encoder.ts';

class Machine {
  readonly lines: LogLine[] = [];
  readonly encoders: PictureEncoders;

  constructor(
    faults: Faults = {},
    candidates: readonly EncoderCandidate[] = [fakeCandidate()],
    failures = newEncoderFailures(),
  ) {
    const log = createLog('test', (line) => this.lines.push(line));
    this.encoders = new PictureEncoders(true, { ...faulty(faults), candidates, failures, log });
  }

  async cut(
    path: string,
    [start_seconds, end_seconds]: readonly [number, number] = [1.25, 3.5],
    mode: ClipMode = 'precise',
  ) {
    const output = newOutput();
    const request = { path, output, start_seconds, end_seconds, mode };
    return { ...(await clip(request, turnFor(), this.encoders)), path: output };
  }

  get warnings(): string[] {
    return this.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  }
}

const film = (name: string) => clips.find((one) => one.name === name)!;
const usual = film('H.264, GOP 12');

describe('a clip by a device has the same pictures at the same times as one by libx264', () => {
  const exact = someClips.filter(
    ({ name }) => !/10 bit|4:2:2|4:4:4|field|interlace|MJPEG|ProRes|no rate/i.test(name),
  );
  for (const one of sampled(exact, 3)) {
    test(one.name, async () => {
      const machine = new Machine();
      const { duration } = one.facts;
      const span = duration > 4 ? ([2.31, 3.59] as const) : ([duration * 0.4, duration * 0.8] as const);
      const made = await machine.cut(await one.make(), span);
      const output = newOutput();
      const [start_seconds, end_seconds] = span;
      const request = {
        path: await one.make(),
        output,
        start_seconds,
        end_seconds,
        mode: 'precise',
      } as const;
      const { encoder, ...software } = await clip(request, turnFor());
      assert.equal(encoder, 'libx264');
      const { encoder: device, path, ...same } = made;
      assert.ok(device === 'h264_fake' || device === 'libx264');
      assert.deepEqual(same, software);
      assert.deepEqual(await stampsOf(path), await stampsOf(output));
      assert.deepEqual(packetTimes(path)[0]!.pts.toSorted(), packetTimes(output)[0]!.pts.toSorted());
    });
  }

  test('the device made most of them', async () => {
    const machine = new Machine();
    assert.equal((await machine.cut(await usual.make())).encoder, 'h264_fake');
    const names = ['rotated by 90 degrees', 'pixels wider than high'];
    for (const name of names) {
      const path = await film(name).make();
      const { encoder, path: made } = await machine.cut(path, [1, 2]);
      assert.equal(encoder, 'h264_fake', name);
      const [before, after] = [(await askProbe(path)).video!, (await askProbe(made)).video!];
      for (const key of ['rotation', 'pixel_aspect', 'pixel_format', 'frame_rate', 'color_space'] as const)
        assert.deepEqual(after[key], before[key], `${name}: ${key}`);
    }
    assert.deepEqual(machine.warnings, []);
  });
});

test('the full range of a source is kept, and its levels', async () => {
  const path = await film('Motion JPEG in AVI').make();
  const shape = { width: 192, height: 108, fit: 'stretch', resample: 'area' } as const;
  const device = await new Machine().cut(path, [1, 2]);
  assert.equal(device.encoder, 'h264_fake');
  assert.equal((await askProbe(device.path)).video!.pixel_format, 'yuvj420p');
  const source = await fullDecode(path, shape);
  for (const [i, { rgb }] of (await fullDecode(device.path, shape)).entries())
    assert.ok(meanDifference(rgb, source[30 + i]!.rgb) < 4, `picture ${i}`);
});

test('what a device would change is made by libx264', async () => {
  const left = clips.filter(({ name }) => /10 bit|field/.test(name));
  assert.ok(left.length > 1);
  for (const one of left) {
    const machine = new Machine({ opening: 'fails' });
    const { encoder, failed_encoder } = await machine.cut(await one.make(), [1, 2]);
    assert.deepEqual([encoder, failed_encoder, machine.warnings], ['libx264', undefined, []], one.name);
  }
});

test('the first encoder that can be opened makes the clip', async () => {
  const path = await usual.make();
  const missing = fakeCandidate({ name: 'h264_missing', codec: 'h264_nobody' });
  const machine = new Machine({}, [missing, fakeCandidate()]);
  const failed = [];
  for (let i = 0; i < 4; i++) {
    const { encoder, failed_encoder } = await machine.cut(path, [1, 1.5]);
    assert.equal(encoder, 'h264_fake');
    failed.push(failed_encoder);
  }
  assert.deepEqual(failed, ['h264_missing', 'h264_missing', 'h264_missing', undefined]);
});

describe('an encoder of a device fails: the clip is made by libx264, whole', () => {
  const failing: readonly (readonly [string, Faults])[] = [
    ['cannot be opened, as when too many clips are encoded', { opening: 'fails' }],
    ['fails on the tenth picture', { failsAt: 9 }],
    ['drops a picture', { dropsAt: 7 }],
    ['gives a wrong time', { wrongTimeAt: 3 }],
    ['hangs', { hangsAt: 4 }],
    ['hangs when it is opened', { opening: 'hangs' }],
    ['answers green', { green: true }],
  ];
  for (const [name, faults] of failing) {
    test(name, async () => {
      const path = await usual.make();
      const machine = new Machine(faults);
      const made = await machine.cut(path);
      assert.deepEqual([made.encoder, made.failed_encoder], ['libx264', 'h264_fake']);
      const { path: plain, ...software } = { ...(await new Machine({}, []).cut(path)) };
      const stamps = await stampsOf(made.path);
      assert.ok(stamps.length > 30);
      assert.deepEqual(stamps, await stampsOf(plain));
      assert.equal(made.frames, software.frames);
    });
  }

  test('it is warned of once, and after three clips the encoder is left alone in all threads', async () => {
    const path = await usual.make();
    const shared = newEncoderFailures();
    const [one, other] = [new Machine({ failsAt: 2 }, undefined, shared), new Machine({}, undefined, shared)];
    const failed = [];
    for (let i = 0; i < 4; i++) failed.push((await one.cut(path, [1, 1.5])).failed_encoder);
    assert.deepEqual(failed, ['h264_fake', 'h264_fake', 'h264_fake', undefined]);
    assert.deepEqual(one.warnings, [
      'not encoded in hardware, so encoded in software',
      'an encoder is not used any more until the next start',
    ]);
    assert.equal((await other.cut(path, [1, 1.5])).encoder, 'libx264');
  });

  test('one that hung is left alone at once', async () => {
    const path = await usual.make();
    for (const faults of [{ hangsAt: 0 }, { opening: 'hangs' }] as const) {
      const machine = new Machine(faults);
      assert.equal((await machine.cut(path, [1, 1.5])).failed_encoder, 'h264_fake');
      assert.equal((await machine.cut(path, [1, 1.5])).failed_encoder, undefined);
    }
  });

  test('one that crops', async () => {
    const options = { crf: '17', 'x264-params': 'crop-rect=0,0,0,4' };
    const machine = new Machine({}, [fakeCandidate({ options })]);
    const { encoder, failed_encoder } = await machine.cut(await usual.make(), [1, 1.5]);
    assert.deepEqual([encoder, failed_encoder], ['libx264', 'h264_fake']);
    assert.match(String(machine.lines[0]!.fields.reason), /makes pictures of \d+x\d+, not/);
  });
});

test('a smart clip is encoded by a device where it has to be precise, and only there', async () => {
  const path = await usual.make();
  const machine = new Machine();
  const smart = await machine.cut(path, [1.25, 3.5], 'smart');
  assert.deepEqual([smart.mode_used, smart.encoder], ['smart', 'libx264']);

  const withinGroup = [1.25, 1.5] as const;
  const precise = await machine.cut(path, withinGroup, 'smart');
  assert.deepEqual([precise.mode_used, precise.encoder], ['precise', 'h264_fake']);
  assert.match(precise.mode_reason!, /no complete closed group/);
  assert.deepEqual(await stampsOf(precise.path), await stampsOf((await machine.cut(path, withinGroup)).path));

  const failing = await new Machine({ failsAt: 3 }).cut(path, withinGroup, 'smart');
  const { mode_used, mode_reason, encoder, failed_encoder, frames } = failing;
  assert.deepEqual([mode_used, encoder, failed_encoder], ['precise', 'libx264', 'h264_fake']);
  assert.deepEqual([mode_reason, frames], [precise.mode_reason, precise.frames]);
});

test('a file that cannot be written is no fault of the encoder', async () => {
  const machine = new Machine();
  const output = `${folder}/no/folder/clip.part`;
  const request = { path: await usual.make(), output, start_seconds: 1, end_seconds: 2 };
  const cut = clip({ ...request, mode: 'precise' }, turnFor(), machine.encoders);
  await assert.rejects(cut, { code: 'CLIP_UNWRITABLE' });
  assert.deepEqual([machine.warnings, existsSync(output)], [[], false]);
});

test('what clips are encoded by is told with its reason', () => {
  assert.equal(describeEncoders('off'), 'libx264 (hardware_encoding is off)');
  assert.equal(
    describeEncoders('auto', () => []),
    'libx264 (no device with an encoder was found)',
  );
  assert.equal(
    describeEncoders('auto', () => [fakeCandidate()]),
    'h264_fake, checked with each clip; libx264 where none can be used',
  );
});

test('a machine without devices says so once', { skip: hasDevice() }, () => {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  assert.equal(encodersOfMachine(newEncoderFailures(), log, true), softwareEncoders);
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message]),
    [['info', 'no device with an encoder was found; clips are encoded in software']],
  );
});

function hasDevice() {
  return findDevices(process.platform).length > 0 && 'this machine may have one';
}
