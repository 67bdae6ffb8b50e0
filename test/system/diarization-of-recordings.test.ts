import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { compose, usual } from '../../bench/diarization/compose.ts';
import { idealSpeech, openPipeline } from '../../bench/diarization/pipeline.ts';
import { scoreDiarization } from '../../bench/diarization/score.ts';
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
