import assert from 'node:assert/strict';
import test from 'node:test';
import { fbankBands, wespeakerFbank } from '../../../actors/acoustics/fbank.ts';
import { diarize } from '../../../actors/diarizer/diarize.ts';
import type { DetectOverlap } from '../../../actors/diarizer/overlap/channel.ts';
import { DiarizationSession, type Embed, SubsegmentChannel } from '../../../actors/diarizer/session.ts';
import type { SpeakerRow } from '../../../actors/models/contract.ts';
import { resultOf } from './generator-result.ts';
import { rate, type Said, speakerRow, talk } from './tiny-models.ts';

const row = speakerRow('tiny', 'wespeaker-resnet34', { mean_removed: false }) as SpeakerRow;

/** A vector is how loud each band is, around the mean of the bands. */
const embed: Embed = async (features, count) => {
  const size = features.length / count;
  const vectors = new Float32Array(count * fbankBands);
  for (let one = 0; one < count; one++) {
    const vector = vectors.subarray(one * fbankBands, (one + 1) * fbankBands);
    for (let at = 0; at < size; at++) vector[at % fbankBands]! += features[one * size + at]!;
    const mean = vector.reduce((sum, x) => sum + x, 0) / fbankBands;
    const length = Math.hypot(...vector.map((x) => x - mean));
    for (let band = 0; band < fbankBands; band++) vector[band] = (vector[band]! - mean) / length;
  }
  return vectors;
};

/** One channel each; `overlap`: seconds from which to which two speak, as the detector is to say. */
async function turnsOf(channels: readonly (readonly Said[])[], overlap: readonly [number, number][]) {
  const open = channels.map(() => new SubsegmentChannel(wespeakerFbank));
  const session = new DiarizationSession({
    modelKey: 'tiny',
    dimensions: fbankBands,
    batch: 4,
    plda: null,
    channels: open,
  });
  for (const [index, said] of channels.entries()) {
    const sound = talk(said, 14);
    const speech = said.map(({ start, end }): [number, number] => [start * rate, end * rate]);
    const channel = open[index]!;
    await session.add(index, channel.push(0, sound, [], 0), embed);
    await session.add(index, channel.end(speech, sound.length), embed);
    let seen = 0;
    const detect: DetectOverlap = async (features) => {
      // Windows overlap by the context of both.
      const first = Math.max(0, seen - 80);
      seen += 1000;
      return Float32Array.from({ length: Math.ceil(features.length / fbankBands / 2) }, (_, at) => {
        const second = (first + 2 * at) / 100;
        return index === 0 && overlap.some(([start, end]) => second >= start && second < end) ? 1 : 0;
      });
    };
    await channel.overlap.detect(detect);
  }
  await session.flush(embed);
  return resultOf(diarize(session, 2, row, [[4.6, 5.4]]));
}

const dialogue: Said[] = [
  { start: 1, end: 5, voice: 1500 },
  { start: 5, end: 9, voice: 400 },
  { start: 10, end: 13, voice: 1500 },
];
const rounded = (turns: Awaited<ReturnType<typeof turnsOf>>['turns']) =>
  turns.map(({ start_seconds, end_seconds, speaker }) => [
    Math.round(10 * start_seconds) / 10,
    Math.round(10 * end_seconds) / 10,
    speaker,
  ]);

test('where two surely speak, both sides of a border are given the time; a span keeps one speaker', async () => {
  const alone = await turnsOf([dialogue], []);
  assert.deepEqual(rounded(alone.turns), [
    [1, 5, 'SPEAKER_00'],
    [5, 9, 'SPEAKER_01'],
    [10, 13, 'SPEAKER_00'],
  ]);
  const { turns, speakers, speaker_count } = await turnsOf([dialogue], [[4, 5.6]]);
  assert.deepEqual(rounded(turns), [
    [1, 5.6, 'SPEAKER_00'],
    [4, 9, 'SPEAKER_01'],
    [10, 13, 'SPEAKER_00'],
  ]);
  assert.equal(speaker_count, 2);
  assert.deepEqual(speakers, ['SPEAKER_00']);
});

test('each channel has overlap of its own', async () => {
  const other: Said[] = [{ start: 2, end: 12, voice: 400 }];
  const { turns } = await turnsOf([dialogue, other], [[4, 5.6]]);
  // The second voice is also heard in the second channel from 2 to 12 s.
  assert.deepEqual(rounded(turns), [
    [1, 5.6, 'SPEAKER_00'],
    [2, 12, 'SPEAKER_01'],
    [10, 13, 'SPEAKER_00'],
  ]);
  const second = await turnsOf([other, dialogue], [[4, 5.6]]);
  // Alone in its channel a voice has nobody to share with.
  assert.deepEqual(rounded(second.turns), [
    [1, 5, 'SPEAKER_00'],
    [2, 12, 'SPEAKER_01'],
    [10, 13, 'SPEAKER_00'],
  ]);
});

test('sound in which two speak throughout still has its speakers', async () => {
  const { turns } = await turnsOf([dialogue], [[0, 14]]);
  assert.deepEqual([...new Set(turns.map(({ speaker }) => speaker))].sort(), ['SPEAKER_00', 'SPEAKER_01']);
});
