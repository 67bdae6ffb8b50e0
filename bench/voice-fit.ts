// Makes the training scenes of our own voice detector and writes them to a folder; bench/voice/train.py fits the weights:
//
//   node bench/voice-fit.ts FOLDER
//   python3 bench/voice/train.py FOLDER actors/transcriber/voice/own-weights.bin
//
// Talk: the 189 voices of LibriSpeech train-clean-100 that are for training, labelled by Silero where they are clean. Other
// sounds: those of recordings.tsv that are marked "fit", and synthetic ones. Every ninth voice and the music of one author are
// kept aside in a second set, to choose settings by. The same seed gives the same scenes.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../actors/models/session.ts';
import { frameValues } from '../actors/transcriber/voice/features.ts';
import { lookAhead, stateValues } from '../actors/transcriber/voice/network.ts';
import { Segmenter, sileroRules } from '../actors/transcriber/voice/segmenter.ts';
import { SileroStream } from '../actors/transcriber/voice/silero.ts';
import { createLog } from '../runtime/log.ts';
import { type Recording, readCorpus, sileroFile } from './voice/corpus.ts';
import { missingRecordings, readRecordings, recordingsFolder } from './voice/recordings.ts';
import { type LabelledRecording, type Material, type SceneCounts, trainingScenes } from './voice/scenes.ts';
import { randomOf } from './voice/sounds.ts';

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
function write(name: string, material: Material, counts: SceneCounts, seed: number): void {
  const path = join(folder!, name);
  const frames = openSync(`${path}.frames`, 'w');
  const labels = openSync(`${path}.labels`, 'w');
  const kinds: string[] = [];
  for (const scene of trainingScenes(material, counts, randomOf(seed))) {
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
const isAside = (at: number) => at % 9 === 0;
const author = 'Rafael Krux';
const fit = {
  voices: voices.filter((_, at) => !isAside(at)),
  sounds: sounds.filter(({ name }) => !name.includes(author)),
};
const aside = {
  voices: voices.filter((_, at) => isAside(at)),
  sounds: sounds.filter(({ kind, name }) => kind !== 'music' || name.includes(author)),
};
write('fit', fit, { talk: 480, music: 220, recorded: 200, synthetic: 80 }, 1);
write('aside', aside, { talk: 60, music: 20, recorded: 0, synthetic: 0 }, 2);
