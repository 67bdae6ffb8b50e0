// Speaker verification with the starter model: equal error rate over all pairs of disjoint pieces of the five voices of
// LibriSpeech test-other, which it was not trained on: as recorded, and "eq", every voice filtered to the same average
// spectrum, so that the microphone is no cue. Its thresholds come from train-clean-100 alone.
import { Fbank, wespeakerFbank } from '../actors/acoustics/fbank.ts';
import { soundRate } from '../actors/decoder/contract.ts';
import { speakerEmbedderOf } from '../actors/diarizer/speaker-embedder.ts';
import type { SpeakerRow } from '../actors/models/contract.ts';
import { findSpeakerRow } from '../actors/models/registry.ts';
import { builtInRows } from '../actors/models/rows/list.ts';
import { openSession } from '../actors/models/session.ts';
import { starterSpeakerFile } from '../actors/models/starter/speaker.ts';
import { createLog } from '../runtime/log.ts';
import type { Voice } from './diarization/compose.ts';
import { equalError, errorsAt, type Pairs } from './diarization/equal-error.ts';
import { equalised } from './diarization/equalise.ts';
import { readVoices } from './diarization/librispeech.ts';
import type { Question, Row } from './row.ts';

/** Percent to reach at 3 s, and hoped for. */
const goals = { 'as is': { most: 4, hoped: 2.5 }, eq: { most: 5.5, hoped: 4 } } as const;

export const speaker: Question = async (say) => {
  const recorded = await readVoices('test-other', say);
  if (!recorded) return [];
  const row = findSpeakerRow({ rows: builtInRows, problems: [] }, 'starter-speaker');
  const log = createLog('bench', () => {});
  const session = await openSession(starterSpeakerFile.path, { device: 'cpu', threads: 1, log });
  const { embed, batch } = speakerEmbedderOf(row, session, starterSpeakerFile.path);
  const rows: Row[] = [];
  for (const [condition, voices] of [
    ['as is', recorded],
    ['eq', equalised(recorded)],
  ] as const) {
    for (const seconds of [3, 1.5] as const) {
      const pairs = await pairsOf(voices, seconds, embed, batch);
      rows.push(...rowsOf(row, condition, seconds, pairs, say));
    }
  }
  await session.release();
  return rows;
};

function rowsOf(
  { speaker: { thresholds } }: SpeakerRow,
  condition: keyof typeof goals,
  seconds: 3 | 1.5,
  pairs: Pairs,
  say: (text: string) => void,
): Row[] {
  const { rate, threshold } = equalError(pairs);
  const own = seconds === 3 ? thresholds.same : thresholds.same_short;
  const { missed, confused } = errorsAt(pairs, own);
  const counts = `${pairs.same.length} pairs of one voice, ${pairs.other.length} of two`;
  say(`${seconds} s ${condition}: ${(100 * rate).toFixed(2)} % at ${threshold.toFixed(3)}; ${counts}`);
  const { most, hoped } = goals[condition];
  const row = (name: string, value: number, wanted: boolean): Row => ({
    question: 'speaker',
    name: `starter-speaker, ${seconds} s pieces, ${condition}: ${name}`,
    value: 100 * value,
    unit: '%',
    against: wanted ? { name: 'hoped for', value: hoped } : null,
    ratio: wanted ? hoped / (100 * value) : null,
    goal: wanted ? { of: 'value', at: 'most', than: most } : null,
  });
  return [
    row('equal error rate', rate, seconds === 3),
    row(`one voice taken for two at the row's ${own}`, missed, false),
    row(`two voices taken for one at the row's ${own}`, confused, false),
  ];
}

/** Cosines of all pairs of disjoint pieces; a recording's rest is left out. */
async function pairsOf(
  voices: readonly Voice[],
  seconds: number,
  vectorsOf: (features: Float32Array, windows: number) => Promise<Float32Array>,
  batch: number,
): Promise<Pairs> {
  const size = seconds * soundRate;
  const fbank = new Fbank(wespeakerFbank);
  const pieces = voices.flatMap(({ name, pieces }) =>
    pieces.flatMap((samples) =>
      Array.from({ length: Math.floor(samples.length / size) }, (_, at) => ({
        name,
        features: fbank.whole(samples.subarray(at * size, (at + 1) * size)),
      })),
    ),
  );
  const vectors: Float32Array[] = [];
  for (let from = 0; from < pieces.length; from += batch) {
    const some = pieces.slice(from, from + batch);
    const length = some[0]!.features.length;
    const data = new Float32Array(some.length * length);
    for (const [at, { features }] of some.entries()) data.set(features, at * length);
    const found = await vectorsOf(data, some.length);
    const width = found.length / some.length;
    for (let at = 0; at < found.length; at += width) vectors.push(found.slice(at, at + width));
  }
  const pairs = { same: [] as number[], other: [] as number[] };
  pieces.forEach(({ name }, a) => {
    for (let b = 0; b < a; b++) {
      const cosine = vectors[a]!.reduce((sum, x, i) => sum + x * vectors[b]![i]!, 0);
      pairs[pieces[b]!.name === name ? 'same' : 'other'].push(cosine);
    }
  });
  return pairs;
}
