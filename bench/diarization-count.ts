// Counts the speakers of recordings of one's own, from their start to ever later:
// `node bench/diarization-count.ts FOLDER [--model FILE] ['{"saturation":0.1}' ...]`. The name of each file
// begins with how many speak in it from its second minute on: `2-interview.wav`. The talks of
// diarization-fit.ts last three minutes, and in them a voice repeats its 14 s: too little to say what hours
// need.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { starterSpeakerFile } from '../actors/models/starter/speaker.ts';
import { rate } from './diarization/compose.ts';
import { type Evidence, openPipeline } from './diarization/pipeline.ts';

/** Minutes from the start; longer than the file is the whole file, once. */
const lengths = [2, 5, 15, 60];

const say = (text: string) => process.stdout.write(`${text}\n`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string', default: starterSpeakerFile.path } },
});
const [folder, ...texts] = positionals;
if (!folder) throw new Error('Name a folder of recordings: node bench/diarization-count.ts FOLDER');
const settings = (texts.length > 0 ? texts : ['{}']).map((text) => JSON.parse(text) as Partial<Evidence>);
const files = (await readdir(folder)).filter((name) => /^\d+-/.test(name)).sort();
if (files.length === 0)
  throw new Error(`${folder} holds no file whose name begins with a number, as 2-interview.wav does`);

const modelsDir = await mkdtemp(join(tmpdir(), 'bench-diarization-count-'));
const pipeline = await openPipeline(modelsDir, availableParallelism(), values.model);
const right = settings.map(() => 0);
let counted = 0;
try {
  for (const name of files) {
    const said = Number.parseInt(name, 10);
    const samples = await pipeline.samplesOf(join(folder, name));
    const minutes = samples.length / rate / 60;
    for (const length of lengths.filter((_, at) => at === 0 || lengths[at - 1]! < minutes)) {
      const part = samples.slice(0, length * 60 * rate);
      const diarize = await pipeline.diarizing(await pipeline.embed(part, await pipeline.detectSpeech(part)));
      const counts = settings.map(
        (changes) => new Set(diarize('auto', changes).map((turn) => turn.speaker)).size,
      );
      for (const [at, count] of counts.entries()) if (count === said) right[at]! += 1;
      counted += 1;
      say(`${name}, ${Math.min(length, minutes).toFixed(0)} min: ${counts.join(', ')}`);
    }
  }
} finally {
  await pipeline.stop();
  await rm(modelsDir, { recursive: true, force: true });
}
for (const [at, changes] of settings.entries())
  say(`${right[at]} of ${counted} counted rightly with ${JSON.stringify(changes)}`);
