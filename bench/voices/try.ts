// Measures a model that is not shipped on the same tables:
// `node bench/voices/try.ts [voices] [talks] [--model FILE] [--plda FILE] [--evidence JSON] [--set held|five|fit] [--draws N] [--threads N]`.
// Nothing is recorded. A file whose training heard the held voices says nothing on them.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { starterSpeakerFile } from '../../actors/models/starter/speaker.ts';
import type { Voice } from '../diarization/compose.ts';
import { publishedDraws, scoreDraws } from '../diarization/draws.ts';
import { readVoices } from '../diarization/librispeech.ts';
import { type Evidence, openPipeline } from '../diarization/pipeline.ts';
import { summaries, summaryLine } from '../diarization/talk-scores.ts';
import { fewVoices, manyVoices } from '../diarization/talks.ts';
import { measuredLine, measureVoices } from './conditions.ts';
import { openPieceEmbedder } from './embedding.ts';
import { cosine, pldaScorerOf } from './scorer.ts';
import { splitVoices } from './split.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: starterSpeakerFile.path },
    plda: { type: 'string' },
    threads: { type: 'string', default: `${availableParallelism()}` },
    evidence: { type: 'string', default: '{}' },
    set: { type: 'string', multiple: true, default: ['five', 'held'] },
    draws: { type: 'string', default: `${publishedDraws}` },
  },
});
const sets = ['five', 'held', 'fit'];
const unknown = [
  ...positionals.filter((what) => !['voices', 'talks'].includes(what)),
  ...values.set.filter((name) => !sets.includes(name)),
];
if (unknown.length > 0)
  throw new Error(`not known: ${unknown.join(', ')}; there are voices, talks; sets ${sets.join(', ')}`);
const draws = Number(values.draws);
if (!Number.isInteger(draws) || draws < 1)
  throw new Error(`--draws ${values.draws}: a whole number from 1 on is wanted`);
const parts = positionals.length > 0 ? positionals : ['voices', 'talks'];
for (const set of values.set) {
  const voices = await voicesOf(set);
  if (!voices) continue;
  if (parts.includes('voices')) await tryVoices(set, voices);
  if (parts.includes('talks')) await tryTalks(set, voices);
}

async function voicesOf(set: string): Promise<Voice[] | null> {
  if (set === 'five') return readVoices('test-other', say);
  const all = await readVoices('train-clean-100', say);
  return all && splitVoices(all)[set === 'held' ? 'held' : 'fit'];
}

async function tryVoices(set: string, voices: readonly Voice[]): Promise<void> {
  const scores = { cosine, ...(values.plda && { PLDA: pldaScorerOf(values.plda) }) };
  const embedder = await openPieceEmbedder(values.model);
  try {
    for await (const measured of measureVoices(embedder, set, voices, scores, 'kept'))
      say(measuredLine(measured));
  } finally {
    await embedder.release();
  }
}

async function tryTalks(set: string, voices: readonly Voice[]): Promise<void> {
  const modelsDir = await mkdtemp(join(tmpdir(), 'bench-try-'));
  const pipeline = await openPipeline(modelsDir, Number(values.threads), values.model);
  try {
    const groups = set === 'five' ? fewVoices : manyVoices;
    const seed = set === 'fit' ? 70_001 : 30_001;
    const changes = JSON.parse(values.evidence) as Partial<Evidence>;
    const drawn = { name: set, voices, groups, seed };
    const scores = await scoreDraws(pipeline, values.model, drawn, say, { draws, changes });
    for (const { group, detection, counted, summary } of summaries(scores)) {
      say(`${set}, ${group}, ${detection}, count ${counted}: ${summaryLine(summary)}`);
    }
  } finally {
    await pipeline.stop();
    await rm(modelsDir, { recursive: true, force: true });
  }
}
