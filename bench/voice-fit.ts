// Makes the training scenes of our own voice detector and writes them to a folder; bench/voice/train.py fits the weights:
//
//   node bench/voice-fit.ts FOLDER
//   python3 bench/voice/train.py FOLDER actors/transcriber/voice/own-weights.bin
//
// Talk: the 189 voices of LibriSpeech train-clean-100 that are for training, labelled by Silero where they are clean. Other
// sounds: those of recordings.tsv that are marked "fit", and synthetic ones. Every ninth voice, the music of one author and birds
// of two are kept aside in sets of their own, to choose settings by. The same seed gives the same scenes.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../actors/models/session.ts';
import { frameValues } from '../actors/transcriber/voice/features.ts';
import { lookAhead, stateValues } from '../actors/transcriber/voice/network.ts';
import { Segmenter, sileroRules } from '../actors/transcriber/voice/segmenter.ts';
import { SileroStream } from '../actors/transcriber/voice/silero.ts';
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

const missing = missingRecordings('fit');
if (missing.length > 0) throw new Error(`Missing in ${recordingsFolder}:\n${missing.join('\n')}`);

async function labelled(recordings: readonly Recording[]): Promise<LabelledRecording[]> {
  const log = createLog('fit', () => {});
  const session = await openSession(sileroFile, { device: 'cpu', threads: 1, log });
  const found: LabelledRecording[] = [];
  for (const { samples } of recordings) {
    const stream = new SileroStream(session, sileroFile);
    // Without pads: our own detector's segmenter adds them as well.
    const segmenter = new Segmenter({ ...sileroRules, pad: 0 }, 0);
    const probabilities: number[] = [];
    for (let at = 0; at + 512 <= samples.length; at += 512) {
      probabilities.push(await stream.probability(samples.subarray(at, at + 512)));
    }
    const speech = [...segmenter.push(probabilities).speech, ...segmenter.end(samples.length).speech];
    found.push({ samples, speech });
  }
  await session.release();
  return found;
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
const sounds = await readRecordings('fit');
process.stderr.write(`${voices.length} voices, ${sounds.length} sounds\n`);
const isVoiceAside = (at: number) => at % 9 === 0;
const isSoundAside = ({ name }: RecordedSound) => /, (Rafael Krux|Garuda1982|Sesom42)$/.test(name);
const fit: Material = {
  voices: voices.filter((_, at) => !isVoiceAside(at)),
  sounds: sounds.filter((sound) => !isSoundAside(sound)),
};
const aside: Material = {
  voices: voices.filter((_, at) => isVoiceAside(at)),
  sounds: sounds.filter((sound) => isSoundAside(sound) || !['music', 'birds'].includes(sound.kind)),
};
const none = { talk: 0, music: 0, recorded: 0, birds: 0, synthetic: 0 };
write('fit', trainingScenes(fit, { ...none, talk: 900, music: 260, recorded: 220, birds: 130 }, randomOf(1)));
// With fewer of them pink noise and claps were heard as speech here and there.
write('fit-synthetic', trainingScenes(fit, { ...none, synthetic: 300 }, randomOf(5)));
write('begun', beginningScenes(fit, 1600, randomOf(3)));
write(
  'aside',
  trainingScenes(aside, { ...none, talk: 90, music: 20, birds: 20, synthetic: 60 }, randomOf(2)),
);
write('aside-begun', beginningScenes(aside, 200, randomOf(4)));
