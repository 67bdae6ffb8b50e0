// The end of a session: from embeddings to clusters, from clusters to named turns, and the speaker of each
// span.
import type { Reply } from '../../runtime/contract.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeakerRow } from '../models/contract.ts';
import type { diarizerContract, SpeakerCount, SpeakerRange, SpeakerTurn, SpeakerVoices } from './contract.ts';
import { voicesOfWindows } from './local-speakers.ts';
import {
  adjustedProbabilities,
  clearShares,
  likenessOf,
  overlapSpans,
  secondTurns,
  voicesOf,
} from './overlap/spans.ts';
import type { Plda } from './plda.ts';
import { frameOf, type SegmentationChannel, sampleOf } from './segmentation-channel.ts';
import type { ChannelSpeech, DiarizationSession, EmbeddedSubsegment } from './session.ts';
import { type ClusteringOptions, clusterSpeakers, speakerLimits } from './speaker-clustering.ts';
import {
  defaultSubsegments,
  type LabelledTurn,
  namedTurns,
  speakersOfLabels,
  speakersOfSpans,
  turnsOfChannel,
} from './turns.ts';
import { turnsOfWindows } from './window-turns.ts';

/** A generator: it yields often, so that its thread can answer messages. */
export function* diarize(
  session: DiarizationSession<ChannelSpeech>,
  count: SpeakerCount,
  row: SpeakerRow,
  spans: readonly (readonly [number, number])[],
): Generator<void, Reply<typeof diarizerContract, 'finish'>> {
  const { segmentationChannels } = session;
  const { labelled, voices, aloneSeconds, range } = segmentationChannels
    ? yield* turnsOfSegmentation(session, segmentationChannels, count, row)
    : yield* turnsOfSubsegments(session, count, row);
  // A segmentation model decides itself which pauses end a turn.
  const turns = namedTurns(labelled, segmentationChannels ? 0 : shortPause);
  const isGiven = count !== 'auto';
  return {
    turns,
    speakers: speakersOfSpans(turns, spans, isGiven ? speakerLimits(count).min : 0),
    speaker_count: new Set(turns.map(({ speaker }) => speaker)).size,
    speaker_range: isGiven ? null : range,
    voices: namedVoices(session, labelled, turns, { voices, aloneSeconds }),
  };
}

interface Labelled {
  readonly labelled: LabelledTurn[];
  /** k×d by label, of length 1 each. */
  readonly voices: Float64Array;
  /** For how long each speaks alone, by label. */
  readonly aloneSeconds: readonly number[];
  /** How many speakers there may be; null where their number is sure. */
  readonly range: SpeakerRange | null;
}

/** Less of a voice alone says too little about it: strangers are as similar as one voice in two files. */
const leastOfVoice = 3;

/** One vector for each speaker of the turns who speaks alone for long enough. */
function namedVoices(
  { voiceModel, dimensions: d }: DiarizationSession<ChannelSpeech>,
  labelled: readonly LabelledTurn[],
  turns: readonly SpeakerTurn[],
  { voices, aloneSeconds }: Pick<Labelled, 'voices' | 'aloneSeconds'>,
): SpeakerVoices {
  const seconds = new Map<string, number>();
  for (const { speaker, start_seconds: start, end_seconds: end } of turns) {
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start);
  }
  const speakerVoices = [...speakersOfLabels(labelled)].flatMap(([label, speaker]) => {
    const vector = voices.subarray(label * d, (label + 1) * d);
    const isLong = (aloneSeconds[label] ?? 0) >= leastOfVoice;
    return isLong && vector.some((value) => value !== 0) ? [{ speaker, vector }] : [];
  });
  const vectors = new Float32Array(speakerVoices.length * d);
  for (const [at, { vector }] of speakerVoices.entries()) vectors.set(vector, at * d);
  const speakers = speakerVoices.map(({ speaker }) => ({ speaker, seconds: seconds.get(speaker) ?? 0 }));
  return { model: voiceModel, speakers, vectors };
}

/**
 * `pieces` of one channel ascend, and overlap. `clear`: the part of each in which one speaks alone; all of it
 * when left out.
 */
function aloneSecondsOf(
  pieces: readonly { readonly from: number; readonly to: number }[],
  labels: Int32Array,
  clear?: readonly number[],
): number[] {
  const seconds: number[] = [];
  const ends: number[] = [];
  for (const [at, { from, to }] of pieces.entries()) {
    const label = labels[at]!;
    if (label < 0) continue;
    const last = ends[label] ?? 0;
    const duration = (to - (from < last && last <= to ? last : from)) * (clear?.[at] ?? 1);
    seconds[label] = (seconds[label] ?? 0) + duration / soundRate;
    ends[label] = to;
  }
  return seconds;
}

/** Seconds of silence that do not end a turn, as NIST counts it. */
const shortPause = 0.3;

/**
 * The part of its weight that a subsegment keeps in which two speak throughout: it says little about either.
 */
const overlappedWeight = 0.1;

