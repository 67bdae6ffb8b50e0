import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { compose, usual } from '../../bench/diarization/compose.ts';
import { readVoices } from '../../bench/diarization/librispeech.ts';
import { idealSpeech, openPipeline } from '../../bench/diarization/pipeline.ts';
import { scoreDiarization, type Turn } from '../../bench/diarization/score.ts';
import { type Group, talksOf } from '../../bench/diarization/talks.ts';
import { sharedPath, skipWithout } from '../shared.ts';

const recordings = 'media/speech/librispeech/test-other';
const folder = sharedPath(recordings);
const skip = skipWithout(recordings);

test('two recorded voices that were never trained on are told apart and counted', { skip }, async () => {
  const modelsDir = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const pipeline = await openPipeline(modelsDir, 1);
  try {
    const names = (await readdir(folder)).sort();
    const voices = await Promise.all(
      ['1688', '2609'].map(async (name) => {
        const pieces: Float32Array[] = [];
        for (const file of names.filter((one) => one.startsWith(`${name}-`)).slice(0, 3)) {
          pieces.push(await pipeline.samplesOf(join(folder, file)));
        }
        return { name, pieces };
      }),
    );
    const { samples, turns } = compose(voices, { ...usual, seconds: 30, seed: 1 });
    const diarize = await pipeline.diarizing(await pipeline.embed(samples, idealSpeech(turns)));
    for (const count of ['auto', 2] as const) {
      const { der, speakers } = scoreDiarization(turns, diarize(count));
      assert.equal(speakers.found, 2);
      assert.ok(der < 0.05, `count ${count}: DER ${der}`);
    }
  } finally {
    await pipeline.stop();
    await rm(modelsDir, { recursive: true, force: true });
  }
});

const eightTurns: Group = {
  name: 'eight turns of 8 s',
  talks: 3,
  voices: [3, 3],
  seconds: [57, 57],
  turn: [8, 8],
  pause: [0.6, 0.6],
  fair: true,
};

/**
 * The part of all pairs of moments, one every half second, that are told to be of one speaker, or of two, as
 * they are.
 */
function pairsRight(said: readonly Turn[], found: readonly Turn[]): number {
  const at = (turns: readonly Turn[], time: number) =>
    turns.find(({ start, end }) => start <= time && time < end)?.speaker;
  const end = Math.max(...said.map((turn) => turn.end));
  const moments = Array.from({ length: Math.floor(end * 2) }, (_, half) => half / 2)
    .map((time) => [at(said, time), at(found, time)] as const)
    .filter(([one, other]) => one !== undefined && other !== undefined);
  const pairs = moments.flatMap((one, place) =>
    moments.slice(place + 1).map((other) => [one, other] as const),
  );
  const right = pairs.filter(([one, other]) => (one[0] === other[0]) === (one[1] === other[1]));
  return right.length / pairs.length;
}

test('three voices in eight turns of 8 s are counted, with the speech that our detector finds', {
  skip,
}, async () => {
  const modelsDir = await mkdtemp(join(tmpdir(), 'diarizer-'));
  const pipeline = await openPipeline(modelsDir, 1);
  try {
    const voices = await readVoices('test-other', assert.fail);
    const pairs: number[] = [];
    for (const { samples, turns } of talksOf(voices!, [eightTurns], 1)) {
      const speech = await pipeline.detectSpeech(samples);
      const found = (await pipeline.diarizing(await pipeline.embed(samples, speech)))('auto');
      pairs.push(pairsRight(turns, found));
    }
    assert.ok(Math.min(...pairs) >= 0.9, `${pairs}`);
  } finally {
    await pipeline.stop();
    await rm(modelsDir, { recursive: true, force: true });
  }
});
