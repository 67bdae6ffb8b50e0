// The product's own actors and parts, diarizing the samples of a measurement.
import { readFile } from 'node:fs/promises';
import { wespeakerFbank } from '../../actors/acoustics/fbank.ts';
import { decoderContract } from '../../actors/decoder/contract.ts';
import {
  diarizerContract,
  type SpeakerCount,
  type SpeakerRange,
  type SpeakerTurn,
  starterSpeakerKey,
} from '../../actors/diarizer/contract.ts';
import { diarize } from '../../actors/diarizer/diarize.ts';
import { type DetectOverlap, overlapDetectorOf } from '../../actors/diarizer/overlap/channel.ts';
import { type Plda, readPlda } from '../../actors/diarizer/plda.ts';
import {
  DiarizationSession,
  type EmbeddedSubsegment,
  SubsegmentChannel,
} from '../../actors/diarizer/session.ts';
import { speakerEmbedderOf } from '../../actors/diarizer/speaker-embedder.ts';
import type { SpeakerRow } from '../../actors/models/contract.ts';
import { findSpeakerRow, readRegistry } from '../../actors/models/registry.ts';
import { openSession } from '../../actors/models/session.ts';
import { overlapFile, starterSpeakerFile } from '../../actors/models/starter/speaker.ts';
import { type SpeechRegion, transcriberContract } from '../../actors/transcriber/contract.ts';
import { createLog } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import { type Bench, type Decoder, startBench } from '../actors.ts';
import { decodeSamples } from '../samples.ts';
import { rate } from './compose.ts';
import type { Turn } from './score.ts';

/** Size of a slot as in the product, which holds 12 s of sound. */
const slotBytes = 512 * 512 * 3;
const block = slotBytes / 4;

/** Facts about its cosines in the row of the speaker model. */
export type Evidence = NonNullable<SpeakerRow['speaker']['evidence']>;

/** Turns for a count of speakers; `changes`: to the evidence of the row, to try other settings. */
export type Diarize = (count: SpeakerCount, changes?: Partial<Evidence>) => Turn[];

/**
 * The speech of a recording, embedded: plain values, which can be kept and clustered for any count of
 * speakers.
 */
export interface EmbeddedSpeech {
  readonly speech: readonly SpeechRegion[];
  /** Samples of the whole recording. */
  readonly length: number;
  readonly subsegments: readonly EmbeddedSubsegment[];
  readonly vectors: Float32Array;
  /** Where two speak at once, for every 20 ms. */
  readonly overlap: Uint8Array;
}

export interface Pipeline {
  /** The speech found by the voice detector in use. */
  detectSpeech(samples: Float32Array): Promise<SpeechRegion[]>;
  /** Embeds the speech once. */
  embed(samples: Float32Array, speech: readonly SpeechRegion[]): Promise<EmbeddedSpeech>;
  /** How embedded speech is diarized with the row in use. */
  diarizing(embedded: EmbeddedSpeech): Promise<Diarize>;
  samplesOf(path: string): Promise<Float32Array>;
  /** A file through decoder, voice detector and diarizer, each in its thread. */
  wholeFile(path: string, count?: SpeakerCount): Promise<DiarizedFile>;
  stop(): Promise<void>;
}

/** Turns of the speakers of a file, as the product answers them. */
export interface DiarizedFile {
  readonly turns: readonly Turn[];
  readonly range: SpeakerRange | null;
}

interface Actors {
  readonly bench: Bench;
  readonly decoder: Decoder;
  readonly transcriber: Ref<typeof transcriberContract>;
  readonly diarizer: Ref<typeof diarizerContract>;
}

/**
 * `modelsDir`: without a voice detection model in it, our own detector is used. `model`: another file than
 * the starter speaker model's, with the same ports; its PLDA lies beside it, as `NAME-plda.bin` beside
 * `NAME.onnx`.
 */
export async function openPipeline(
  modelsDir: string,
  threads: number,
  model: string = starterSpeakerFile.path,
): Promise<Pipeline> {
  const bench = startBench(16, slotBytes);
  const settings = { modelsDir, device: 'cpu', threads };
  const actors: Actors = {
    bench,
    decoder: await bench.actor(decoderContract, { hardware: 'off' }),
    transcriber: await bench.actor(transcriberContract, settings),
    diarizer: await bench.actor(diarizerContract, settings),
  };
  await actors.diarizer.ask('load', {});
  const row = findSpeakerRow(await readRegistry(modelsDir), 'starter-speaker');
  const log = createLog('bench', () => {});
  const session = await openSession(model, { device: 'cpu', threads, log });
  const pldaFile = model.replace(/(\.onnx)?$/, '-plda.bin');
  const plda = readPlda(await readFile(pldaFile), row.speaker.dimensions, pldaFile);
  const detector = await openSession(overlapFile.path, { device: 'cpu', threads, log });
  const detectOverlap = overlapDetectorOf(detector, overlapFile.path);
  return {
    detectSpeech: (samples) => detectSpeech(actors, samples),
    embed: (samples, speech) => embed(row, session, detectOverlap, samples, speech),
    diarizing: (embedded) => diarizing(row, plda, embedded),
    samplesOf: (path) => decodeSamples(actors.decoder, bench.pool, path),
    wholeFile: (path, count = 'auto') => wholeFile(actors, path, count),
    stop: async () => {
      await session.release();
      await detector.release();
      await bench.stop();
    },
  };
}