/**
 * Without a segmentation model: every subsegment of speech belongs to one speaker, and to two where they
 * surely overlap.
 */
function* turnsOfSubsegments(
  session: DiarizationSession<ChannelSpeech>,
  count: SpeakerCount,
  row: SpeakerRow,
): Generator<void, Labelled> {
  const { dimensions, subsegments, channels } = session;
  // Clustering wants them channel after channel in the order of time; rows are in the order in which blocks
  // came.
  const ordered = subsegments.flatMap((ofChannel, channel) =>
    ofChannel.map((subsegment) => ({ ...subsegment, channel })),
  );
  const rows = rowsOf(
    session,
    ordered.map(({ vector }) => vector),
  );
  const overlaps = channels.map(({ overlap }) => overlapSpans(overlap.probabilities, overlap.start));
  const clear = subsegments.flatMap((ofChannel, channel) =>
    clearShares(ofChannel, overlaps[channel]!, overlappedWeight),
  );
  const embeddings = {
    vectors: rows,
    seconds: Float32Array.from(ordered, ({ from, to }, at) => (clear[at]! * (to - from)) / soundRate),
    regions: ordered.map(({ region, channel }) => region * channels.length + channel),
    dimensions,
    hop: defaultSubsegments.hop / soundRate,
  };
  const clustering = clusteringOf(row, session.plda);
  const { labels, counts } = yield* clusterSpeakers(
    embeddings,
    count,
    clustering,
    similaritiesNear(clustering),
  );
  const voices = voicesOf(rows, labels, clear, dimensions);
  yield;
  let first = 0;
  const turnsOfChannels: LabelledTurn[][] = [];
  for (const [channel, { regions, overlap }] of channels.entries()) {
    const ofChannel = subsegments[channel]!;
    const from = first;
    first += ofChannel.length;
    const turns = turnsOfChannel({ regions, subsegments: ofChannel, labels: labels.subarray(from, first) });
    const likeness = likenessOf(
      ofChannel,
      rows.subarray(from * dimensions, first * dimensions),
      voices,
      dimensions,
    );
    const adjusted = adjustedProbabilities(overlap.probabilities, overlap.start, turns);
    yield;
    turnsOfChannels.push(turns, secondTurns(turns, overlapSpans(adjusted, overlap.start), likeness));
    yield;
  }
  const aloneSeconds = aloneSecondsOf(ordered, labels, clear);
  return { labelled: turnsOfChannels.flat(), voices, aloneSeconds, range: rangeOf(counts, null) };
}

/**
 * With a segmentation model, which says who is active in each frame: several speakers at once can be. Voices
 * are counted by the pieces in which one speaks alone; then each local speaker of a window gets a voice.
 */
function* turnsOfSegmentation(
  session: DiarizationSession<ChannelSpeech>,
  channels: readonly SegmentationChannel[],
  count: SpeakerCount,
  row: SpeakerRow,
): Generator<void, Labelled> {
  const { dimensions, subsegments } = session;
  const pieces = itemsOf(channels, subsegments, speakerLimits(count).min);
  const vectors = rowsOf(
    session,
    pieces.map(({ vector }) => vector),
  );
  const seconds = Float32Array.from(pieces, (piece) => piece.seconds);
  const embeddings = {
    vectors,
    seconds,
    regions: [...pieces.keys()],
    dimensions,
    hop: defaultSubsegments.hop / soundRate,
  };
  const clustering = clusteringOfPieces(row);
  const { labels, counts } = yield* clusterSpeakers(
    embeddings,
    count,
    clustering,
    similaritiesNear(clustering),
  );
  const voices = voicesOf(vectors, labels, seconds, dimensions);
  const speakers = voices.length / dimensions;
  const turns: LabelledTurn[] = [];
  for (const [channel, { windows }] of channels.entries()) {
    const labelled = yield* voicesOfWindows(
      windows,
      subsegments[channel]!,
      session.vectors,
      voices,
      dimensions,
    );
    turns.push(...(yield* turnsOfWindows(labelled, speakers)));
  }
  const labelled = count === 'auto' ? turns : withEveryVoice(turns, pieces, labels, speakers);
  const overlap = channels.reduce((most, { overlapShare }) => Math.max(most, overlapShare), 0);
  const aloneSeconds = aloneSecondsOf(pieces, labels);
  return { labelled, voices, aloneSeconds, range: rangeOf(counts, overlap) };
}

interface VoiceItem {
  /** Samples, half-open. */
  readonly from: number;
  readonly to: number;
  readonly vector: number;
  readonly seconds: number;
}

/** Weight, in seconds, of a local speaker without a piece beside pieces. */
const localSeconds = 0.5;

/**
 * The pieces of all channels; where these are fewer than the speakers that were asked for, the local speakers
 * without a piece as well.
 */
