// The end of a session: from vectors to turns, names and the voice of each span.
import type { Reply } from '../../runtime/contract.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeakerRow } from '../models/contract.ts';
import type { diarizerContract, SpeakerCount } from './contract.ts';
import { type Clustering, decideVoices } from './decide.ts';
import type { LocalChannel } from './locals.ts';
import { turnsOfWindows } from './overlay.ts';
import { usualPieces } from './pieces.ts';
import type { DiarizationSession } from './session.ts';
import { namedTurns, speakersOfSpans, turnsOfChannel, type VoiceTurn } from './turns.ts';

/** A generator: it pauses often, so that its thread can answer. */
export function* answerOf(
  session: DiarizationSession,
  count: SpeakerCount,
  row: SpeakerRow,
  spans: readonly (readonly [number, number])[],
): Generator<void, Reply<typeof diarizerContract, 'finish'>> {
  const spoken = session.locals
    ? yield* turnsOfLocals(session, session.locals, count, row)
    : yield* turnsOfPieces(session, count, row);
  // A segmentation says itself what is a pause.
  const turns = namedTurns(spoken, session.locals ? 0 : shortPause);
  return {
    turns,
    speakers: speakersOfSpans(turns, spans),
    speaker_count: new Set(turns.map(({ speaker }) => speaker)).size,
  };
}

/** Seconds of silence that do not end a turn, as NIST counts it. */
const shortPause = 0.3;

/** Where only windows of speech are known: each belongs to one voice. */
function* turnsOfPieces(
  session: DiarizationSession,
  count: SpeakerCount,
  row: SpeakerRow,
): Generator<void, VoiceTurn[]> {
  const { vectors, dimensions, pieces, channels } = session;
  // Channel after channel, in the order of time; the rows of the vectors are in the order in which windows came.
  const ordered = pieces.flatMap((own, channel) => own.map((piece) => ({ ...piece, channel })));
  const rows = new Float32Array(ordered.length * dimensions);
  ordered.forEach(({ vector }, at) => {
    rows.set(vectors.subarray(vector * dimensions, (vector + 1) * dimensions), at * dimensions);
  });
  const windows = {
    vectors: rows,
    seconds: Float32Array.from(ordered, ({ from, to }) => (to - from) / soundRate),
    regions: ordered.map(({ region, channel }) => region * channels.length + channel),
    dimensions,
    hop: usualPieces.hop / soundRate,
  };
  const labels = yield* decideVoices(windows, count, clusteringOf(row));
  let first = 0;
  return channels.flatMap(({ regions }, channel) => {
    const own = pieces[channel]!;
    const from = first;
    first += own.length;
    return turnsOfChannel({ regions, pieces: own, labels: labels.subarray(from, first) });
  });
}

/** Where a segmentation says who speaks in each moment: several at once can. */
function* turnsOfLocals(
  { vectors, dimensions }: DiarizationSession,
  channels: readonly LocalChannel[],
  count: SpeakerCount,
  { speaker }: SpeakerRow,
): Generator<void, VoiceTurn[]> {
  const total = vectors.length / dimensions;
  const seconds = new Float32Array(total).fill(1);
  const regions = [...seconds.keys()];
  const { linkage, similarity } = speaker.clustering ?? {
    linkage: 'average',
    similarity: speaker.thresholds.same,
  };
  // Twelve windows, or a tenth of them, as pyannote does it.
  const clustering = { linkage, similarity, news: 1, least: 12, share: 0.1, alike: 1 } as const;
  const labels = yield* decideVoices({ vectors, seconds, regions, dimensions, hop: 1 }, count, clustering);
  const voices = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const turns: VoiceTurn[][] = [];
  for (const { windows } of channels) turns.push(yield* turnsOfWindows(windows, labels, voices));
  return turns.flat();
}

/** Seconds somebody has to speak to be counted as a voice; where evidence is weighed, less is too easily a new one. */
const leastSeconds = 3;
const leastWeighed = 6;
const leastShare = 0.15;

/** What was measured goes before what the makers do; with neither, groups are one voice as single pieces are. */
function clusteringOf({ speaker }: SpeakerRow): Clustering {
  const { evidence, clustering, thresholds } = speaker;
  if (evidence) {
    const { same, freedom, news, similarity, alike } = evidence;
    return { linkage: { same, freedom }, similarity, news, least: leastWeighed, share: leastShare, alike };
  }
  const { linkage, similarity } = clustering ?? { linkage: 'average', similarity: thresholds.same_short };
  return { linkage, similarity, news: 1, least: leastSeconds, share: leastShare, alike: 1 };
}
