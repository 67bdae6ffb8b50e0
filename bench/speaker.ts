// Speaker verification with the starter model, on voices it was not trained on: the five of LibriSpeech
// test-other and 62 of train-clean-100 that are held back for this. Pieces as recorded; "eq", every voice
// filtered to the same average spectrum, so that the microphone is no cue; and across sessions, each piece
// with a room, microphone, line, noise, level and tempo of its own. Errors come with their spread over
// voices.
import { findSpeakerRow } from '../actors/models/registry.ts';
import { builtInRows } from '../actors/models/rows/list.ts';
import { starterSpeakerFile, starterSpeakerPldaFile } from '../actors/models/starter/speaker.ts';
import type { Voice } from './diarization/compose.ts';
import { readVoices } from './diarization/librispeech.ts';
import type { Question, Row } from './row.ts';
import { atThresholds, type Measured, measuredLine, measureVoices, percent } from './voices/conditions.ts';
import { openPieceEmbedder } from './voices/embedding.ts';
import { type HeldModel, heldModel } from './voices/model.ts';
import { cosine, pldaScorerOf } from './voices/scorer.ts';
import { splitVoices } from './voices/split.ts';

const shipped: HeldModel = { path: starterSpeakerFile.path, plda: starterSpeakerPldaFile.path };

/** Percent to reach at 3 s by the five of test-other. */
const goals: Readonly<Record<string, number>> = { 'as recorded': 4, eq: 5.5 };

export const speaker: Question = async (say) => {
  const rows: Row[] = [];
  const five = await readVoices('test-other', say);
  if (five) rows.push(...(await measure(shipped, 'test-other', five, say)));
  const model = heldModel(say);
  const all = model && (await readVoices('train-clean-100', say));
  if (model && all) rows.push(...(await measure(model, 'held voices', splitVoices(all).held, say)));
  return rows;
};

async function measure(
  { path, plda }: HeldModel,
  set: string,
  voices: readonly Voice[],
  say: (text: string) => void,
): Promise<Row[]> {
  const embedder = await openPieceEmbedder(path);
  const scores = { cosine, ...(plda && { PLDA: pldaScorerOf(plda) }) };
  try {
    const rows: Row[] = [];
    for await (const measured of measureVoices(embedder, set, voices, scores, 'fresh')) {
      say(measuredLine(measured));
      rows.push(...rowsOf(measured));
    }
    return rows;
  } finally {
    await embedder.release();
  }
}

function rowsOf(measured: Measured): Row[] {
  const { set, condition, seconds, score, verification } = measured;
  const { pooled, spread, worst } = verification;
  const row = findSpeakerRow({ rows: builtInRows, problems: [] }, 'starter-speaker');
  const most = set === 'test-other' && seconds === 3 ? goals[condition] : undefined;
  const rowOf = (name: string, value: number, goal: Row['goal'] = null): Row => ({
    question: 'speaker',
    name: `starter-speaker, ${set}, ${seconds} s pieces, ${condition}, ${score}: ${name}`,
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
    ...(score === 'cosine' ? ownThresholds() : []),
  ];

  /** Rows at the thresholds of the model's row, which are cosines. */
  function ownThresholds(): Row[] {
    const { threshold, missed, confused } = atThresholds(row, measured);
    return [
      rowOf(`one voice taken for two at the row's ${threshold}`, missed),
      rowOf(`two voices taken for one at the row's ${threshold}`, confused),
    ];
  }
}
