// Tries settings of the row of the starter speaker model on talks of voices that may be fitted to; nothing of
// the measured voices is used.
// `node bench/diarization-fit.ts [--model FILE] [--choose] [--seed N] [--groups] [--fresh] ['{"saturation":0.1}' ...]`:
// the first run with a model and seed embeds the talks (minutes) and keeps them in the folder for temporary
// files; then a setting takes seconds. `--choose`: talks of the voices that the model of a training with
// `--hold 62 --choose` has not heard, which belong to its file.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { starterSpeakerFile } from '../actors/models/starter/speaker.ts';
import { embeddedTalks } from './diarization/embedded-talks.ts';
import { readVoices } from './diarization/librispeech.ts';
import { type Evidence, openPipeline } from './diarization/pipeline.ts';
import { scoreTalks, summaries, summaryLine } from './diarization/talk-scores.ts';
import { manyVoices } from './diarization/talks.ts';
import { splitVoices } from './voices/split.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: starterSpeakerFile.path },
    seed: { type: 'string', default: '70001' },
    choose: { type: 'boolean', default: false },
    groups: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
  },
});
const variants = positionals.map((text) => JSON.parse(text) as Partial<Evidence>);
const all = await readVoices('train-clean-100', say);
if (all) {
  const modelsDir = await mkdtemp(join(tmpdir(), 'bench-diarization-fit-'));
  const pipeline = await openPipeline(modelsDir, availableParallelism(), values.model);
  try {
    const set = {
      name: values.choose ? 'choose' : 'fit',
      voices: splitVoices(all)[values.choose ? 'choose' : 'fit'],
      groups: manyVoices,
      seed: Number(values.seed),
    };
    const talks = await embeddedTalks(pipeline, values.model, set, say, values.fresh);
    for (const changes of variants.length > 0 ? variants : [{}]) {
      say(JSON.stringify(changes));
      for (const { group, detection, counted, summary } of summaries(
        await scoreTalks(pipeline, talks, changes),
      )) {
        if (group !== 'all' && !values.groups) continue;
        say(`  ${group}, ${detection}, count ${counted}: ${summaryLine(summary)}`);
      }
    }
  } finally {
    await pipeline.stop();
    await rm(modelsDir, { recursive: true, force: true });
  }
}
