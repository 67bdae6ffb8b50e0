// Makes the training scenes of our own voice detector and writes them to a folder; bench/voice/train.py fits
// the weights:
//
//   node bench/voice-fit.ts FOLDER
//   python3 bench/voice/train.py FOLDER first.bin
//   python3 bench/voice/train.py FOLDER actors/transcriber/voice/own-weights.bin --start first.bin --passes 3 --rate 1e-3 --quiet 1.25
//
// Talk: the 189 voices of LibriSpeech train-clean-100 that are for training, labelled by Silero where they
// are clean. Other sounds: those of recordings.tsv that are marked "fit" (for the second part of the training
// also "refit"), and synthetic ones. Every ninth voice, the music of one author, birds of two and what is
// marked "aside" are kept aside in sets of their own, to choose settings by. The same seed gives the same
// scenes.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../actors/models/session.ts';
import { lookAhead, stateValues } from '../actors/transcriber/voice/built-in.ts';
import { frameValues } from '../actors/transcriber/voice/features.ts';
import { Segmenter, sileroRules } from '../actors/transcriber/voice/segmenter.ts';
import { SileroStream } from '../actors/transcriber/voice/selection.ts';
import { createLog } from '../runtime/log.ts';
import { type Recording, readCorpus, sileroFile } from './voice/corpus.ts';
import {
  missingRecordings,
  type RecordedSound,
  readRecordings,
  recordingsFolder,
} from './voice/recordings.ts';
import { beginningScenes, type Material, type TrainingScene, trainingScenes } from './voice/scenes.ts';
import { randomOf } from './voice/sounds.ts';
import type { LabelledRecording } from './voice/talk-scenes.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder that the scenes are written to');

const missing = (['fit', 'refit', 'aside'] as const).flatMap(missingRecordings);
if (missing.length > 0) throw new Error(`Missing in ${recordingsFolder}:\n${missing.join('\n')}`);

async function labelled(recordings: readonly Recording[]): Promise<LabelledRecording[]> {
  const log = createLog('fit', () => {});
  const session = await openSession(sileroFile, { device: 'cpu', threads: 1, log });
  const results: LabelledRecording[] = [];
  for (const { samples } of recordings) {
    const stream = new SileroStream(session, sileroFile);
    // Without pads: our own detector's segmenter adds them as well.
    const segmenter = new Segmenter({ ...sileroRules, pad: 0 }, 0);
    const probabilities: number[] = [];
    for (let at = 0; at + 512 <= samples.length; at += 512) {
      probabilities.push(await stream.probability(samples.subarray(at, at + 512)));
    }
    const speech = [...segmenter.push(probabilities).speech, ...segmenter.end(samples.length).speech];
    results.push({ samples, speech });
  }
  await session.release();
  return results;
}

/** Writes NAME.frames (little-endian floats), NAME.labels (a byte a frame) and NAME.json. */
function write(name: string, scenes: Iterable<TrainingScene>): void {
  const path = join(folder!, name);
  const frames = openSync(`${path}.frames`, 'w');
  const labels = openSync(`${path}.labels`, 'w');
  const kinds: string[] = [];
  for (const scene of scenes) {
    writeSync(frames, new Uint8Array(scene.frames.buffer));
    writeSync(labels, scene.speech);
    kinds.push(scene.kind);
    if (kinds.length % 100 === 0) process.stderr.write(`${name}: ${kinds.length} scenes\n`);
  }
  closeSync(frames);
  closeSync(labels);
  writeFileSync(`${path}.json`, JSON.stringify({ kinds, frameValues, stateValues, lookAhead }));
}

mkdirSync(folder, { recursive: true });
const voices = await labelled((await readCorpus({ fit: true })).fit);
const first = await readRecordings('fit');
const sounds = [...first, ...(await readRecordings('refit'))];
process.stderr.write(`${voices.length} voices, ${sounds.length} sounds\n`);
const isVoiceAside = (at: number) => at % 9 === 0;
const isSoundAside = ({ name }: RecordedSound) => /, (Rafael Krux|Garuda1982|Sesom42)$/.test(name);
const materialOf = (some: readonly RecordedSound[]): Material => ({
  voices: voices.filter((_, at) => !isVoiceAside(at)),
  sounds: some.filter((sound) => !isSoundAside(sound)),
});
const fit = materialOf(first);
const refit = materialOf(sounds);
const aside: Material = {
  voices: voices.filter((_, at) => isVoiceAside(at)),
  sounds: [
    ...sounds.filter((sound) => isSoundAside(sound) || !['music', 'birds'].includes(sound.kind)),
    ...(await readRecordings('aside')),
  ],
};
const none = { talk: 0, music: 0, recorded: 0, birds: 0, chorus: 0, whistles: 0, synthetic: 0 };
write('fit', trainingScenes(fit, { ...none, talk: 900, music: 260, recorded: 220, birds: 130 }, randomOf(1)));
// With fewer of them pink noise and claps were heard as speech here and there.
write('fit-synthetic', trainingScenes(fit, { ...none, synthetic: 300 }, randomOf(5)));
write('begun', beginningScenes(fit, 1600, randomOf(3)));
write('refit-birds', trainingScenes(refit, { ...none, birds: 100, chorus: 350, whistles: 150 }, randomOf(6)));
write('refit-talk', trainingScenes(refit, { ...none, talk: 400 }, randomOf(10)));
write('aside', trainingScenes(aside, { ...none, talk: 240, music: 20, birds: 80, chorus: 100 }, randomOf(2)));
write('aside-synthetic', trainingScenes(aside, { ...none, whistles: 30, synthetic: 130 }, randomOf(8)));
write('aside-begun', beginningScenes(aside, 200, randomOf(4)));
