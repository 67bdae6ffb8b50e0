// Trains our own voice detector on Silero's decisions on 189 voices of train-clean-100 and writes its weights; `node bench/voice-fit.ts`, a
// few minutes. The same seed gives the same weights on the same machine; nothing of the test recordings is used.
import { writeFileSync } from 'node:fs';
import { openSession } from '../actors/models/session.ts';
import { Segmenter, sileroRules } from '../actors/transcriber/voice/segmenter.ts';
import { SileroStream } from '../actors/transcriber/voice/silero.ts';
import { createLog } from '../runtime/log.ts';
import { readCorpus, sileroFile } from './voice/corpus.ts';
import { type LabelledRecording, trainingExamples } from './voice/scenes.ts';
import { randomOf } from './voice/sounds.ts';
import { Trainer, type TrainingExample } from './voice/train.ts';

const passes = 7;
/** Variants made of every recording; later passes go over them again. */
const variants = 2;
const rates = { first: 3e-3, last: 1e-4 };

const { fit } = await readCorpus({ fit: true });
const log = createLog('fit', () => {});
const session = await openSession(sileroFile, { device: 'cpu', threads: 1, log });
const labelled: LabelledRecording[] = [];
for (const { samples } of fit) {
  const stream = new SileroStream(session, sileroFile);
  // Without pads: our own detector's segmenter adds them as well.
  const segmenter = new Segmenter({ ...sileroRules, pad: 0 }, 0);
  const found: number[] = [];
  for (let at = 0; at + 512 <= samples.length; at += 512) {
    found.push(await stream.probability(samples.subarray(at, at + 512)));
  }
  const speech = [...segmenter.push(found).speech, ...segmenter.end(samples.length).speech];
  labelled.push({ samples, speech });
}
await session.release();
process.stderr.write(`${labelled.length} recordings labelled\n`);

const random = randomOf(1);
const trainer = new Trainer(random);
const made: TrainingExample[][] = [];
for (let pass = 0; pass < passes; pass++) {
  const rate = rates.last + (rates.first - rates.last) * 0.5 * (1 + Math.cos((Math.PI * pass) / passes));
  if (made.length < variants) made.push(trainingExamples(labelled, random));
  const loss = trainer.pass(made[pass % made.length]!, rate, random);
  process.stderr.write(`pass ${pass + 1} of ${passes}: loss ${loss.toFixed(4)}\n`);
}
const bytes = new DataView(new ArrayBuffer(trainer.weights.length * 4));
for (const [at, weight] of trainer.weights.entries()) bytes.setFloat32(at * 4, weight, true);
const file = new URL('../actors/transcriber/voice/own-weights.bin', import.meta.url);
writeFileSync(file, new Uint8Array(bytes.buffer));