function itemsOf(
  channels: readonly SegmentationChannel[],
  subsegments: readonly (readonly EmbeddedSubsegment[])[],
  least: number,
): VoiceItem[] {
  const pieces = subsegments.flatMap((ofChannel) =>
    ofChannel.map(
      (subsegment): VoiceItem => ({ ...subsegment, seconds: (subsegment.to - subsegment.from) / soundRate }),
    ),
  );
  if (pieces.length >= least) return pieces;
  const locals = channels.flatMap(({ windows }) =>
    windows.flatMap(({ start, activity, rows }) =>
      rows.flatMap((vector, speaker): VoiceItem[] => {
        if (vector < 0) return [];
        const isActive = (bits: number) => (bits & (1 << speaker)) !== 0;
        const first = frameOf(start);
        const from = sampleOf(first + activity.findIndex(isActive));
        const to = sampleOf(first + activity.findLastIndex(isActive) + 1);
        return [{ from, to, vector, seconds: localSeconds }];
      }),
    ),
  );
  return [...pieces, ...locals];
}

/**
 * A voice that was asked for and lost every frame to others speaks where its pieces are, and they do not.
 */
function withEveryVoice(
  turns: readonly LabelledTurn[],
  pieces: readonly VoiceItem[],
  labels: Int32Array,
  speakers: number,
): LabelledTurn[] {
  let all = [...turns];
  for (let label = 0; label < speakers; label++) {
    if (all.some((turn) => turn.label === label)) continue;
    for (const [at, { from, to }] of pieces.entries()) {
      if (labels[at] !== label) continue;
      const [start, end] = [from / soundRate, to / soundRate];
      all = [...all.flatMap((turn) => (turn.label === label ? [turn] : outside(turn, start, end)))];
      all.push({ start, end, label });
    }
  }
  return all.sort((a, b) => a.start - b.start || a.label - b.label);
}

/** Remainder of a turn outside of a time range. */
function outside(turn: LabelledTurn, start: number, end: number): LabelledTurn[] {
  if (turn.end <= start || turn.start >= end) return [turn];
  const before = { ...turn, end: start };
  const after = { ...turn, start: end };
  return [before, after].filter((part) => part.end > part.start);
}

/** n×d: the vectors of a session in the order of `places`. */
function rowsOf(
  { vectors, dimensions }: Pick<DiarizationSession<ChannelSpeech>, 'vectors' | 'dimensions'>,
  places: readonly number[],
): Float32Array {
  const rows = new Float32Array(places.length * dimensions);
  for (const [at, place] of places.entries()) {
    rows.set(vectors.subarray(place * dimensions, (place + 1) * dimensions), at * dimensions);
  }
  return rows;
}

/** How much a speaker has to say to be counted. */
const least = { minSeconds: 3, minShare: 0.15 };
const leastOfPieces = { minSeconds: 2, minShare: 0.06 };
const leastWithPlda = { minSeconds: 2, minShare: 0.03 };

/**
 * Measured settings of the model take precedence over its makers'; without either, its threshold for short
 * pieces applies.
 */
function clusteringOf({ speaker }: SpeakerRow, plda: Plda | null): ClusteringOptions {
  const { evidence, clustering, thresholds } = speaker;
  if (evidence && plda) {
    const { news, saturation, average = 0, centroid = 0, similarity } = evidence;
    const score = { average, centroid };
    return { linkage: { plda, news, saturation, score }, similarity, ...leastWithPlda };
  }
  const { linkage, similarity } = clustering ?? { linkage: 'average', similarity: thresholds.same_short };
  return { linkage, similarity, ...least };
}

/**
 * Mean cosine of pieces of 1.5 s from which they are one voice, where the row of a model says nothing: that
 * of CAM++, whose strangers have a median of .36 and whose voices have one of .67.
 */
const piecesSimilarity = 0.5;

function clusteringOfPieces({ speaker }: SpeakerRow): ClusteringOptions {
  return { linkage: 'average', similarity: speaker.thresholds.pieces ?? piecesSimilarity, ...leastOfPieces };
}

// How sure a number of speakers is: it is counted again with less and with more similarity.

/** Differences of a mean cosine, and of a score with a PLDA. */
const cosineSteps = [-0.05, -0.025, 0, 0.025, 0.05] as const;
const scoreSteps = [-8, -4, 0, 4, 8] as const;

function similaritiesNear({ linkage, similarity }: ClusteringOptions): number[] {
  const steps = typeof linkage === 'string' ? cosineSteps : scoreSteps;
  return steps.map((step) => similarity + step);
}

/** From this part of speech on in which two or more speak at once, voices are easily overheard: */
const muchOverlap = 0.05;
/** so many. */
const overheardVoices = 2;

/**
 * Null where all counts agree and voices can be heard alone. `overlapShare`: null without a segmentation
 * model, where the number is never sure: of seven rooms in which the counts of the starter agreed, three were
 * wrong.
 */
function rangeOf(counts: readonly number[], overlapShare: number | null): SpeakerRange | null {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const isClear = overlapShare !== null && overlapShare < muchOverlap && most > 0;
  if (isClear) return least === most ? null : { least, most };
  return { least, most: most + overheardVoices };
}
