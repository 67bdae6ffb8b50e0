import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fbank, wespeakerFbank } from '../../../../actors/acoustics/fbank.ts';
import { isBuiltIn } from '../../../../actors/models/registry.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { starterSpeakerFile } from '../../../../actors/models/starter/speaker.ts';
import { sharedPath, skipWithout } from '../../../shared.ts';
import { askSound } from '../../decoder/ask-decoder.ts';
import { dot, open } from './starter-model.ts';

const row = builtInRows.find(({ key }) => key === 'starter-speaker')!;
const { dimensions, input, output, thresholds } = row.speaker!;
const session = await open(starterSpeakerFile.path);
after(() => session.release());
const fbank = new Fbank(wespeakerFbank);

/** One vector for each piece; all pieces are of one length. */
async function vectors(pieces: readonly Float32Array[]): Promise<Float32Array[]> {
  const features = pieces.map((samples) => fbank.whole(samples));
  const data = new Float32Array(features.flatMap((one) => [...one]));
  const result = (
    await session.run({ [input]: { data, dims: [pieces.length, data.length / pieces.length / 80, 80] } })
  )[output]!;
  assert.deepEqual(result.dims, [pieces.length, dimensions]);
  const all = result.data as Float32Array;
  return pieces.map((_, at) => all.slice(at * dimensions, (at + 1) * dimensions));
}

const near = (a: Float32Array, b: Float32Array, least: number) =>
  assert.ok(
    a.every((value, i) => Math.abs(value - b[i]!) < least),
    'the vectors differ',
  );

/** A buzz of that pitch with a wavering loudness, from a throat of that length. */
function buzz(hertz: number, throat: number, seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * 16_000 }, (_, at) => {
    const time = at / 16_000;
    let sum = 0;
    for (let k = 1; k * hertz < 7000; k++) {
      const resonance =
        1 / (1 + ((k * hertz - 600 * throat) / 200) ** 2) +
        0.3 / (1 + ((k * hertz - 1700 * throat) / 300) ** 2);
      sum += (resonance + 0.01) * Math.sin(2 * Math.PI * k * hertz * time);
    }
    return 0.05 * sum * (1.2 + Math.sin(2 * Math.PI * 3 * time));
  });
}

test('the speaker model is part of the program, small, and takes segments of any number and length', async () => {
  assert.ok(isBuiltIn(row));
  assert.match(row.license, /LibriSpeech.*CC BY 4\.0.*Panayotov/);
  assert.ok((await readFile(starterSpeakerFile.path)).length < 5_000_000);
  assert.deepEqual(session.inputs, [{ name: input, type: 'float32', shape: ['B', 'T', 80] }]);
  assert.deepEqual(session.outputs, [{ name: output, type: 'float32', shape: ['B', dimensions] }]);
});

for (const seconds of [0.5, 1.5, 3, 10]) {
  test(`${seconds} s of sound become a vector of length 1, the same alone and in a batch, loud and soft`, async () => {
    const pieces = [buzz(110, 0.9, seconds), buzz(210, 1.15, seconds), new Float32Array(seconds * 16_000)];
    const together = await vectors(pieces);
    for (const [at, vector] of together.entries()) {
      assert.ok(Math.abs(Math.sqrt(dot(vector, vector)) - 1) < 1e-4);
      near(vector, (await vectors([pieces[at]!]))[0]!, 1e-4);
    }
    near((await vectors([pieces[0]!.map((x) => x / 8)]))[0]!, together[0]!, 1e-2);
    assert.ok(dot(together[0]!, together[1]!) < 0.95);
  });
}

const voices = 'media/speech/librispeech/test-other';
const voicesPath = sharedPath(voices);

test('five voices that were not trained on are told apart, and each is recognised', {
  skip: skipWithout(voices),
}, async () => {
  const names = readdirSync(voicesPath)
    .filter((name) => name.endsWith('.flac'))
    .sort();
  const pieces: { speaker: string; vector: Float32Array }[] = [];
  for (const name of names) {
    const sound = (await askSound(join(voicesPath, name)))[0]!;
    if (sound.length < 48_000) continue;
    const [vector] = await vectors([sound.subarray(0, 48_000)]);
    pieces.push({ speaker: name.split('-', 1)[0]!, vector: vector! });
  }
  assert.equal(new Set(pieces.map(({ speaker }) => speaker)).size, 5);
  const alike: number[] = [];
  const unlike: number[] = [];
  pieces.forEach(({ speaker, vector }, at) => {
    for (const other of pieces.slice(0, at)) {
      (other.speaker === speaker ? alike : unlike).push(dot(vector, other.vector));
    }
  });
  const accepted = (cosines: readonly number[]) =>
    cosines.filter((cosine) => cosine >= thresholds.same).length / cosines.length;
  const [right, wrong] = [accepted(alike), accepted(unlike)];
  assert.ok(right > 0.9 && wrong < 0.1, `${right} of the same voice known again, ${wrong} taken for another`);
});