/** A transcription session that only detects speech. */
const detection = { model_key: null, language: null, channels: 1 };

async function detectSpeech(
  { bench: { pool }, transcriber }: Actors,
  samples: Float32Array,
): Promise<SpeechRegion[]> {
  const holder = pool.holder();
  const { session } = await transcriber.ask('open', detection);
  const speech: SpeechRegion[] = [];
  for (let first = 0; first < samples.length; first += block) {
    const part = samples.subarray(first, first + block);
    const handle = await pool.acquire(holder);
    const view = pool.view(handle);
    new Float32Array(view.buffer, view.byteOffset, part.length).set(part);
    const request = { session, channel: 0, first_sample: first, count: part.length, samples: handle };
    speech.push(...(await transcriber.ask('append', request)).speech);
    pool.release(handle, holder);
  }
  speech.push(...(await transcriber.ask('end', { session, channel: 0 })).speech);
  await transcriber.ask('drop', { session });
  return speech;
}

async function wholeFile(
  { decoder, transcriber, diarizer }: Actors,
  path: string,
  count: SpeakerCount,
): Promise<DiarizedFile> {
  const { model_key } = await diarizer.ask('load', {});
  const answers_built_in = model_key === starterSpeakerKey;
  const { session: transcription } = await transcriber.ask('open', { ...detection, answers_built_in });
  const { session } = await diarizer.ask('open', { channels: 1, speaker_count: count });
  let end = 0;
  for await (const block of decoder.feed('sound', { path, channels: null }, { credit: 4 })) {
    const { channel, first_sample, count, samples } = block;
    const appended = { channel, first_sample, count, samples };
    const detected = await transcriber.ask('append', { session: transcription, ...appended });
    await diarizer.ask('append', { session, ...appended, ...detected });
    end = first_sample + count;
  }
  const detected = await transcriber.ask('end', { session: transcription, channel: 0 });
  const last = { session, channel: 0, first_sample: end, count: 0, samples: null };
  await diarizer.ask('append', { ...last, ...detected });
  await transcriber.ask('drop', { session: transcription });
  const { turns, speaker_range: range } = await diarizer.ask('finish', { session, spans: [] });
  return { turns: turns.map(scoredTurn), range };
}

const scoredTurn = ({ start_seconds, end_seconds, speaker }: SpeakerTurn): Turn => ({
  start: start_seconds,
  end: end_seconds,
  speaker,
});

async function embed(
  row: SpeakerRow,
  session: Awaited<ReturnType<typeof openSession>>,
  detectOverlap: DetectOverlap,
  samples: Float32Array,
  speech: readonly SpeechRegion[],
): Promise<EmbeddedSpeech> {
  const embedder = speakerEmbedderOf(row, session, 'starter-speaker');
  const { dimensions, batch } = embedder;
  const channels = [new SubsegmentChannel(embedder.fbank)];
  const diarization = new DiarizationSession({ modelKey: row.key, dimensions, batch, plda: null, channels });
  await diarization.add(0, channels[0]!.push(0, samples, [], 0), embedder.embed);
  await diarization.add(0, channels[0]!.end(speech, samples.length), embedder.embed);
  await diarization.flush(embedder.embed);
  await channels[0]!.overlap.detect(detectOverlap);
  const { subsegments, vectors } = diarization;
  const overlap = channels[0]!.overlap.probabilities;
  return { speech, length: samples.length, subsegments: subsegments[0]!, vectors: vectors.slice(), overlap };
}

/** A session as the diarizer has it at the end, from kept embeddings. */
async function diarizing(
  row: SpeakerRow,
  plda: Plda,
  { speech, length, subsegments, vectors, overlap }: EmbeddedSpeech,
): Promise<Diarize> {
  const { dimensions, batch } = row.speaker;
  // No sound, so no features: the channel only knows its regions.
  const channel = new SubsegmentChannel(wespeakerFbank);
  channel.push(0, new Float32Array(0), [], 0);
  channel.end(speech, length);
  const channels = [{ regions: channel.regions, overlap: { start: 0, probabilities: overlap } }];
  const session = new DiarizationSession({ modelKey: row.key, dimensions, batch, plda, channels });
  let next = 0;
  const kept = async (_: Float32Array, count: number) => {
    next += count * dimensions;
    return vectors.subarray(next - count * dimensions, next);
  };
  // In the order of their rows, so that each gets its own.
  const ordered = [...subsegments].sort((a, b) => a.vector - b.vector);
  const features = new Float32Array(1);
  await session.add(
    0,
    ordered.map((subsegment) => ({ subsegment, features })),
    kept,
  );
  await session.flush(kept);
  return (count, changes = {}) => {
    const { evidence } = row.speaker;
    const speaker = evidence ? { ...row.speaker, evidence: { ...evidence, ...changes } } : row.speaker;
    const steps = diarize(session, count, { ...row, speaker }, []);
    for (let step = steps.next(); ; step = steps.next()) {
      if (!step.done) continue;
      return step.value.turns.map(scoredTurn);
    }
  };
}

/** The speech of the reference turns, in samples. */
export function idealSpeech(turns: readonly Turn[]): SpeechRegion[] {
  const regions: SpeechRegion[] = [];
  for (const { start, end } of [...turns].sort((a, b) => a.start - b.start)) {
    const [from, to] = [Math.round(start * rate), Math.round(end * rate)];
    const last = regions.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else regions.push([from, to]);
  }
  return regions;
}
