// Tries settings of the row of the starter speaker model on voices held back from its training;
// `node bench/diarization-fit.ts ['{"alike":0.22}' ...]`, two minutes for each. A held-back voice has one recording, so it is
// augmented to more that differ as recordings of other days do. Nothing of the test recordings is used.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Augmentation, augmented } from './diarization/augment.ts';
import { compose, usual, type Voice } from './diarization/compose.ts';
import { equalised } from './diarization/equalise.ts';
import { readVoices } from './diarization/librispeech.ts';
import { type Evidence, idealSpeech, openPipeline, type Pipeline } from './diarization/pipeline.ts';
import { seeded } from './diarization/random.ts';
import { type DiarizationScore, scoreDiarization, sumScores } from './diarization/score.ts';

const augmentations: Readonly<Record<string, Augmentation>> = {
  'no drift': { seed: 7, copies: 4, colour: 0, speed: 0.02 },
  'some drift': { seed: 7, copies: 4, colour: 5, speed: 0.02 },
  'much drift': { seed: 7, copies: 4, colour: 8, speed: 0.03 },
};
/** Conversations for each count of voices, and how long each is at most. */
const conversations = 10;
const seconds = 120;

const say = (text: string) => process.stdout.write(`${text}\n`);
const asked = process.argv.slice(2).map((text) => JSON.parse(text) as Partial<Evidence>);
const all = await readVoices('train-clean-100', say);
if (all) {
  // As train-speaker.py holds them back.
  const held = all.filter((_, at) => at % Math.floor(all.length / 20) === 0).slice(0, 20);
  const modelsDir = await mkdtemp(join(tmpdir(), 'bench-diarization-fit-'));
  const pipeline = await openPipeline(modelsDir, availableParallelism());
  try {
    for (const changes of asked.length > 0 ? asked : [{}]) {
      say(JSON.stringify(changes));
      for (const [name, augmentation] of Object.entries(augmentations))
        await report(pipeline, name, augmented(held, augmentation), changes);
    }
  } finally {
    await pipeline.stop();
    await rm(modelsDir, { recursive: true, force: true });
  }
}

async function report(
  pipeline: Pipeline,
  name: string,
  voices: readonly Voice[],
  changes: Partial<Evidence>,
) {
  for (const [kind, chosenVoices] of Object.entries({
    'as recorded': voices,
    equalised: equalised(voices),
  })) {
    for (const overlap of [0, 0.1]) {
      const known: DiarizationScore[] = [];
      const auto: DiarizationScore[] = [];
      for (const count of [2, 3, 4] as const) {
        for (let at = 0; at < conversations; at++) {
          const seed = 5000 + 1000 * count + at;
          const chosen = seeded(seed).shuffled(chosenVoices).slice(0, count);
          const { samples, turns } = compose(chosen, { ...usual, seconds, overlap, seed });
          const diarize = await pipeline.embed(samples, idealSpeech(turns));
          known.push(scoreDiarization(turns, diarize(count, changes)));
          auto.push(scoreDiarization(turns, diarize('auto', changes)));
        }
      }
      const right = auto.filter(({ speakers }) => speakers.said === speakers.found).length / auto.length;
      const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
      say(
        `  ${name}, ${kind}, ${100 * overlap} % overlap: DER ${percent(sumScores(known).der)}, count unknown ` +
          `${percent(sumScores(auto).der)}, counts right ${percent(right)}`,
      );
    }
  }
}
