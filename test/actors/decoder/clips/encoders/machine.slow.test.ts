import assert from 'node:assert/strict';
import test from 'node:test';
import { newEncoderFailures } from '../../../../../actors/decoder/clips/contract.ts';
import {
  describeEncoders,
  encodersOfMachine,
  findDevices,
  softwareEncoders,
} from '../../../../../actors/decoder/clips/encoders/machine.ts';
import { createLog, type LogLine } from '../../../../../runtime/log.ts';
import { fakeCandidate } from './fake-encoder.ts';

const never = new AbortController().signal;

test('what clips are encoded by is told with its reason', async () => {
  const bad = fakeCandidate({ codec: 'h264_nobody' });
  assert.equal(await describeEncoders('off', never), 'libx264 (hardware_encoding is off)');
  assert.equal(
    await describeEncoders('auto', never, () => []),
    'libx264; no device with an encoder was found',
  );
  const refused = await describeEncoders('auto', never, () => [bad]);
  assert.equal(refused, 'libx264; h264_fake: is not in this FFmpeg');
  const second = fakeCandidate({ name: 'h264_second', options: { preset: 'ultrafast', qp: '17' } });
  const proven = await describeEncoders('auto', never, () => [bad, second]);
  assert.match(proven, /^h264_second, tested \(4\d\.\d dB\); libx264 where it cannot be used$/);
});

test('a machine without devices says so once, and tries nothing', { skip: hasDevice() }, () => {
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
