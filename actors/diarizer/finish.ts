// The end of a listening: from vectors to turns, names and the voice of each span.
import type { Reply } from '../../runtime/contract.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeakerRow } from '../models/contract.ts';
import type { diarizerContract, SpeakerCount } from './contract.ts';
import { type Clustering, decideVoices } from './decide.ts';
import type { Listening } from './listening.ts';
import { namedTurns, speakersOfSpans, turnsOfChannel } from './turns.ts';

/** A generator: it pauses often, so that its thread can answer. */
export function* answerOf(
  listening: Listening,
  count: SpeakerCount,
  row: SpeakerRow,
  spans: readonly (readonly [number, number])[],
): Generator<void, Reply<typeof diarizerContract, 'finish'>> {
  const { vectors, dimensions, pieces, channels } = listening;
  const seconds = new Float32Array(vectors.length / dimensions);
  for (const { vector, from, to } of pieces.flat()) seconds[vector] = (to - from) / soundRate;
  const labels = yield* decideVoices({ vectors, seconds, dimensions }, count, clusteringOf(row));
  const spoken = channels.flatMap(({ regions }, at) => {
    const own = pieces[at]!;
    return turnsOfChannel({ regions, pieces: own, labels: own.map(({ vector }) => labels[vector]!) });
  });
  const turns = namedTurns(spoken);
  return {
    turns,
    speakers: speakersOfSpans(turns, spans),
    speaker_count: new Set(turns.map(({ speaker }) => speaker)).size,
  };
}

/** Where the row says nothing: two groups are one voice when their windows are, on average, as alike as two of one voice. */
function clusteringOf({ speaker }: SpeakerRow): Clustering {
  return speaker.clustering ?? { linkage: 'average', likeness: speaker.thresholds.same_short };
}
