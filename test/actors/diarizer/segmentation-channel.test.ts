import assert from 'node:assert/strict';
import test from 'node:test';
import { wespeakerFbank } from '../../../actors/acoustics/fbank.ts';
import { SegmentationChannel, segmentationFrames } from '../../../actors/diarizer/segmentation-channel.ts';

test('windows without speech are skipped, and the last one of a channel is padded', async () => {
  const segmented: number[] = [];
  const channel = new SegmentationChannel(wespeakerFbank);
  const segmentation = {
    activity: async (samples: Float32Array) => {
      segmented.push(samples[0]!);
      return new Uint8Array(segmentationFrames).fill(1);
    },
  };
  const embed = async (speakers: readonly unknown[]) => speakers.map((_, at) => at);
  // The value of a sample is the second it lies in.
  const samples = Float32Array.from({ length: 30.5 * 16_000 }, (_, at) => Math.floor(at / 16_000));
  const push = (from: number, to: number, speech: [number, number][], settled: number) =>
    channel.push(
      from * 16_000,
      samples.subarray(from * 16_000, to * 16_000),
      speech,
      settled * 16_000,
      segmentation,
      embed,
    );
  await push(0, 12, [], 11);
  assert.deepEqual(segmented, []);
  await push(12, 30.5, [[15 * 16_000, 17 * 16_000]], 30);
  assert.deepEqual(segmented, [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  await channel.end([[30 * 16_000, 30.4 * 16_000]], segmentation, embed);
  assert.deepEqual(segmented.slice(11), [21]);
  assert.equal(channel.windows.length, 12);
  assert.equal(channel.next, 30.5 * 16_000);
});
