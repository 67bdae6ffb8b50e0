// The end of a session: from embeddings to clusters, from clusters to named turns, and the speaker of each
// span.
import type { Reply } from '../../runtime/contract.ts';
import { soundRate } from '../decoder/contract.ts';
import type { SpeakerRow } from '../models/contract.ts';
import type { diarizerContract, SpeakerCount, SpeakerTurn, SpeakerVoices } from './contract.ts';
import {
  adjustedProbabilities,
  clearShares,
  likenessOf,
  overlapSpans,
  secondTurns,
  voicesOf,
} from './overlap/spans.ts';
import type { Plda } from './plda.ts';
import {
  type SegmentationChannel,
  type SegmentationWindow,
  segmentationFirst,
  segmentationFrames,
  segmentationStep,
} from './segmentation-channel.ts';
import type { ChannelSpeech, DiarizationSession } from './session.ts';
import { type ClusteringOptions, clusterSpeakers } from './speaker-clustering.ts';
import {
  defaultSubsegments,
  type LabelledTurn,
  namedTurns,
  speakersOfLabels,
  speakersOfSpans,
  turnsOfChannel,
} from './turns.ts';

/** A generator: it yields often, so that its thread can answer messages. */
export function* diarize(
  session: DiarizationSession<ChannelSpeech>,
  count: SpeakerCount,
  row: SpeakerRow,
  spans: readonly (readonly [number, number])[],
): Generator<void, Reply<typeof diarizerContract, 'finish'>> {
  const { segmentationChannels } = session;
  const { labelled, voices } = segmentationChannels
    ? yield* turnsOfSegmentation(session, segmentationChannels, count, row)
    : yield* turnsOfSubsegments(session, count, row);
  // A segmentation model decides itself which pauses end a turn.
  const turns = namedTurns(labelled, segmentationChannels ? 0 : shortPause);
  return {
    turns,
    speakers: speakersOfSpans(turns, spans),
    speaker_count: new Set(turns.map(({ speaker }) => speaker)).size,
    voices: namedVoices(session, labelled, turns, voices),
  };
}

interface Labelled {
  readonly labelled: LabelledTurn[];
  /** k×d by label, of length 1 each. */
  readonly voices: Float64Array;
}

/** One vector for each speaker of the turns; a speaker of whom no vector has a direction is left out. */
function namedVoices(
  { voiceModel, dimensions: d }: DiarizationSession<ChannelSpeech>,
  labelled: readonly LabelledTurn[],
  turns: readonly SpeakerTurn[],
  voices: Float64Array,
): SpeakerVoices {
  const seconds = new Map<string, number>();
  for (const { speaker, start_seconds: start, end_seconds: end } of turns) {
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + end - start);
  }
  const found = [...speakersOfLabels(labelled)].flatMap(([label, speaker]) => {
    const vector = voices.subarray(label * d, (label + 1) * d);
    return vector.some((value) => value !== 0) ? [{ speaker, vector }] : [];
  });
  const vectors = new Float32Array(found.length * d);
  for (const [at, { vector }] of found.entries()) vectors.set(vector, at * d);
  const speakers = found.map(({ speaker }) => ({ speaker, seconds: seconds.get(speaker) ?? 0 }));
  return { model: voiceModel, speakers, vectors };
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
  const { vectors, dimensions, subsegments, channels } = session;
  // Clustering wants them channel after channel in the order of time; rows are in the order in which blocks
  // came.
  const ordered = subsegments.flatMap((own, channel) => own.map((one) => ({ ...one, channel })));
  const rows = new Float32Array(ordered.length * dimensions);
  ordered.forEach(({ vector }, at) => {
    rows.set(vectors.subarray(vector * dimensions, (vector + 1) * dimensions), at * dimensions);
  });
  const overlaps = channels.map(({ overlap }) => overlapSpans(overlap.probabilities, overlap.start));
  const clear = subsegments.flatMap((own, channel) => clearShares(own, overlaps[channel]!, overlappedWeight));
  const embeddings = {
    vectors: rows,
    seconds: Float32Array.from(ordered, ({ from, to }, at) => (clear[at]! * (to - from)) / soundRate),
    regions: ordered.map(({ region, channel }) => region * channels.length + channel),
    dimensions,
    hop: defaultSubsegments.hop / soundRate,
  };
  const labels = yield* clusterSpeakers(embeddings, count, clusteringOf(row, session.plda));
  const voices = voicesOf(rows, labels, clear, dimensions);
  yield;
  let first = 0;
  const found: LabelledTurn[][] = [];
  for (const [channel, { regions, overlap }] of channels.entries()) {
    const own = subsegments[channel]!;
    const from = first;
    first += own.length;
    const turns = turnsOfChannel({ regions, subsegments: own, labels: labels.subarray(from, first) });
    const likeness = likenessOf(
      own,
      rows.subarray(from * dimensions, first * dimensions),
      voices,
      dimensions,
    );
    const adjusted = adjustedProbabilities(overlap.probabilities, overlap.start, turns);
    yield;
    found.push(turns, secondTurns(turns, overlapSpans(adjusted, overlap.start), likeness));
    yield;
  }
  return { labelled: found.flat(), voices };
}

