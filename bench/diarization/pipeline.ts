// The product's own actors and parts, listening to samples of a measurement.
import { decoderContract } from '../../actors/decoder/contract.ts';
import { diarizerContract, type SpeakerCount } from '../../actors/diarizer/contract.ts';
import { diarize } from '../../actors/diarizer/diarize.ts';
import { DiarizationSession } from '../../actors/diarizer/session.ts';
import { speakerEmbedderOf } from '../../actors/diarizer/speaker-embedder.ts';
import { SubsegmentChannel } from '../../actors/diarizer/subsegment-channel.ts';
import type { SpeakerRow } from '../../actors/models/contract.ts';
import { findSpeakerRow, readRegistry } from '../../actors/models/registry.ts';
import { openSession } from '../../actors/models/session.ts';
import { starterSpeakerFile } from '../../actors/models/starter/speaker.ts';
import { type SpeechRegion, transcriberContract } from '../../actors/transcriber/contract.ts';
import { createLog } from '../../runtime/log.ts';
import { startBench } from '../actors.ts';
import { rate } from './compose.ts';
import type { Turn } from './score.ts';

/** As in the product: 12 s of sound in a slot. */
const slotBytes = 512 * 512 * 3;
const block = slotBytes / 4;

/** What the row of the speaker model says of its cosines. */
export type Evidence = NonNullable<SpeakerRow['speaker']['evidence']>;

/** Turns for a count of voices; `changes` to the evidence of the row, to try others. */
export type Answer = (count: SpeakerCount, changes?: Partial<Evidence>) => Turn[];

export interface Pipeline {
  /** What the voice detector in use calls speech. */
  voices(samples: Float32Array): Promise<SpeechRegion[]>;
  /** Listens once; what it heard can be asked for any count. */
  listen(samples: Float32Array, speech: readonly SpeechRegion[]): Promise<Answer>;
  samplesOf(path: string): Promise<Float32Array>;
  /** A file through decoder, voice detector and diarizer, each in its thread; answers the turns. */
  wholeFile(path: string): Promise<number>;
  stop(): Promise<void>;
}

/** `modelsDir`: without a voice detector in it, our own hears where somebody speaks. */
export async function openPipeline(modelsDir: string, threads: number): Promise<Pipeline> {
  const bench = startBench(16, slotBytes);
  const settings = { modelsDir, device: 'cpu', threads };
  const decoder = await bench.actor(decoderContract, { hardware: 'off' });
  const transcriber = await bench.actor(transcriberContract, settings);
  const diarizer = await bench.actor(diarizerContract, settings);
  await diarizer.ask('load', {});
  const row = findSpeakerRow(await readRegistry(modelsDir), 'starter-speaker');
  const log = createLog('bench', () => {});
  const session = await openSession(starterSpeakerFile.path, { device: 'cpu', threads, log });
  const holder = bench.pool.holder();
  const opened = { model_key: null, language: null, channels: 1 };

  const voices = async (samples: Float32Array) => {
    const { session } = await transcriber.ask('open', opened);
    const speech: SpeechRegion[] = [];
    for (let first = 0; first < samples.length; first += block) {
      const part = samples.subarray(first, first + block);
      const handle = await bench.pool.acquire(holder);
      const view = bench.pool.view(handle);
      new Float32Array(view.buffer, view.byteOffset, part.length).set(part);
      const asked = { session, channel: 0, first_sample: first, count: part.length, samples: handle };
      speech.push(...(await transcriber.ask('append', asked)).speech);
      bench.pool.release(handle, holder);
    }
    speech.push(...(await transcriber.ask('end', { session, channel: 0 })).speech);
    await transcriber.ask('drop', { session });
    return speech;
  };

  const wholeFile = async (path: string) => {
    const { session } = await transcriber.ask('open', opened);
    const { session: voices } = await diarizer.ask('open', { channels: 1, speaker_count: 'auto' });
    let end = 0;
    const sound = decoder.feed('sound', { path, channels: null }, { credit: 4 });
    for await (const { channel, first_sample, count, samples } of sound) {
      const heard = await transcriber.ask('append', { session, channel, first_sample, count, samples });
      await diarizer.ask('append', { session: voices, channel, first_sample, count, samples, ...heard });
      end = first_sample + count;
    }
    const heard = await transcriber.ask('end', { session, channel: 0 });
    const last = { session: voices, channel: 0, first_sample: end, count: 0, samples: null };
    await diarizer.ask('append', { ...last, ...heard });
    await transcriber.ask('drop', { session });
    const { turns } = await diarizer.ask('finish', { session: voices, spans: [] });
    return turns.length;
  };

  const samplesOf = async (path: string) => {
    const parts: Float32Array[] = [];
    for await (const { count, samples } of decoder.feed('sound', { path, channels: null }, { credit: 4 })) {
      const view = bench.pool.view(samples);
      parts.push(new Float32Array(view.buffer, view.byteOffset, count).slice());
    }
    const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };

  return {
    voices,
    wholeFile,
    samplesOf,
    listen: (samples, speech) => listen(row, session, samples, speech),
    stop: async () => {
      await session.release();
      await bench.stop();
    },
  };
}

async function listen(
  row: SpeakerRow,
  session: Awaited<ReturnType<typeof openSession>>,
  samples: Float32Array,
  speech: readonly SpeechRegion[],
): Promise<Answer> {
  const embedder = speakerEmbedderOf(row, session, 'starter-speaker');
  const { dimensions, batch } = embedder;
  const channels = [new SubsegmentChannel(embedder.fbank)];
  const diarization = new DiarizationSession({ modelKey: row.key, dimensions, batch, channels });
  await diarization.add(0, channels[0]!.push(0, samples, [], 0), embedder.embed);
  await diarization.add(0, channels[0]!.end(speech, samples.length), embedder.embed);
  await diarization.flush(embedder.embed);
  return (count, changes = {}) => {
    const { evidence } = row.speaker;
    const speaker = evidence ? { ...row.speaker, evidence: { ...evidence, ...changes } } : row.speaker;
    const steps = diarize(diarization, count, { ...row, speaker }, []);
    for (let step = steps.next(); ; step = steps.next()) {
      if (!step.done) continue;
      return step.value.turns.map(({ start_seconds, end_seconds, speaker }) => ({
        start: start_seconds,
        end: end_seconds,
        speaker,
      }));
    }
  };
}

/** Where somebody speaks, as the truth says it: samples. */
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
