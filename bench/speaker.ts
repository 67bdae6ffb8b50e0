// Speaker verification with the starter model, on voices it was not trained on: the five of LibriSpeech test-other and 62 of
// train-clean-100 that are held back for this. Pieces as recorded; "eq", every voice filtered to the same average spectrum, so that
// the microphone is no cue; and across sessions, each piece with a room, microphone, line, noise, level and tempo of its own.
// Errors come with their spread over voices.
import { findSpeakerRow } from '../actors/models/registry.ts';
import { builtInRows } from '../actors/models/rows/list.ts';
import type { Voice } from './diarization/compose.ts';
import { readVoices } from './diarization/librispeech.ts';
import type { Question, Row } from './row.ts';
import { atThresholds, type Measured, measuredLine, measureVoices, percent } from './voices/conditions.ts';
import { openPieceEmbedder } from './voices/embedding.ts';
import { measuredModel } from './voices/model.ts';
import { cosine } from './voices/scorer.ts';
import { splitVoices } from './voices/split.ts';

/** Percent to reach at 3 s by the five of test-other. */
const goals: Readonly<Record<string, number>> = { 'as recorded': 4, eq: 5.5 };

export const speaker: Question = async (say) => {
  const rows: Row[] = [];
  const model = measuredModel();
  const embedder = await openPieceEmbedder(model.path);
  try {
    const strangers = await readVoices('test-other', say);
    if (strangers) rows.push(...(await measure('test-other', strangers)));
    const all = model.hasHeardHeld ? null : await readVoices('train-clean-100', say);
    if (model.hasHeardHeld)
      say('held voices left out: FRAMEHOUND_BENCH_SPEAKER names no model trained without them');
    if (all) rows.push(...(await measure('held voices', splitVoices(all).held)));
    return rows;
  } finally {
    await embedder.release();
  }

  async function measure(set: string, voices: readonly Voice[]): Promise<Row[]> {
    const found: Row[] = [];
    for await (const measured of measureVoices(embedder, set, voices, cosine, 'fresh')) {
      say(measuredLine(measured));
      found.push(...rowsOf(measured));
    }
    return found;
  }
};

function rowsOf(measured: Measured): Row[] {
  const { set, condition, seconds, verification } = measured;
  const { pooled, spread, worst } = verification;
  const row = findSpeakerRow({ rows: builtInRows, problems: [] }, 'starter-speaker');
  const own = atThresholds(row, measured);
  const most = set === 'test-other' && seconds === 3 ? goals[condition] : undefined;
  const rowOf = (name: string, value: number, goal: Row['goal'] = null): Row => ({
    question: 'speaker',
    name: `starter-speaker, ${set}, ${seconds} s pieces, ${condition}: ${name}`,
    value: 100 * value,
    unit: '%',
    against: null,
    ratio: null,
    goal,
  });
  const [low, high] = spread.interval.map(percent);
  return [
    rowOf(
      'equal error rate',
      pooled.rate,
      most === undefined ? null : { of: 'value', at: 'most', than: most },
    ),
    rowOf(`mean over voices (90 %: ${low} to ${high}; deviation ${percent(spread.deviation)})`, spread.mean),
    rowOf('worst tenth of the voices', worst),
    rowOf(`one voice taken for two at the row's ${own.threshold}`, own.missed),
    rowOf(`two voices taken for one at the row's ${own.threshold}`, own.confused),
  ];
}