/** With a segmentation model, which says who is active in each frame: several speakers at once can be. */
function* turnsOfSegmentation(
  { vectors, dimensions }: DiarizationSession<ChannelSpeech>,
  channels: readonly SegmentationChannel[],
  count: SpeakerCount,
  { speaker }: SpeakerRow,
): Generator<void, Labelled> {
  const total = vectors.length / dimensions;
  const seconds = new Float32Array(total).fill(1);
  const regions = [...seconds.keys()];
  const { linkage, similarity } = speaker.clustering ?? {
    linkage: 'average',
    similarity: speaker.thresholds.same,
  };
  // A speaker has to be in twelve windows, or in a tenth of them, as in pyannote.
  const options = { linkage, similarity, minSeconds: 12, minShare: 0.1 } as const;
  const labels = yield* clusterSpeakers({ vectors, seconds, regions, dimensions, hop: 1 }, count, options);
  const speakers = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const turns: LabelledTurn[][] = [];
  for (const { windows } of channels) turns.push(yield* turnsOfWindows(windows, labels, speakers));
  return { labelled: turns.flat(), voices: voicesOf(vectors, labels, seconds, dimensions) };
}

/** How much a speaker has to say to be counted. */
const least = { minSeconds: 3, minShare: 0.15 };
const leastWithPlda = { minSeconds: 2, minShare: 0.03 };

/**
 * What was measured of the model goes before its makers' settings; with neither, its threshold for short
 * pieces.
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

// Aggregates overlapping segmentation windows into turns. The number of speakers of a frame is the mean over
// the windows that cover it, and the speakers are those with the most votes: several may speak at once.

/** Windows between two yields: about 20 ms of work. */
const windowsPerStep = 100;

/**
 * `labels`: the speaker of each embedding, from 0 to `speakers` - 1, -1 for none. `windows` ascending by
 * start. A generator: it yields often, so that its thread can answer messages.
 */
export function* turnsOfWindows(
  windows: readonly SegmentationWindow[],
  labels: ArrayLike<number>,
  speakers: number,
): Generator<void, LabelledTurn[]> {
  const aggregation = new Aggregation(speakers);
  for (const [at, window] of windows.entries()) {
    if (at % windowsPerStep === 0) yield;
    aggregation.settle(frameOf(window.start));
    aggregation.add(window, labels);
  }
  aggregation.settle(Number.POSITIVE_INFINITY);
  return aggregation.turns.sort((a, b) => a.start - b.start || a.label - b.label);
}

/** Number of a frame, counted from the start of the file. */
const frameOf = (sample: number) => Math.round(sample / segmentationStep);
const secondsOf = (frame: number) =>
  Math.max(0, frame * segmentationStep + segmentationFirst - segmentationStep / 2) / soundRate;

interface Frame {
  /** Windows that cover the frame. */
  windows: number;
  /** Speakers active in it, summed over these windows. */
  active: number;
  readonly votes: Float32Array;
}

class Aggregation {
  readonly turns: LabelledTurn[] = [];
  readonly #speakers: number;
  readonly #frames = new Map<number, Frame>();
  /** The frame in which the current turn of each speaker began; -1 for one that is silent. */
  readonly #since: Int32Array;
  #next = 0;

  constructor(speakers: number) {
    this.#speakers = speakers;
    this.#since = new Int32Array(speakers).fill(-1);
  }

  add({ start, activity, rows }: SegmentationWindow, labels: ArrayLike<number>): void {
    const first = frameOf(start);
    const labelsHere = rows.map((row) => (row < 0 ? -1 : labels[row]!));
    for (let at = 0; at < segmentationFrames; at++) {
      const frame = this.#frame(first + at);
      const bits = activity[at]!;
      frame.windows += 1;
      // Two local speakers that were clustered into one count once.
      const active = new Set(labelsHere.filter((label, local) => label >= 0 && (bits & (1 << local)) !== 0));
      frame.active += active.size;
      for (const label of active) frame.votes[label]! += 1;
    }
  }

  /** No later window covers a frame before `until`: their turns are decided. */
  settle(until: number): void {
    const settled = [...this.#frames.keys()].filter((at) => at < until).sort((a, b) => a - b);
    for (const at of settled) {
      if (at > this.#next) this.#stopAll(this.#next);
      this.#decide(at, this.#frames.get(at)!);
      this.#frames.delete(at);
      this.#next = at + 1;
    }
    if (until > this.#next) this.#stopAll(this.#next);
  }

  #frame(at: number): Frame {
    const found = this.#frames.get(at);
    if (found) return found;
    const made = { windows: 0, active: 0, votes: new Float32Array(this.#speakers) };
    this.#frames.set(at, made);
    return made;
  }

  #decide(at: number, { windows, active, votes }: Frame): void {
    const count = Math.round(active / windows);
    const order = [...votes.keys()].filter((label) => votes[label]! > 0);
    order.sort((a, b) => votes[b]! - votes[a]! || a - b);
    const speaking = new Set(order.slice(0, count));
    for (let label = 0; label < this.#speakers; label++) {
      if (speaking.has(label)) {
        if (this.#since[label]! < 0) this.#since[label] = at;
      } else {
        this.#stop(label, at);
      }
    }
  }

  #stopAll(at: number): void {
    for (let label = 0; label < this.#speakers; label++) this.#stop(label, at);
  }

  #stop(label: number, at: number): void {
    const since = this.#since[label]!;
    if (since < 0) return;
    this.#since[label] = -1;
    this.turns.push({ start: secondsOf(since), end: secondsOf(at), label });
  }
}
